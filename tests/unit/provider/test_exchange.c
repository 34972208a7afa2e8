/* Requests to models over real HTTP, against model_peer.py: retries, failures, cancelling. */
#include "base/limits.h"
#include "provider/provider.h"
#include "tap.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the server ------------------------------------------------------------------------- */

static struct {
    pid_t pid;
    int in;
    unsigned port;
} peer;

static void peer_stop(void)
{
    close(peer.in);
    waitpid(peer.pid, NULL, 0);
}

static void peer_start(void)
{
    char python[] = "python3", script[] = MODEL_PEER;
    char *argv[] = { python, script, NULL };
    posix_spawn_file_actions_t fa;
    int to[2], from[2];
    FILE *f;

    if (peer.pid)
        return;
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        abort();
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, to[0], 0);
    posix_spawn_file_actions_adddup2(&fa, from[1], 1);
    if (posix_spawnp(&peer.pid, python, &fa, NULL, argv, environ))
        abort();
    posix_spawn_file_actions_destroy(&fa);
    close(to[0]);
    close(from[1]);
    peer.in = to[1];
    f = fdopen(from[0], "r");
    if (!f || fscanf(f, "%u", &peer.port) != 1)
        abort();
    fclose(f);
    atexit(peer_stop);
}

/* ---- the world of a test ---------------------------------------------------------------- */

static struct {
    struct loop *loop;
    struct limits limits;
    struct http_client *client;
    struct arena mem;
    struct provider_spec spec;
    struct provider p;
    struct model_request request;
    struct model_turn turn;
    struct buf said;
    int retries;
    int64_t wait_ms; /* of a retry that waits for the clock; -1: none */
    struct err why;
    bool done, client_closed;
    bool (*then)(void); /* after a delta; true stops the loop */
    struct err err;
} w;

static void on_text(struct model_turn *t, struct str delta)
{
    (void)t;
    buf_put(&w.said, delta);
    if (w.then && w.then())
        loop_stop(w.loop);
}

static void on_retry(struct model_turn *t, const struct err *why, int64_t in_ms)
{
    (void)t;
    w.retries++;
    w.why = *why;
    w.wait_ms = in_ms;
    loop_stop(w.loop);
}

static const struct model_events events = { on_text, NULL, NULL, on_retry };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)ctx;
    w.done = true;
    if (e)
        w.err = *e;
    loop_stop(w.loop);
}

static const struct block hello = { .kind = BLOCK_TEXT, .text = STR("hello") };
static const struct message hello_message = { ROLE_USER, &hello, 1 };

static void world_begin(void)
{
    peer_start();
    memset(&w, 0, sizeof(w));
    w.loop = loop_new(LOOP_FAKE_CLOCK);
    limits_preset(&w.limits);
    w.client = http_client_new(&(struct http_client_opts){
        .loop = w.loop, .limits = &w.limits, .user_agent = "trefoil/test" });
    w.spec =
        (struct provider_spec){ .name = "peer", .kind = "openai", .key = STR("key-of-the-test") };
    w.request = (struct model_request){
        .model = STR("m"), .message = &hello_message, .messages = 1, .temperature = -1
    };
    buf_init_in(&w.said, &w.mem, 64 << 20);
}

static void on_client_closed(void *ctx)
{
    (void)ctx;
    w.client_closed = true;
    loop_stop(w.loop);
}

static void world_end(void)
{
    http_client_close(w.client, on_client_closed, NULL);
    while (!w.client_closed)
        loop_run(w.loop);
    loop_free(w.loop);
    arena_fini(&w.mem);
}

static void start(const char *path)
{
    struct provider_world world = { w.loop, w.client, &w.limits };
    struct err e;

    w.spec.base_url = arena_printf(&w.mem, "http://127.0.0.1:%u%s", peer.port, path);
    OK(provider_open(&w.p, &w.mem, &world, &w.spec, &e));
    buf_clear(&w.said);
    w.retries = 0;
    w.wait_ms = -1;
    w.done = false;
    w.err = (struct err){ 0 };
    w.turn = (struct model_turn){ .mem = &w.mem, .request = &w.request, .events = &events };
    model_ask(&w.p, &w.turn, NULL, on_done, NULL);
}

/* Until it waits to try again; returns how long, the clock stands where it was. */
static int64_t until_waiting(void)
{
    int64_t ms;

    while (w.wait_ms < 0 && !w.done)
        loop_run(w.loop);
    ms = w.wait_ms;
    w.wait_ms = -1;
    return ms;
}

/* Until it is done; waits for a retry are skipped by moving the clock. */
static void finish(void)
{
    for (int i = 0; i < 10000 && !w.done; i++) {
        loop_run(w.loop);
        if (w.wait_ms >= 0) {
            int64_t ms = w.wait_ms;

            w.wait_ms = -1;
            loop_advance(w.loop, ms);
        }
    }
    OK(w.done);
}

static void ask(const char *path)
{
    start(path);
    finish();
}

#define EQ_ERR(want_code, part)                                                                    \
    do {                                                                                           \
        EQ(w.err.code, want_code);                                                                 \
        HAS_S(str_of(w.err.text), part);                                                           \
    } while (0)

static void expect_good(void)
{
    EQ(w.err.code, ERR_NONE);
    EQ_S(buf_str(&w.said), "good answer");
    EQ(w.turn.answer.blocks, 1);
    if (w.turn.answer.blocks)
        EQ_S(w.turn.answer.block[0].text, "good answer");
    EQ(w.turn.stop, STOP_END);
    EQ(w.turn.usage.input, 3);
    EQ_S(w.turn.model, "peer-model");
}

/* ---- answers -------------------------------------------------------------------------------- */

TEST(an_answer_is_streamed)
{
    world_begin();
    ask("/good");
    expect_good();
    ask("/tiny");
    expect_good();
    EQ(w.retries, 0);
    world_end();
}

TEST(a_request_carries_the_key_and_configured_headers)
{
    static const struct server_pair more[] = { { STR("X-Title"), STR("trefoil") },
                                               { STR("accept"), STR("*/*") } };

    world_begin();
    w.spec.header = more;
    w.spec.headers = 2;
    ask("/echo");
    EQ(w.err.code, ERR_NONE);
    HAS_S(buf_str(&w.said), "POST /echo/chat/completions HTTP/1.1");
    HAS_S(buf_str(&w.said), "\nAuthorization: Bearer key-of-the-test\r");
    HAS_S(buf_str(&w.said), "\nContent-Type: application/json\r");
    HAS_S(buf_str(&w.said), "\nX-Title: trefoil\r");
    HAS_S(buf_str(&w.said), "\naccept: */*");
    OK(str_find(buf_str(&w.said), STR("\nAccept:")) < 0);
    HAS_S(buf_str(&w.said), "\n{\"model\":\"m\",\"stream\":true,");
    w.spec.key = STR_NONE;
    ask("/echo");
    OK(str_find(buf_str(&w.said), STR("Authorization")) < 0);
    world_end();
}

TEST(a_server_that_does_not_hang_up_is_not_waited_for)
{
    world_begin();
    start("/linger");
    while (w.said.n < strlen("good answer"))
        loop_run_once(w.loop);
    for (int i = 0; i < 10000 && !w.done; i++) {
        loop_run_once(w.loop);
        loop_advance(w.loop, 1);
    }
    OK(w.done);
    expect_good();
    world_end();
}

/* ---- trying again --------------------------------------------------------------------------- */

TEST(what_may_pass_is_tried_again)
{
    static const char *const paths[] = { "/refuse/429/2/a", "/refuse/500/2/a", "/refuse/529/2/a",
                                         "/refuse/503/2/a", "/hang-up/2/a",    "/cut-early/2/a" };

    world_begin();
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        ask(paths[i]);
        expect_good();
        EQ(w.retries, 2);
    }
    world_end();
}

TEST(it_is_tried_a_limited_number_of_times)
{
    world_begin();
    w.limits.model_retries = 3;
    w.limits.model_retry_min_ms = 100;
    w.limits.model_retry_max_ms = 200;
    ask("/refuse/500/99/b");
    EQ_ERR(ERR_CLOSED, "peer answered 500 Internal Server Error: no, ***************");
    EQ(w.retries, 3);
    HAS_S(str_of(w.why.text), "500");
    w.limits.model_retries = 0;
    ask("/hang-up/99/b");
    EQ_ERR(ERR_CLOSED, "peer: ");
    EQ(w.retries, 0);
    world_end();
}

TEST(waits_grow_and_follow_the_provider)
{
    world_begin();
    w.limits.model_retry_min_ms = 100;
    w.limits.model_retry_max_ms = 300;
    start("/refuse/503/3/c");
    for (int i = 0; i < 3; i++) {
        static const int64_t most[] = { 100, 200, 300 };
        int64_t ms = until_waiting();

        OK(ms >= most[i] / 2 && ms <= most[i]);
        loop_advance(w.loop, ms);
    }
    finish();
    expect_good();

    start("/refuse/429/1/Retry-After=7/c");
    EQ(until_waiting(), 7000);
    loop_advance(w.loop, 7000);
    finish();
    expect_good();

    w.limits.model_retry_after_ms = 6000;
    ask("/refuse/429/1/Retry-After=7/d");
    EQ_ERR(ERR_DENIED, "retry after 7 s: peer answered 429");
    EQ(w.retries, 0);
    world_end();
}

static const struct {
    const char *path;
    enum err_code code;
    const char *text, *said;
} ends[] = {
    { "/cut", ERR_CLOSED, "peer: ", "half" },
    { "/malformed", ERR_INVALID, "peer: event message: byte", "half" },
    { "/late-error", ERR_CLOSED, "peer ended the answer early: tired", "half" },
    { "/json", ERR_INVALID, "answered with JSON", "" },
    { "/page", ERR_INVALID, "peer answered 400 Bad Request", "" },
    { "/refuse/401/9/e", ERR_DENIED, "check the key", "" },
    { "/refuse/404/9/e", ERR_NOT_FOUND, "check base_url", "" },
};

TEST(what_will_not_pass_or_came_too_late_ends_at_once)
{
    world_begin();
    w.limits.model_error_bytes = 4096;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        ask(ends[i].path);
        EQ_ERR(ends[i].code, ends[i].text);
        EQ(w.retries, 0);
        EQ_S(buf_str(&w.said), ends[i].said);
        EQ(w.turn.answer.blocks, ends[i].said[0] ? 1 : 0);
        OK(!strstr(w.err.text, "key-of-the-test"));
    }
    world_end();
}

TEST(a_conversation_that_is_too_long_is_an_answer)
{
    world_begin();
    ask("/too-long");
    EQ(w.err.code, ERR_NONE);
    EQ(w.turn.stop, STOP_CONTEXT);
    EQ(w.turn.answer.blocks, 0);
    world_end();
}

/* ---- limits, silence, cancelling ------------------------------------------------------------ */

TEST(a_flood_is_stopped)
{
    world_begin();
    w.limits.model_answer_bytes = 100000;
    ask("/flood");
    EQ_ERR(ERR_LIMIT, "model_answer_bytes");
    EQ(w.turn.answer.block[0].text.n, 100000);
    w.limits.model_request_bytes = 40;
    ask("/good");
    EQ_ERR(ERR_LIMIT, "model_request_bytes");
    world_end();
}

static bool stop_now(void)
{
    return true;
}

TEST(silence_has_an_end)
{
    world_begin();
    w.limits.model_ms = 1000;
    w.then = stop_now;
    start("/hang");
    loop_run(w.loop);
    EQ_S(buf_str(&w.said), "half");
    loop_advance(w.loop, 1001);
    finish();
    EQ(w.err.code, ERR_TIMEOUT);
    EQ(w.turn.answer.blocks, 1);
    world_end();
}

TEST(cancelling_ends_it_in_every_state)
{
    world_begin();
    start("/silent"); /* before anything was sent */
    op_cancel(&w.turn.op);
    finish();
    EQ(w.err.code, ERR_CANCELED);

    w.then = stop_now; /* in the middle of the answer */
    start("/hang");
    loop_run(w.loop);
    op_cancel(&w.turn.op);
    finish();
    EQ(w.err.code, ERR_CANCELED);
    EQ(w.turn.answer.blocks, 1);

    start("/refuse/500/9/f"); /* while it waits to try again */
    OK(until_waiting() > 0);
    op_cancel(&w.turn.op);
    finish();
    EQ(w.err.code, ERR_CANCELED);
    world_end();
}

TEST_MAIN()
