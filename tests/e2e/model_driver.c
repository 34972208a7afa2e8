/*
 * model_driver.c - a turn with a model, for the tests: asks, answers every call with its own
 * arguments, and asks again until the model has said what it had to say.
 *
 * usage: model_driver KIND chat|responses BASE_URL PROMPT
 *
 * Prints JSON lines: {"text":...}, {"thought":...}, {"call":NAME,"args":...}, {"retry":...} as they
 * come, and at last {"stop":N,"input":N,"output":N,"said":...} or {"error":...,"code":...,"said":...}.
 */
#include "base/limits.h"
#include "provider/provider.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 8, LINE_MAX_BYTES = 16 << 20 };

static struct {
    struct loop *loop;
    struct limits limits;
    struct arena mem;
    struct http_client *client;
    struct provider p;
    struct message message[2 * ROUNDS + 1];
    struct model_request request;
    struct model_turn turn;
    struct buf said;
    int rounds;
} w;

static const struct model_tool echo_tool = {
    STR("echo"), STR("Says it again."),
    STR("{\"type\":\"object\",\"properties\":{\"message\":{"
        "\"type\":\"string\"}}}")
};

/* ---- telling -------------------------------------------------------------------------------- */

static struct buf line;

static struct jw begin_line(void)
{
    struct jw jw = jw_to(&line);

    buf_clear(&line);
    jw_object(&jw);
    return jw;
}

static void end_line(struct jw *jw)
{
    jw_object_end(jw);
    printf(STR_FMT "\n", STR_ARG(buf_str(&line)));
    fflush(stdout);
}

static void tell(const char *key, struct str value)
{
    struct jw jw = begin_line();

    jw_kstr(&jw, key, value);
    end_line(&jw);
}

static void on_text(struct model_turn *t, struct str delta)
{
    (void)t;
    buf_put(&w.said, delta);
    tell("text", delta);
}

static void on_thought(struct model_turn *t, struct str delta)
{
    (void)t;
    tell("thought", delta);
}

static void on_retry(struct model_turn *t, const struct err *why, int64_t in_ms)
{
    (void)t;
    (void)in_ms;
    tell("retry", str_of(why->text));
}

static const struct model_events events = { on_text, on_thought, NULL, on_retry };

static void tell_end(const struct err *e)
{
    struct jw jw = begin_line();

    if (e) {
        jw_kstr(&jw, "error", str_of(e->text));
        jw_kstr(&jw, "code", str_of(err_code_name(e->code)));
    } else {
        jw_kint(&jw, "stop", w.turn.stop);
        jw_kint(&jw, "input", w.turn.usage.input);
        jw_kint(&jw, "output", w.turn.usage.output);
    }
    jw_kstr(&jw, "said", w.said.p ? buf_str(&w.said) : STR(""));
    end_line(&jw);
}

/* ---- asking --------------------------------------------------------------------------------- */

static void on_closed(void *ctx)
{
    (void)ctx;
    loop_stop(w.loop);
}

static void ask(void);

/* A result for each call: its own arguments. */
static struct message answer_calls(void)
{
    struct block *result = ARENA_ARRAY(&w.mem, struct block, w.turn.answer.blocks);
    size_t n = 0;

    for (size_t i = 0; i < w.turn.answer.blocks; i++) {
        const struct block *b = &w.turn.answer.block[i];
        struct jw jw;

        if (b->kind != BLOCK_CALL)
            continue;
        jw = begin_line();
        jw_kstr(&jw, "call", b->name);
        jw_kraw(&jw, "args", b->args);
        end_line(&jw);
        result[n++] = (struct block){
            .kind = BLOCK_RESULT, .id = b->id, .text = b->args, .is_error = b->args.p[0] != '{'
        };
    }
    return (struct message){ ROLE_USER, result, n };
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)ctx;
    if (e || w.turn.stop != STOP_TOOLS || ++w.rounds == ROUNDS) {
        tell_end(e);
        http_client_close(w.client, on_closed, NULL);
        return;
    }
    w.message[w.request.messages++] = w.turn.answer;
    w.message[w.request.messages++] = answer_calls();
    ask();
}

static void ask(void)
{
    w.turn = (struct model_turn){ .mem = &w.mem, .request = &w.request, .events = &events };
    model_ask(&w.p, &w.turn, NULL, on_done, NULL);
}

static void set_up(char **argv)
{
    const struct provider_spec spec = { .name = argv[1],
                                        .kind = argv[1],
                                        .api = strcmp(argv[2], "chat") ? API_RESPONSES : API_CHAT,
                                        .base_url = str_of(argv[3]),
                                        .key = STR("key-of-the-test") };
    struct provider_world world;
    struct err e;

    w.loop = loop_new(LOOP_REAL_CLOCK);
    limits_preset(&w.limits);
    w.limits.model_retries = 2;
    w.limits.model_retry_min_ms = w.limits.model_retry_max_ms = 10;
    w.client = http_client_new(&(struct http_client_opts){
        .loop = w.loop, .limits = &w.limits, .user_agent = "trefoil/test" });
    world = (struct provider_world){ w.loop, w.client, &w.limits };
    if (!provider_open(&w.p, &w.mem, &world, &spec, &e)) {
        fprintf(stderr, "%s\n", e.text);
        exit(2);
    }
    buf_init(&line, LINE_MAX_BYTES);
    buf_init(&w.said, LINE_MAX_BYTES);
}

int main(int argc, char **argv)
{
    struct block prompt = { .kind = BLOCK_TEXT };

    if (argc != 5)
        return 2;
    set_up(argv);
    prompt.text = str_of(argv[4]);
    w.message[0] = (struct message){ ROLE_USER, &prompt, 1 };
    w.request = (struct model_request){ .model = STR("test-model"),
                                        .message = w.message,
                                        .messages = 1,
                                        .tool = &echo_tool,
                                        .tools = 1,
                                        .effort = EFFORT_DEFAULT,
                                        .temperature = -1 };
    ask();
    loop_run(w.loop);
    loop_free(w.loop);
    buf_fini(&line);
    buf_fini(&w.said);
    arena_fini(&w.mem);
    return 0;
}
