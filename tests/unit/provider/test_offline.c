/* The provider without a model: honest, and useful by commands. */
#include "base/limits.h"
#include "provider/provider.h"
#include "tap.h"

static struct {
    struct loop *loop;
    struct limits limits;
    struct arena mem;
    struct provider p;
    struct model_request request;
    struct model_tool tool[2];
    struct model_turn turn;
    struct block block;
    struct message message;
    int texts, thoughts, calls, done;
    struct err err;
} w;

static void on_text(struct model_turn *t, struct str delta)
{
    (void)t;
    (void)delta;
    w.texts++;
}

static void on_thought(struct model_turn *t, struct str delta)
{
    (void)t;
    (void)delta;
    w.thoughts++;
}

static void on_call(struct model_turn *t, struct str id, struct str name)
{
    (void)t;
    (void)name;
    w.calls += id.n > 0;
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)ctx;
    w.done++;
    if (e)
        w.err = *e;
}

static const struct model_events events = { on_text, on_thought, on_call, NULL };

static void world_begin(void)
{
    struct provider_world world;
    struct provider_spec spec = { .name = "offline", .kind = "offline" };
    struct err e;

    memset(&w, 0, sizeof(w));
    w.loop = loop_new(LOOP_FAKE_CLOCK);
    limits_preset(&w.limits);
    world = (struct provider_world){ w.loop, NULL, &w.limits };
    OK(provider_open(&w.p, &w.mem, &world, &spec, &e));
    w.tool[0] = (struct model_tool){ STR("file_read"), STR("Reads."), STR("{}") };
    w.tool[1] = (struct model_tool){ STR("grep"), STR("Searches."), STR("{}") };
    w.request = (struct model_request){ .tool = w.tool, .tools = 2, .temperature = -1 };
}

static void world_end(void)
{
    loop_free(w.loop);
    arena_fini(&w.mem);
}

static void ask_block(struct block b)
{
    w.block = b;
    w.message = (struct message){ ROLE_USER, &w.block, 1 };
    w.request.message = &w.message;
    w.request.messages = 1;
    w.texts = w.thoughts = w.calls = w.done = 0;
    w.err.code = ERR_NONE;
    w.turn = (struct model_turn){ .mem = &w.mem, .request = &w.request, .events = &events };
    model_ask(&w.p, &w.turn, NULL, on_done, NULL);
    EQ(w.texts + w.thoughts + w.calls + w.done, 0); /* only the loop tells */
    while (loop_run_once(w.loop))
        ;
}

static void ask(const char *text)
{
    ask_block((struct block){ .kind = BLOCK_TEXT, .text = str_of(text) });
}

static const struct block *only(void)
{
    static const struct block none;

    EQ(w.done, 1);
    EQ(w.turn.answer.blocks, 1);
    return w.turn.answer.blocks ? &w.turn.answer.block[0] : &none;
}

TEST(plain_text_is_not_answered_and_the_reason_says_what_to_do)
{
    world_begin();
    ask("fix the failing test");
    EQ(w.done, 1);
    EQ(w.turn.answer.blocks, 0);
    EQ(w.turn.stop, STOP_NO_MODEL);
    EQ(w.err.code, ERR_NOT_FOUND);
    HAS_S(str_of(w.err.text), "no model is configured");
    HAS_S(str_of(w.err.text), "ANTHROPIC_API_KEY");
    HAS_S(str_of(w.err.text), "OLLAMA_HOST");
    HAS_S(str_of(w.err.text), "/help lists what works without a model");
    ask("/frobnicate_and_more_than_that_x now");
    EQ(w.turn.stop, STOP_NO_MODEL);
    HAS_S(str_of(w.err.text), "/frobnicate_and_more_than_that_x is not a command, and no model");
    HAS_S(str_of(w.err.text), "/help lists what works without a model");
    world_end();
}

TEST(help_and_tools_are_lists)
{
    static const char *const all[] = { "/help", "/tools", "/call", "/read",  "/grep",     "/agents",
                                       "/echo", "/sleep", "/ask",  "/think", "/artifact", "/fail" };

    world_begin();
    ask(" /help\n");
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        HAS_S(only()->text, all[i]);
    ask("/tools");
    EQ_S(only()->text, "file_read: Reads.\ngrep: Searches.");
    w.request.tools = 0;
    ask("/tools");
    HAS_S(only()->text, "No tools");
    ask("/agents");
    HAS_S(only()->text, "list_agents");
    world_end();
}

static const struct {
    const char *line, *tool, *args;
} calls[] = {
    { "/call file_read {\"path\":\"README.md\"}", "file_read", "{\"path\":\"README.md\"}" },
    { "/call anything", "anything", "{}" },
    { "/read a \"b\".txt", "file_read", "{\"path\":\"a \\\"b\\\".txt\"}" },
    { "/grep word", "grep", "{\"pattern\":\"word\"}" },
    { "/grep word src/x", "grep", "{\"pattern\":\"word\",\"path\":\"src/x\"}" },
};

TEST(commands_become_calls_and_results_are_said)
{
    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        ask(calls[i].line);
        EQ(only()->kind, BLOCK_CALL);
        EQ_S(only()->name, calls[i].tool);
        EQ_S(only()->args, calls[i].args);
        EQ(w.turn.stop, STOP_TOOLS);
        EQ(w.calls, 1);
    }
    ask_block((struct block){ .kind = BLOCK_RESULT, .id = STR("x"), .text = STR("/help") });
    EQ_S(only()->text, "/help");
    EQ(w.turn.stop, STOP_END);
    ask_block((struct block){ .kind = BLOCK_RESULT, .text = STR("gone"), .is_error = true });
    EQ_S(only()->text, "Failed: gone");
    world_end();
}

TEST(tools_that_are_offered_are_called)
{
    world_begin();
    w.tool[0].name = STR("ask_user");
    w.tool[1].name = STR("artifact_write");
    ask("/ask really?");
    EQ_S(only()->args, "{\"question\":\"really?\"}");
    ask("/artifact notes.txt a b");
    EQ_S(only()->args, "{\"name\":\"notes.txt\",\"text\":\"a b\"}");
    w.tool[0].name = STR("list_agents");
    ask("/agents");
    EQ_S(only()->name, "list_agents");
    w.request.tools = 0;
    ask("/ask really?");
    EQ_S(only()->text, "really?");
    ask("/artifact notes.txt a b");
    EQ_S(only()->text, "Artifact notes.txt:\na b");
    world_end();
}

TEST(it_says_what_is_missing)
{
    static const char *const lines[][2] = {
        { "/call", "/call NAME" },
        { "/call x {\"a\"", "The arguments are not JSON: byte" },
        { "/call x [1]", "must be a JSON" },
        { "/read", "/read PATH" },
        { "/grep", "/grep PATTERN" },
        { "/sleep", "/sleep SECONDS" },
        { "/sleep -1", "/sleep SECONDS" },
        { "/sleep 3601", "at most 3600 seconds" },
        { "/artifact", "/artifact NAME" },
        { "/ask", "/ask QUESTION" },
    };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        ask(lines[i][0]);
        HAS_S(only()->text, lines[i][1]);
    }
    world_end();
}

TEST(it_plays_a_part)
{
    world_begin();
    ask("/echo one two  three");
    EQ_S(only()->text, "one two  three");
    EQ(w.texts, 4);
    ask("/think deeply");
    EQ(w.thoughts, 1);
    EQ_S(w.turn.answer.block[0].text, "deeply");
    EQ(w.turn.answer.blocks, 2);
    ask("/fail on purpose");
    EQ(w.done, 1);
    EQ(w.err.code, ERR_INVALID);
    EQ_STR(w.err.text, "on purpose");
    world_end();
}

TEST(sleep_takes_its_time_and_can_be_canceled)
{
    world_begin();
    ask("/sleep 2");
    loop_advance(w.loop, 1999);
    EQ(w.done, 0);
    loop_advance(w.loop, 1);
    HAS_S(only()->text, "Slept 2000 ms");
    ask("/sleep 500ms");
    op_cancel(&w.turn.op);
    while (loop_run_once(w.loop))
        ;
    EQ(w.done, 1);
    EQ(w.err.code, ERR_CANCELED);
    w.limits.offline_sleep_ms = 1000;
    ask("/sleep 2");
    HAS_S(only()->text, "at most 1 seconds");
    world_end();
}

TEST_MAIN()
