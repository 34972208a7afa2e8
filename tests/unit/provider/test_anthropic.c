/* The Messages API: what we write, and what we make of its streams. */
#include "stream_world.h"

#define EV(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define START                                                                                      \
    EV("message_start", ",\"message\":{\"id\":\"m1\",\"model\":\"claude-test\",\"usage\":{"        \
                        "\"input_tokens\":10,\"cache_creation_input_tokens\":5,"                   \
                        "\"cache_read_input_tokens\":7,\"output_tokens\":1}}")
#define BEGIN(index, block)                                                                        \
    EV("content_block_start", ",\"index\":" index ",\"content_block\":{" block "}")
#define DELTA(index, delta) EV("content_block_delta", ",\"index\":" index ",\"delta\":{" delta "}")
#define END(index) EV("content_block_stop", ",\"index\":" index)
#define TEXT(t) "\"type\":\"text_delta\",\"text\":\"" t "\""
#define STOP(reason)                                                                               \
    EV("message_delta",                                                                            \
       ",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{\"output_tokens\":42}")             \
    EV("message_stop", "")
#define EMPTY_TEXT "\"type\":\"text\",\"text\":\"\""

TEST(text_comes_as_it_is_said)
{
    world_begin();
    expect(&anthropic_format,
           START BEGIN("0", EMPTY_TEXT)
               EV("ping", "") "data:\n\n" DELTA("0", TEXT("Gr\\u00fc\\u00df "))
                   DELTA("0", TEXT("dich")) END("0") STOP("end_turn"),
           "[Gr\xc3\xbc\xc3\x9f ][dich]", "text Gr\xc3\xbc\xc3\x9f dich\n", STOP_END);
    EQ_S(w.turn.model, "claude-test");
    EQ(w.turn.usage.input, 22);
    EQ(w.turn.usage.cache_read, 7);
    EQ(w.turn.usage.cache_write, 5);
    EQ(w.turn.usage.output, 42);
    OK(w.in.reply.over);
    world_end();
}

TEST(thoughts_are_sealed_by_their_signature)
{
    world_begin();
    expect(&anthropic_format,
           START BEGIN("0", "\"type\":\"thinking\",\"thinking\":\"\"")
               DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"well\"")
                   DELTA("0", "\"type\":\"signature_delta\",\"signature\":\"s/g+n=\"") END("0")
                       BEGIN("1", "\"type\":\"redacted_thinking\",\"data\":\"dark\"") END("1")
                           BEGIN("2", EMPTY_TEXT) DELTA("2", TEXT("so")) END("2") STOP("end_turn"),
           "(well)[so]",
           "thought well sealed={\"signature\":\"s/g+n=\"} by=peer\n"
           "thought  sealed={\"data\":\"dark\"} by=peer\n"
           "text so\n",
           STOP_END);
    world_end();
}

#define CALL(index, id, name)                                                                      \
    BEGIN(index, "\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name "\",\"input\":{}")
#define ARGS(index, part)                                                                          \
    DELTA(index, "\"type\":\"input_json_delta\",\"partial_json\":\"" part "\"")

TEST(a_character_that_was_cut_in_two_is_joined)
{
    world_begin();
    expect(&anthropic_format,
           START BEGIN("0", "\"type\":\"thinking\",\"thinking\":\"\"")
               DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"\\ud83d\"")
                   DELTA("0", "\"type\":\"thinking_delta\",\"thinking\":\"\\ude00\"") END("0")
                       BEGIN("1", EMPTY_TEXT) DELTA("1", TEXT("x\\ud83d"))
                           DELTA("1", TEXT("\\ude00")) END("1") CALL("2", "k1", "look")
                               ARGS("2", "{\\\"a\\\":\\\"\\ud83d") ARGS("2", "\\ude00\\\"}")
                                   END("2") STOP("tool_use"),
           "(\xf0\x9f\x98\x80)[x][\xf0\x9f\x98\x80]<k1 look>",
           "thought \xf0\x9f\x98\x80\ntext x\xf0\x9f\x98\x80\n"
           "call id=k1 name=look args={\"a\":\"\xf0\x9f\x98\x80\"}\n",
           STOP_TOOLS);
    world_end();
}

TEST(calls_come_in_pieces)
{
    world_begin();
    expect(&anthropic_format,
           START BEGIN("0", EMPTY_TEXT) DELTA("0", TEXT("ok")) END("0") CALL("1", "tu_1", "look")
               ARGS("1", "") ARGS("1", "{\\\"pa") ARGS("1", "th\\\": \\\"x\\\"}") END("1")
                   CALL("2", "tu_2", "now") END("2") CALL("3", "tu_3", "odd") ARGS("3", "{\\\"a")
                       END("3") STOP("tool_use"),
           "[ok]<tu_1 look><tu_2 now><tu_3 odd>",
           "text ok\n"
           "call id=tu_1 name=look args={\"path\": \"x\"}\n"
           "call id=tu_2 name=now args={}\n"
           "call id=tu_3 name=odd args=\"{\\\"a\"\n",
           STOP_TOOLS);
    world_end();
}

TEST(each_reason_to_stop_is_told)
{
    static const struct {
        const char *reason;
        enum model_stop stop;
    } rows[] = {
        { "end_turn", STOP_END },      { "stop_sequence", STOP_END },
        { "max_tokens", STOP_LENGTH }, { "refusal", STOP_REFUSED },
        { "tool_use", STOP_TOOLS },    { "model_context_window_exceeded", STOP_CONTEXT },
        { "never_heard", STOP_END },
    };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str s = arena_printf(&w.mem,
                                    START "data: {\"type\":\"message_delta\",\"delta\":{"
                                          "\"stop_reason\":\"%s\"}}\n\n",
                                    rows[i].reason);

        feed(&anthropic_format, s.p, 100);
        OK(w.ok);
        EQ(w.turn.stop, rows[i].stop);
    }
    world_end();
}

TEST(a_stream_that_breaks_keeps_its_text_and_no_calls)
{
    world_begin();
    expect_fault(&anthropic_format,
                 START BEGIN("0", EMPTY_TEXT) DELTA("0", TEXT("half")) CALL("1", "t", "look")
                     ARGS("1", "{}"),
                 ERR_CLOSED, "peer: the answer ended before it was complete", true);
    EQ_S(answer(), "text half\n");
    OK(w.in.reply.told);
    world_end();
}

TEST(what_is_wrong_in_a_stream_is_named)
{
    world_begin();
    expect_fault(&anthropic_format, START "event: content_block_delta\ndata: {\"type\":\n\n",
                 ERR_INVALID, "peer: event content_block_delta: byte", false);
    expect_fault(&anthropic_format, "event: odd\ndata: [1]\n\n", ERR_INVALID,
                 "event odd: expected an object with a type", false);
    expect_fault(&anthropic_format, START ARGS("0", "x") CALL("0", "t", ""), ERR_INVALID,
                 "a call has no tool name", false);
    expect_fault(&anthropic_format, START DELTA("0", "\"type\":\"signature_delta\""), ERR_INVALID,
                 "must be a string", false);
    expect_fault(&anthropic_format,
                 START "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                       "\"overloaded_error\",\"message\":\"Busy\"}}\n\n",
                 ERR_CLOSED, "peer ended the answer early: Busy", true);
    OK(!w.in.reply.told);
    expect_fault(&anthropic_format,
                 START "data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
                       "\"message\":\"prompt is too long: 9 > 8\"}}\n\n",
                 ERR_INVALID, "too long", false);
    OK(w.in.fault.context);
    world_end();
}

TEST(an_answer_has_limits)
{
    world_begin();
    w.limits.model_answer_bytes = 1024;
    w.limits.model_blocks = 2;
    w.limits.model_event_bytes = 1024;
    feed(&anthropic_format,
         arena_printf(
             &w.mem,
             START BEGIN("0", EMPTY_TEXT) "data: {\"type\":\"content_block_delta\","
                                          "\"index\":0,\"delta\":{" TEXT(
                                              "%0900d") "}}\n\n"
                                                        "data: {\"type\":\"content_block_delta\","
                                                        "\"index\":0,\"delta\":{" TEXT(
                                                            "%0900d") "}}\n\n",
             0, 0)
             .p,
         1);
    EQ(w.in.fault.err.code, ERR_LIMIT);
    HAS_S(str_of(w.in.fault.err.text), "model_answer_bytes");
    EQ(w.turn.answer.block[0].text.n, 900);
    expect_fault(&anthropic_format, CALL("0", "a", "x") CALL("1", "b", "x") CALL("2", "c", "x"),
                 ERR_LIMIT, "model_blocks", false);
    feed(&anthropic_format, arena_printf(&w.mem, "data: %01100d\n\n", 0).p, 1);
    EQ(w.in.fault.err.code, ERR_LIMIT);
    world_end();
}

/* ---- requests ------------------------------------------------------------------------------- */

static const struct block second[] = {
    { .kind = BLOCK_THOUGHT,
      .text = STR("hm"),
      .sealed = STR("{\"signature\":\"sg\"}"),
      .by = "peer" },
    { .kind = BLOCK_THOUGHT, .text = STR(""), .sealed = STR("{\"data\":\"dk\"}"), .by = "peer" },
    { .kind = BLOCK_THOUGHT, .text = STR("not mine"), .sealed = STR("{\"x\":1}"), .by = "other" },
    { .kind = BLOCK_TEXT, .text = STR("") },
    { .kind = BLOCK_CALL, .id = STR("c:1"), .name = STR("look"), .args = STR("{\"at\":1}") },
    { .kind = BLOCK_CALL, .id = STR("c2"), .name = STR("find"), .args = STR("\"{broken\"") },
};

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

TEST(a_conversation_is_written_in_its_words)
{
    world_begin();
    converse(second, ARRAY_LEN(second));
    EQ_S(url_of(&anthropic_format), "http://peer.test/base/v1/messages");
    EQ_S(
        body_of(&anthropic_format),
        "{\"model\":\"model-1\",\"max_tokens\":32000,\"stream\":true,"
        "\"tools\":[{\"name\":\"look\",\"description\":\"Looks.\",\"input_schema\":{\"type\":"
        "\"object\"}},{\"name\":\"find\",\"description\":\"Finds.\",\"input_schema\":{\"type\":"
        "\"object\",\"properties\":{}}" MARK "}],"
        "\"system\":[{\"type\":\"text\",\"text\":\"be kind\"" MARK "}],"
        "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"look "
        "\\\"here\\\"\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
        "\"image/png\",\"data\":\"UE5H\"}},{\"type\":\"text\",\"text\":\"[audio omitted: peer "
        "does not support it]\"" MARK "}]},"
        "{\"role\":\"assistant\",\"content\":["
        "{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"sg\"},"
        "{\"type\":\"redacted_thinking\",\"data\":\"dk\"},"
        "{\"type\":\"tool_use\",\"id\":\"c_1\",\"name\":\"look\",\"input\":{\"at\":1}},"
        "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"find\",\"input\":{\"invalid_arguments\":"
        "\"{broken\"}}]},"
        "{\"role\":\"user\",\"content\":["
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c_1\",\"content\":[{\"type\":\"text\","
        "\"text\":"
        "\"seen\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/"
        "png\","
        "\"data\":\"UE5H\"}}]},"
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":[{\"type\":\"text\",\"text\":"
        "\"no such file\"}],\"is_error\":true},"
        "{\"type\":\"text\",\"text\":\"go on\"" MARK "}]}]}");
    world_end();
}

TEST(results_stand_first)
{
    static const struct block mixed[] = {
        { .kind = BLOCK_TEXT, .text = STR("by the way") },
        { .kind = BLOCK_RESULT, .id = STR("c"), .text = STR("done") },
    };
    static const struct message m = { ROLE_USER, mixed, 2 };

    world_begin();
    w.request.message = &m;
    w.request.messages = 1;
    HAS_S(body_of(&anthropic_format),
          "\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c\",\"content\":[{\"type\":"
          "\"text\",\"text\":\"done\"}]},{\"type\":\"text\",\"text\":\"by the way\"" MARK "}]");
    world_end();
}

TEST(effort_becomes_a_budget_and_takes_the_temperature_along)
{
    static const struct block hi[] = { { .kind = BLOCK_TEXT, .text = STR("hi") } };
    static const struct message m = { ROLE_USER, hi, 1 };

    world_begin();
    w.spec.base_url = STR("http://peer.test/v1/");
    EQ_S(url_of(&anthropic_format), "http://peer.test/v1/messages");
    w.request.message = &m;
    w.request.messages = 1;
    w.request.temperature = 0.5;
    w.request.effort = EFFORT_HIGH;
    w.request.max_tokens = 4000;
    HAS_S(body_of(&anthropic_format),
          "\"max_tokens\":4000,\"stream\":true,\"thinking\":{\"type\":\"enabled\","
          "\"budget_tokens\":2000},\"messages\"");
    w.request.max_tokens = 100;
    HAS_S(body_of(&anthropic_format), "\"stream\":true,\"temperature\":0.5,\"messages\"");
    w.request.effort = EFFORT_NONE;
    w.request.max_tokens = 0;
    HAS_S(body_of(&anthropic_format), "\"max_tokens\":32000,\"stream\":true,\"temperature\":0.5");
    world_end();
}

TEST_MAIN()
