/* Chat Completions and Responses: what we write, and what we make of their streams. */
#include "stream_world.h"

static const struct block second[] = {
    { .kind = BLOCK_THOUGHT,
      .text = STR("hm"),
      .sealed = STR("{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"ee\"}"),
      .by = "peer" },
    { .kind = BLOCK_THOUGHT, .text = STR("not mine"), .sealed = STR("{\"x\":1}"), .by = "other" },
    { .kind = BLOCK_TEXT, .text = STR("first ") },
    { .kind = BLOCK_TEXT, .text = STR("then") },
    { .kind = BLOCK_CALL, .id = STR("c:1"), .name = STR("look"), .args = STR("{\"at\":1}") },
    { .kind = BLOCK_CALL, .id = STR("c2"), .name = STR("find"), .args = STR("\"{broken\"") },
};

/* ---- chat ----------------------------------------------------------------------------------- */

#define CHUNK(choice) "data: {\"model\":\"gpt-test\",\"choices\":[{\"index\":0," choice "}]}\n\n"
#define DELTA(d) CHUNK("\"delta\":{" d "},\"finish_reason\":null")
#define FINISH(why) CHUNK("\"delta\":{},\"finish_reason\":\"" why "\"")
#define CALLS(c) DELTA("\"tool_calls\":[" c "]")
#define USAGE                                                                                      \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":12,"              \
    "\"prompt_tokens_details\":{\"cached_tokens\":20},"                                            \
    "\"completion_tokens_details\":{\"reasoning_tokens\":8}}}\n\n"
#define DONE "data: [DONE]\n\n"

TEST(chat_text_thoughts_and_usage)
{
    world_begin();
    expect(&openai_chat_format,
           ": warming up\n\n" DELTA(
               "\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"hm\"")
               DELTA("\"reasoning\":\" so\"") DELTA("\"content\":\"a\\nb\"")
                   DELTA("\"content\":\"\"") DELTA("\"content\":\"c\"") FINISH("stop") USAGE DONE,
           "(hm)( so)[a\nb][c]", "thought hm so\ntext a\nbc\n", STOP_END);
    EQ_S(w.turn.model, "gpt-test");
    EQ(w.turn.usage.input, 30);
    EQ(w.turn.usage.output, 12);
    EQ(w.turn.usage.cache_read, 20);
    EQ(w.turn.usage.thinking, 8);
    OK(w.in.reply.over);
    world_end();
}

TEST(chat_joins_a_character_that_was_cut_in_two)
{
    world_begin();
    expect(&openai_chat_format,
           DELTA("\"content\":\"a\\ud83d\"") DELTA("\"content\":\"\\ude00\"")
               CALLS("{\"index\":0,\"id\":\"k1\",\"function\":{\"name\":\"look\","
                     "\"arguments\":\"{\\\"a\\\":\\\"\\ud83d\"}}")
                   CALLS("{\"index\":0,\"function\":{\"arguments\":\"\\ude00\\\"}\"}}")
                       FINISH("tool_calls") DONE,
           "[a][\xf0\x9f\x98\x80]<k1 look>",
           "text a\xf0\x9f\x98\x80\ncall id=k1 name=look args={\"a\":\"\xf0\x9f\x98\x80\"}\n",
           STOP_TOOLS);
    world_end();
}

TEST(chat_calls_by_index)
{
    world_begin();
    expect(&openai_chat_format,
           CALLS("{\"index\":0,\"id\":\"k1\",\"type\":\"function\",\"function\":{\"name\":\"look\","
                 "\"arguments\":\"\"}}")
               CALLS("{\"index\":1,\"id\":\"k2\",\"function\":{\"name\":\"find\"}}")
                   CALLS("{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}},"
                         "{\"index\":1,\"function\":{\"arguments\":\"{}\"}}")
                       CALLS("{\"index\":0,\"function\":{\"arguments\":\":1}\"}}")
                           FINISH("tool_calls") DONE,
           "<k1 look><k2 find>",
           "call id=k1 name=look args={\"a\":1}\ncall id=k2 name=find args={}\n", STOP_TOOLS);
    world_end();
}

/* Some servers give every call the same index, or none, and say they just stopped. */
TEST(chat_calls_of_careless_servers)
{
    world_begin();
    expect(
        &openai_chat_format,
        CALLS("{\"index\":0,\"id\":\"k1\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}")
            CALLS("{\"index\":0,\"id\":\"k2\",\"function\":{\"name\":\"look\",\"arguments\":"
                  "\"{\\\"b\\\":2}\"}}") FINISH("stop"),
        "<k1 look><k2 look>", "call id=k1 name=look args={}\ncall id=k2 name=look args={\"b\":2}\n",
        STOP_TOOLS);
    expect(&openai_chat_format,
           CALLS("{\"id\":\"k1\",\"function\":{\"name\":\"look\",\"arguments\":\"{\"}}")
               CALLS("{\"function\":{\"arguments\":\"}\"}}") FINISH("tool_calls"),
           "<k1 look>", "call id=k1 name=look args={}\n", STOP_TOOLS);
    feed(&openai_chat_format, CALLS("{\"function\":{\"name\":\"look\"}}") FINISH("stop"), 3);
    OK(w.ok);
    EQ(w.turn.answer.blocks, 1);
    OK(str_starts(w.turn.answer.block[0].id, STR("call_")));
    world_end();
}

TEST(chat_ends)
{
    world_begin();
    expect(&openai_chat_format, DELTA("\"content\":\"x\"") FINISH("length"), "[x]", "text x\n",
           STOP_LENGTH);
    expect(&openai_chat_format, DELTA("\"refusal\":\"no\"") FINISH("content_filter") DONE, "[no]",
           "text no\n", STOP_REFUSED);
    expect_fault(&openai_chat_format, DELTA("\"content\":\"x\"") DONE, ERR_CLOSED, "ended before",
                 true);
    EQ_S(answer(), "text x\n");
    expect_fault(&openai_chat_format, DELTA("\"content\":\"x\"") "data: {\"choi\n\n", ERR_INVALID,
                 "event message: ", false);
    expect_fault(&openai_chat_format, "data: {\"hello\":1}\n\n", ERR_INVALID, "choices", false);
    expect_fault(&openai_chat_format, "data: {\"error\":{\"message\":\"gone\",\"code\":502}}\n\n",
                 ERR_CLOSED, "peer ended the answer early: gone", true);
    world_end();
}

TEST(chat_writes_a_conversation)
{
    world_begin();
    converse(second, ARRAY_LEN(second));
    w.request.max_tokens = 99;
    w.request.effort = EFFORT_LOW;
    EQ_S(url_of(&openai_chat_format), "http://peer.test/base/chat/completions");
    EQ_S(body_of(&openai_chat_format),
         "{\"model\":\"model-1\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
         "\"max_tokens\":99,\"reasoning_effort\":\"low\","
         "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"description\":"
         "\"Looks.\","
         "\"parameters\":{\"type\":\"object\"}}},{\"type\":\"function\",\"function\":{\"name\":"
         "\"find\","
         "\"description\":\"Finds.\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],"
         "\"messages\":[{\"role\":\"system\",\"content\":\"be kind\"},"
         "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"look \\\"here\\\"\"},"
         "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,UE5H\"}},"
         "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"V0FW\",\"format\":\"wav\"}}]},"
         "{\"role\":\"assistant\",\"content\":\"first then\",\"tool_calls\":["
         "{\"id\":\"c:1\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":"
         "\"{\\\"at\\\":1}\"}},"
         "{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":\"find\",\"arguments\":"
         "\"{\\\"invalid_arguments\\\":\\\"{broken\\\"}\"}}]},"
         "{\"role\":\"tool\",\"tool_call_id\":\"c:1\",\"content\":\"seen\"},"
         "{\"role\":\"tool\",\"tool_call_id\":\"c2\",\"content\":\"Error: no such file\"},"
         "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
         "\"data:image/png;base64,UE5H\"}},{\"type\":\"text\",\"text\":\"go on\"}]}]}");
    world_end();
}

TEST(chat_knows_openai_itself_and_writes_plain_texts_plainly)
{
    static const struct block hi[] = { { .kind = BLOCK_TEXT, .text = STR("hi") } };
    static const struct block call[] = { { .kind = BLOCK_CALL, .id = STR("c"), .name = STR("n") } };
    static const struct message m[] = { { ROLE_USER, hi, 1 }, { ROLE_ASSISTANT, call, 1 } };

    world_begin();
    w.spec.base_url = STR("https://api.openai.com/v1");
    w.request.message = m;
    w.request.messages = 2;
    w.request.max_tokens = 5;
    EQ_S(body_of(&openai_chat_format),
         "{\"model\":\"model-1\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
         "\"max_completion_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},"
         "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"type\":"
         "\"function\","
         "\"function\":{\"name\":\"n\",\"arguments\":\"{}\"}}]}]}");
    world_end();
}

/* ---- responses ------------------------------------------------------------------------------ */

#define EV(type, rest)                                                                             \
    "event: response." type "\ndata: {\"type\":\"response." type "\"" rest "}\n\n"
#define AT(i) ",\"output_index\":" i
#define PIECE(s) ",\"delta\":\"" s "\""
#define COMPLETED(status, more)                                                                    \
    EV(status, ",\"response\":{\"model\":\"gpt-r\",\"usage\":{\"input_tokens\":9,"                 \
               "\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":6,"               \
               "\"output_tokens_details\":{\"reasoning_tokens\":2}}" more "}")

TEST(responses_stream_thoughts_text_and_calls)
{
    world_begin();
    expect(
        &openai_responses_format,
        EV("created", ",\"response\":{\"error\":null}")
            EV("output_item.added", AT("0") ",\"item\":{\"type\":\"reasoning\",\"id\":\"r\"}") EV(
                "reasoning_summary_part.added", AT("0") ",\"summary_index\":0")
                EV("reasoning_summary_text.delta", AT("0") PIECE("one")) EV(
                    "reasoning_summary_part.added", AT("0") ",\"summary_index\":1")
                    EV("reasoning_summary_text.delta", AT("0") PIECE("two")) EV(
                        "output_item.done",
                        AT("0") ",\"item\":{\"type\":\"reasoning\",\"id\":\"r\",\"summary\":[{"
                                "\"text\":\"s\"}],\"encrypted_content\":\"Zz\"}")
                        EV("output_item.added", AT("1") ",\"item\":{\"type\":\"message\"}") EV(
                            "output_text.delta", AT("1") PIECE("hel")) EV("output_text.delta",
                                                                          AT("1") PIECE("lo"))
                            EV("output_text.done", AT("1") ",\"text\":\"hello\"") EV(
                                "output_item.added",
                                AT("2") ",\"item\":{\"type\":\"function_call\",\"id\":\"fc\","
                                        "\"call_id\":\"k1\",\"name\":\"look\",\"arguments\":\"\"}")
                                EV("function_call_arguments.delta", AT("2") PIECE("{\\\"a")) EV(
                                    "function_call_arguments.delta", AT("2") PIECE("\\\":1}"))
                                    EV("output_item.done",
                                       AT("2") ",\"item\":{\"type\":\"function_call\",\"call_id\":"
                                               "\"k1\",\"name\":\"look\",\"arguments\":"
                                               "\"{\\\"a\\\":1}\"}")
                                        EV("output_item.done",
                                           AT("3") ",\"item\":{\"type\":\"function_call\","
                                                   "\"call_id\":\"k2\",\"name\":\"find\","
                                                   "\"arguments\":\"{}\"}")
                                            COMPLETED("completed", ""),
        "(one)(\n\n)(two)[hel][lo]<k1 look><k2 find>",
        "thought one\n\ntwo sealed={\"type\":\"reasoning\",\"summary\":[{\"text\":\"s\"}],"
        "\"encrypted_content\":\"Zz\"} by=peer\n"
        "text hello\n"
        "call id=k1 name=look args={\"a\":1}\n"
        "call id=k2 name=find args={}\n",
        STOP_TOOLS);
    EQ_S(w.turn.model, "gpt-r");
    EQ(w.turn.usage.input, 9);
    EQ(w.turn.usage.cache_read, 4);
    EQ(w.turn.usage.output, 6);
    EQ(w.turn.usage.thinking, 2);
    world_end();
}

TEST(responses_join_a_character_that_was_cut_in_two)
{
    world_begin();
    expect(&openai_responses_format,
           EV("output_text.delta", AT("0") PIECE("a\\ud83d"))
               EV("output_text.delta", AT("0") PIECE("\\ude00")) COMPLETED("completed", ""),
           "[a][\xf0\x9f\x98\x80]", "text a\xf0\x9f\x98\x80\n", STOP_END);
    world_end();
}

TEST(responses_end)
{
    world_begin();
    expect(&openai_responses_format,
           EV("output_text.delta", AT("0") PIECE("x")) COMPLETED(
               "incomplete", ",\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
                             "\"max_output_tokens\"}"),
           "[x]", "text x\n", STOP_LENGTH);
    expect(&openai_responses_format,
           EV("refusal.delta", AT("0") PIECE("no")) COMPLETED("completed", ""), "[no]", "text no\n",
           STOP_REFUSED);
    expect_fault(&openai_responses_format, EV("output_text.delta", AT("0") PIECE("x")), ERR_CLOSED,
                 "the answer ended before it was complete", true);
    expect_fault(
        &openai_responses_format,
        EV("failed", ",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"oh\"}}"),
        ERR_CLOSED, "peer ended the answer early: oh", true);
    expect_fault(&openai_responses_format,
                 "event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\","
                 "\"message\":\"long\"}\n\n",
                 ERR_LIMIT, "long", false);
    OK(w.in.fault.context);
    expect_fault(&openai_responses_format, EV("function_call_arguments.delta", AT("5") PIECE("{}")),
                 ERR_INVALID, "did not begin", false);
    expect_fault(&openai_responses_format, "event: response.created\ndata: 7\n\n", ERR_INVALID,
                 "event response.created", false);
    world_end();
}

TEST(responses_write_a_conversation)
{
    world_begin();
    converse(second, ARRAY_LEN(second));
    w.request.model = STR("o3-mini");
    w.request.effort = EFFORT_HIGH;
    w.request.max_tokens = 77;
    EQ_S(url_of(&openai_responses_format), "http://peer.test/base/responses");
    EQ_S(
        body_of(&openai_responses_format),
        "{\"model\":\"o3-mini\",\"stream\":true,\"store\":false,\"max_output_tokens\":77,"
        "\"include\":[\"reasoning.encrypted_content\"],"
        "\"reasoning\":{\"effort\":\"high\",\"summary\":\"auto\"},"
        "\"tools\":[{\"type\":\"function\",\"name\":\"look\",\"description\":\"Looks.\","
        "\"parameters\":{\"type\":\"object\"},\"strict\":false},{\"type\":\"function\",\"name\":"
        "\"find\",\"description\":\"Finds.\",\"parameters\":{\"type\":\"object\",\"properties\":{}}"
        ","
        "\"strict\":false}],\"instructions\":\"be kind\","
        "\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"look "
        "\\\"here\\\"\"},{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,UE5H\"},"
        "{\"type\":\"input_text\",\"text\":\"[audio omitted: peer does not support it]\"}]},"
        "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"ee\"},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"first \"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"then\"}]},"
        "{\"type\":\"function_call\",\"call_id\":\"c:1\",\"name\":\"look\",\"arguments\":"
        "\"{\\\"at\\\":1}\"},"
        "{\"type\":\"function_call\",\"call_id\":\"c2\",\"name\":\"find\",\"arguments\":"
        "\"{\\\"invalid_arguments\\\":\\\"{broken\\\"}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"c:1\",\"output\":[{\"type\":\"input_"
        "text\","
        "\"text\":\"seen\"},{\"type\":\"input_image\",\"image_url\":\"data:image/"
        "png;base64,UE5H\"}]},"
        "{\"type\":\"function_call_output\",\"call_id\":\"c2\",\"output\":\"Error: no such file\"},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"go on\"}]}]}");
    world_end();
}

TEST(responses_do_not_ask_plain_models_what_they_thought)
{
    world_begin();
    w.request.temperature = 1;
    EQ_S(body_of(&openai_responses_format),
         "{\"model\":\"model-1\",\"stream\":true,\"store\":false,\"temperature\":1,\"input\":[]}");
    world_end();
}

TEST_MAIN()
