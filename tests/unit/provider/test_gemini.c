/* streamGenerateContent: what we write, and what we make of its streams. */
#include "stream_world.h"

#define CHUNK(parts, rest)                                                                         \
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]}" rest "}],"    \
    "\"usageMetadata\":{\"promptTokenCount\":11,\"candidatesTokenCount\":5,"                       \
    "\"thoughtsTokenCount\":3,\"cachedContentTokenCount\":2},\"modelVersion\":\"gemini-t\"}"       \
    "\r\n\r\n"
#define FINISH(why) ",\"finishReason\":\"" why "\""

TEST(parts_of_a_kind_are_one_block)
{
    world_begin();
    expect(&gemini_format,
           CHUNK("{\"text\":\"hm\",\"thought\":true}", "")
               CHUNK("{\"text\":\" hm\",\"thought\":true}", "") CHUNK("{\"text\":\"a\"}", "")
                   CHUNK("{\"text\":\"b\"},{\"text\":\"c\"}", FINISH("STOP")),
           "(hm)( hm)[a][b][c]", "thought hm hm\ntext abc\n", STOP_END);
    EQ_S(w.turn.model, "gemini-t");
    EQ(w.turn.usage.input, 11);
    EQ(w.turn.usage.output, 8);
    EQ(w.turn.usage.thinking, 3);
    EQ(w.turn.usage.cache_read, 2);
    world_end();
}

TEST(signatures_stay_with_their_part)
{
    world_begin();
    expect(
        &gemini_format,
        CHUNK("{\"functionCall\":{\"id\":\"g1\",\"name\":\"look\",\"args\":{\"a\":[1]}},"
              "\"thoughtSignature\":\"S1\"},{\"functionCall\":{\"id\":\"g2\",\"name\":\"find\"}}",
              FINISH("STOP")),
        "<g1 look><g2 find>",
        "call id=g1 name=look args={\"a\":[1]} sealed={\"id\":\"g1\",\"thoughtSignature\":\"S1\"} "
        "by=peer\n"
        "call id=g2 name=find args={} sealed={\"id\":\"g2\"} by=peer\n",
        STOP_TOOLS);
    expect(&gemini_format,
           CHUNK("{\"text\":\"a\"}", "") CHUNK("{\"text\":\"\",\"thoughtSignature\":\"S2\"}", "")
               CHUNK("{\"text\":\"b\"}", FINISH("STOP")),
           "[a][b]", "text a sealed={\"thoughtSignature\":\"S2\"} by=peer\ntext b\n", STOP_END);
    expect(
        &gemini_format,
        CHUNK("{\"functionCall\":{\"id\":\"g3\",\"name\":\"look\"}}", "")
            CHUNK("{\"text\":\"\",\"thoughtSignature\":\"S4\"}", FINISH("STOP")),
        "<g3 look>",
        "call id=g3 name=look args={} sealed={\"id\":\"g3\",\"thoughtSignature\":\"S4\"} by=peer\n",
        STOP_TOOLS);
    expect(&gemini_format, CHUNK("{\"text\":\"\",\"thoughtSignature\":\"S3\"}", FINISH("STOP")), "",
           "text  sealed={\"thoughtSignature\":\"S3\"} by=peer\n", STOP_END);
    world_end();
}

TEST(a_character_that_was_cut_in_two_is_joined)
{
    world_begin();
    expect(&gemini_format,
           CHUNK("{\"text\":\"a\\ud83d\"}", "") CHUNK("{\"text\":\"\\ude00b\"}", FINISH("STOP")),
           "[a][\xf0\x9f\x98\x80"
           "b]",
           "text a\xf0\x9f\x98\x80"
           "b\n",
           STOP_END);
    expect(&gemini_format,
           CHUNK("{\"text\":\"\\ud83d\"}", "")
               CHUNK("{\"text\":\"x\\ude00\\ud83d\"}", FINISH("STOP")),
           "[\xef\xbf\xbdx\xef\xbf\xbd][\xef\xbf\xbd]",
           "text \xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\n", STOP_END);
    world_end();
}

TEST(pictures_come_whole)
{
    world_begin();
    expect(&gemini_format,
           CHUNK("{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"UE5H\"}}", FINISH("STOP")),
           "", "media image/png UE5H\n", STOP_END);
    world_end();
}

TEST(a_call_without_an_id_gets_one)
{
    world_begin();
    feed(&gemini_format, CHUNK("{\"functionCall\":{\"name\":\"look\"}}", FINISH("STOP")), 1);
    OK(w.ok);
    OK(w.turn.answer.blocks == 1 && str_starts(w.turn.answer.block[0].id, STR("call_")));
    world_end();
}

TEST(ends)
{
    world_begin();
    expect(&gemini_format, CHUNK("{\"text\":\"x\"}", FINISH("MAX_TOKENS")), "[x]", "text x\n",
           STOP_LENGTH);
    expect(&gemini_format, "data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}]}\n\n", "", "",
           STOP_REFUSED);
    expect(&gemini_format, "data: {\"promptFeedback\":{\"blockReason\":\"OTHER\"}}\n\n", "", "",
           STOP_REFUSED);
    expect_fault(&gemini_format, CHUNK("{\"text\":\"x\"}", ""), ERR_CLOSED, "ended before", true);
    EQ_S(answer(), "text x\n");
    expect_fault(&gemini_format, "data: {\"candidates\":[}\n\n", ERR_INVALID, "event message: byte",
                 false);
    expect_fault(&gemini_format, "data: []\n\n", ERR_INVALID, "candidates", false);
    expect_fault(&gemini_format, CHUNK("", FINISH("MALFORMED_FUNCTION_CALL")), ERR_INVALID,
                 "a malformed call", false);
    expect_fault(
        &gemini_format,
        "data: {\"error\":{\"code\":503,\"status\":\"UNAVAILABLE\",\"message\":\"full\"}}\n\n",
        ERR_CLOSED, "full", true);
    world_end();
}

/* ---- requests ------------------------------------------------------------------------------- */

static const struct block second[] = {
    { .kind = BLOCK_THOUGHT, .text = STR("unsigned") },
    { .kind = BLOCK_TEXT,
      .text = STR("so"),
      .sealed = STR("{\"thoughtSignature\":\"T1\"}"),
      .by = "peer" },
    { .kind = BLOCK_CALL,
      .id = STR("c:1"),
      .name = STR("look"),
      .args = STR("{\"at\":1}"),
      .sealed = STR("{\"thoughtSignature\":\"T2\"}"),
      .by = "peer" },
    { .kind = BLOCK_CALL, .id = STR("c2"), .name = STR("find"), .args = STR("\"{broken\"") },
};

TEST(a_conversation_is_written_in_its_words)
{
    world_begin();
    converse(second, ARRAY_LEN(second));
    w.request.max_tokens = 9;
    w.request.temperature = 0;
    EQ_S(url_of(&gemini_format),
         "http://peer.test/base/v1beta/models/model-1:streamGenerateContent?alt=sse");
    EQ_S(body_of(&gemini_format),
         "{\"systemInstruction\":{\"parts\":[{\"text\":\"be kind\"}]},"
         "\"tools\":[{\"functionDeclarations\":[{\"name\":\"look\",\"description\":\"Looks.\","
         "\"parametersJsonSchema\":{\"type\":\"object\"}},{\"name\":\"find\",\"description\":"
         "\"Finds.\","
         "\"parametersJsonSchema\":{\"type\":\"object\",\"properties\":{}}}]}],"
         "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"look "
         "\\\"here\\\"\"},{\"inlineData\":"
         "{\"mimeType\":\"image/png\",\"data\":\"UE5H\"}},{\"inlineData\":{\"mimeType\":\"audio/"
         "wav\","
         "\"data\":\"V0FW\"}}]},"
         "{\"role\":\"model\",\"parts\":[{\"text\":\"so\",\"thoughtSignature\":\"T1\"},"
         "{\"functionCall\":{\"name\":\"look\",\"args\":{\"at\":1}},\"thoughtSignature\":\"T2\"},"
         "{\"functionCall\":{\"name\":\"find\",\"args\":{\"invalid_arguments\":\"{broken\"}}}]},"
         "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"look\",\"response\":{"
         "\"output\":\"seen\"}}},{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"UE5H\"}},"
         "{\"functionResponse\":{\"name\":\"find\",\"response\":{\"error\":\"no such file\"}}},"
         "{\"text\":\"go on\"}]}],"
         "\"generationConfig\":{\"maxOutputTokens\":9,\"temperature\":0}}");
    world_end();
}

TEST(a_name_cannot_leave_its_place_in_the_path)
{
    world_begin();
    w.spec.base_url = STR("http://peer.test/v1beta");
    w.request.model = STR("models/../x?y");
    EQ_S(url_of(&gemini_format),
         "http://peer.test/v1beta/models/..%2Fx%3Fy:streamGenerateContent?alt=sse");
    world_end();
}

TEST(effort_is_said_as_the_model_knows_it)
{
    static const struct {
        const char *model;
        enum model_effort effort;
        const char *want;
    } rows[] = {
        { "gemini-2.5-flash", EFFORT_DEFAULT, "\"generationConfig\":{}" },
        { "gemini-2.5-flash", EFFORT_NONE, "{\"includeThoughts\":false,\"thinkingBudget\":0}" },
        { "gemini-2.5-pro", EFFORT_NONE, "{\"includeThoughts\":false,\"thinkingBudget\":128}" },
        { "gemini-2.5-pro", EFFORT_MEDIUM, "{\"includeThoughts\":true,\"thinkingBudget\":8192}" },
        { "gemini-3-pro-preview", EFFORT_MEDIUM, "\"thinkingLevel\":\"high\"" },
        { "gemini-3-flash-preview", EFFORT_MEDIUM, "\"thinkingLevel\":\"medium\"" },
        { "gemini-3-flash-preview", EFFORT_LOW, "\"thinkingLevel\":\"low\"" },
    };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        w.request.model = str_of(rows[i].model);
        w.request.effort = rows[i].effort;
        HAS_S(body_of(&gemini_format), rows[i].want);
    }
    world_end();
}

TEST(calls_of_others_pass_the_check_for_signatures)
{
    static const struct block calls[] = {
        { .kind = BLOCK_CALL, .id = STR("1"), .name = STR("a"), .args = STR("{}") },
        { .kind = BLOCK_CALL, .id = STR("2"), .name = STR("b"), .args = STR("{}") },
    };
    static const struct message m = { ROLE_ASSISTANT, calls, 2 };

    world_begin();
    w.request.model = STR("gemini-3-pro-preview");
    w.request.message = &m;
    w.request.messages = 1;
    HAS_S(body_of(&gemini_format),
          "[{\"functionCall\":{\"name\":\"a\",\"args\":{}},\"thoughtSignature\":"
          "\"skip_thought_signature_validator\"},{\"functionCall\":{\"name\":\"b\",\"args\":{}}}]");
    world_end();
}

TEST(ids_of_its_own_calls_come_back_with_call_and_result)
{
    static const struct block calls[] = {
        { .kind = BLOCK_CALL,
          .id = STR("g1"),
          .name = STR("a"),
          .args = STR("{}"),
          .sealed = STR("{\"id\":\"g1\",\"thoughtSignature\":\"S\"}"),
          .by = "peer" },
        { .kind = BLOCK_CALL,
          .id = STR("g2"),
          .name = STR("b"),
          .args = STR("{}"),
          .sealed = STR("{\"id\":\"g2\"}"),
          .by = "other" },
    };
    static const struct block results[] = {
        { .kind = BLOCK_RESULT, .id = STR("g1"), .text = STR("1") },
        { .kind = BLOCK_RESULT, .id = STR("g2"), .text = STR("2") },
    };
    static const struct message m[] = { { ROLE_ASSISTANT, calls, 2 }, { ROLE_USER, results, 2 } };

    world_begin();
    w.request.message = m;
    w.request.messages = 2;
    HAS_S(
        body_of(&gemini_format),
        "[{\"functionCall\":{\"id\":\"g1\",\"name\":\"a\",\"args\":{}},\"thoughtSignature\":\"S\"},"
        "{\"functionCall\":{\"name\":\"b\",\"args\":{}}}]");
    HAS_S(body_of(&gemini_format),
          "[{\"functionResponse\":{\"id\":\"g1\",\"name\":\"a\",\"response\":{\"output\":\"1\"}}},"
          "{\"functionResponse\":{\"name\":\"b\",\"response\":{\"output\":\"2\"}}}]");
    world_end();
}

TEST_MAIN()
