/* Updates and requests of an agent, without a process. */
#include "acp_bench.h"
#include "tap.h"

static const struct block hello = { .kind = BLOCK_TEXT, .text = STR("hello") };

static bool sent(struct acp_bench *b, const char *part)
{
    return str_find(buf_str(&b->sent), str_of(part)) >= 0;
}

static bool told(struct acp_bench *b, const char *part)
{
    return str_find(buf_str(&b->events), str_of(part)) >= 0;
}

static void update(struct acp_bench *b, const char *text)
{
    struct str line = arena_printf(&b->mem,
                                   "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{"
                                   "\"sessionId\":\"s1\",\"update\":%s}}",
                                   text);

    bench_say(b, line);
}

/* Answer session/prompt, which is the first request of the bench. */
static void end_turn(struct acp_bench *b, const char *result)
{
    struct str id = buf_str(&b->sent);

    id = str_skip(id, (size_t)str_find(id, STR("\"id\":")) + 5);
    id = str_cut(&id, ',');
    bench_say(b, arena_printf(&b->mem, "{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT ",\"result\":%s}",
                              STR_ARG(id), result));
}

TEST(a_prompt_is_sent_and_its_updates_are_events)
{
    struct acp_bench b;

    bench_open(&b);
    bench_prompt(&b, &hello);
    OK(sent(&b, "\"method\":\"session/prompt\""));
    OK(sent(&b, "{\"type\":\"text\",\"text\":\"hello\"}"));
    update(&b, "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\","
               "\"text\":\"some words\"}}");
    update(&b, "{\"sessionUpdate\":\"agent_thought_chunk\",\"content\":{\"type\":\"text\","
               "\"text\":\"a thought\"}}");
    update(&b, "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"title\":\"Read\","
               "\"kind\":\"read\",\"status\":\"in_progress\"}");
    OK(told(&b, "some words"));
    OK(told(&b, "\"type\":\"thought\""));
    OK(told(&b, "\"type\":\"tool\""));
    OK(!b.over);
    end_turn(&b, "{\"stopReason\":\"end_turn\"}");
    OK(b.over);
    EQ(b.turn.stop, TURN_END);
    OK(told(&b, "\"status\":\"canceled\"")); /* the call that the agent did not end */
    bench_fini(&b);
    OK(true);
}

TEST(an_unknown_stop_reason_fails_the_turn)
{
    struct acp_bench b;

    bench_open(&b);
    bench_prompt(&b, &hello);
    end_turn(&b, "{\"stopReason\":5}");
    OK(b.over);
    EQ(b.turn.stop, TURN_FAILED);
    bench_fini(&b);
}

TEST(a_permission_is_answered_with_the_option_of_the_client)
{
    struct acp_bench b;

    bench_open(&b);
    bench_prompt(&b, &hello);
    bench_say(&b, STR("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"session/request_permission\","
                      "\"params\":{\"sessionId\":\"s1\",\"toolCall\":{\"toolCallId\":\"q\"},"
                      "\"options\":[{\"optionId\":\"n\",\"name\":\"No\",\"kind\":\"reject_once\"},"
                      "{\"optionId\":\"y\",\"name\":\"Yes\",\"kind\":\"allow_once\"}]}}"));
    OK(sent(&b,
            "\"id\":\"p\",\"result\":{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"y\""));
    bench_fini(&b);
}

TEST(a_cancel_answers_open_questions_and_kills_an_agent_that_goes_on)
{
    struct acp_bench b;

    bench_open(&b);
    bench_prompt(&b, &hello);
    op_cancel(&b.turn.op);
    bench_settle(&b);
    OK(sent(&b, "session/cancel"));
    OK(!b.over);
    loop_advance(b.loop, b.limits.acp_cancel_ms + 1);
    bench_settle(&b);
    OK(b.over);
    EQ(b.turn.stop, TURN_CANCELED);
    bench_fini(&b);
    OK(b.closed);
}

TEST(requests_for_other_sessions_and_unknown_methods_get_errors)
{
    static const struct {
        const char *line, *code;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs/read_text_file\",\"params\":{"
          "\"sessionId\":\"other\",\"path\":\"/r/a\"}}",
          "-32002" },
        { "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"fs/read_text_file\",\"params\":{"
          "\"sessionId\":\"s1\",\"path\":\"a\"}}",
          "-32602" },
        { "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"_x/y\",\"params\":{}}", "-32601" },
        { "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"terminal/output\",\"params\":{"
          "\"sessionId\":\"s1\",\"terminalId\":\"t\"}}",
          "-32002" },
    };
    struct acp_bench b;

    bench_open(&b);
    bench_prompt(&b, &hello);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        buf_clear(&b.sent);
        bench_say(&b, str_of(rows[i].line));
        OK(sent(&b, rows[i].code));
    }
    bench_fini(&b);
}

TEST_MAIN()
