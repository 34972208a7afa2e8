#include "base/container.h"
#include "core/tool/tool.h"
#include "tap.h"

/* ---- tools that do as they are told ------------------------------------------------------- */

static const struct op_kind plain = { .name = "plain" };
static struct op work; /* what the waiting tool waits for */

static void start_hello(struct call *call)
{
    call_text(call, STR("hello \"you\""));
    call_text(call, STR("and you"));
    call_done(call);
}

static void on_work(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    if (e)
        call_broke(ctx, e);
    else
        call_done(ctx);
}

static void start_waiting(struct call *call)
{
    op_begin(&work, &plain, call->op.loop, &call->op, on_work, call);
}

static void start_nothing(struct call *call)
{
    (void)call;
}

static void start_failing(struct call *call)
{
    call_text(call, STR("half a result"));
    call_failed(call, "no such %s", "thing");
}

static void start_long(struct call *call)
{
    call_text(call, STR("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"));
    call_done(call);
}

static const struct tool hello = { .name = "hello", .start = start_hello };
static const struct tool waiting = { .name = "waiting", .start = start_waiting };
static const struct tool nothing = { .name = "nothing", .start = start_nothing };
static const struct tool failing = { .name = "failing", .start = start_failing };
static const struct tool lengthy = { .name = "lengthy", .start = start_long };
static const struct tool *const all[] = { &hello, &waiting, &nothing, &failing, &lengthy };

static const struct tool *tool_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (str_eq(str_of(name), str_of(all[i]->name)))
            return all[i];
    return NULL;
}

struct bench {
    struct loop *loop;
    struct limits limits;
    struct host host;
    struct caller caller;
    struct arena mem;
    struct call call;
    int calls;
    struct err err;
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    b->calls++;
    b->err = e ? *e : (struct err){ 0 };
}

static void turn(struct bench *b)
{
    while (loop_run_once(b->loop))
        ;
}

static void run(struct bench *b, const char *name)
{
    *b = (struct bench){ .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&b->limits);
    b->limits.tool_result_chars = 5;
    b->host = (struct host){ .loop = b->loop, .limits = &b->limits, .root_fd = -1, .root = "/" };
    b->caller = (struct caller){
        .kind = &caller_nobody, .name = "test", .origin = ORIGIN_STDIO, .principal = STR("user:1")
    };
    tool_run(tool_named(name), &b->call, &b->host, &b->caller, &b->mem, (struct json){ 0 }, NULL,
             on_done, b);
    turn(b);
}

static void end(struct bench *b)
{
    arena_fini(&b->mem);
    loop_free(b->loop);
}

/* ---- calls --------------------------------------------------------------------------------- */

TEST(the_text_of_all_blocks_has_one_limit)
{
    struct bench b;

    run(&b, "hello");
    EQ(b.calls, 1);
    EQ(b.err.code, ERR_NONE);
    OK(!b.call.is_error);
    EQ_S(buf_str(&b.call.content),
         "{\"type\":\"text\",\"text\":\"hello\\n[truncated: 6 more characters]\"}");
    end(&b);
}

TEST(characters_are_counted_not_bytes)
{
    struct bench b;

    run(&b, "lengthy");
    EQ_S(buf_str(&b.call.content),
         "{\"type\":\"text\",\"text\":\"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\\n[truncated: 1 more characters]\"}");
    end(&b);
}

TEST(a_failure_for_the_model_is_a_result)
{
    struct bench b;

    run(&b, "failing");
    EQ(b.calls, 1);
    EQ(b.err.code, ERR_NONE);
    OK(b.call.is_error);
    EQ_S(buf_str(&b.call.content),
         "{\"type\":\"text\",\"text\":\"no su\\n[truncated: 8 more characters]\"}");
    end(&b);
}

TEST(a_tool_settles_later)
{
    struct bench b;

    run(&b, "waiting");
    EQ(b.calls, 0);
    op_ok(&work);
    turn(&b);
    EQ(b.calls, 1);
    EQ(b.err.code, ERR_NONE);
    end(&b);
}

TEST(what_breaks_inside_fails_the_call)
{
    struct bench b;

    run(&b, "waiting");
    op_fail(&work, &(struct err){ ERR_SYSTEM, "the disk is on fire" });
    turn(&b);
    EQ(b.err.code, ERR_SYSTEM);
    EQ_STR(b.err.text, "the disk is on fire");
    end(&b);
}

TEST(a_tool_that_takes_too_long_is_stopped)
{
    struct bench b;

    run(&b, "waiting");
    loop_advance(b.loop, b.limits.tool_ms - 1);
    EQ(b.calls, 0);
    loop_advance(b.loop, 1);
    turn(&b);
    OK(work.canceled);
    EQ(b.calls, 1);
    EQ(b.err.code, ERR_TIMEOUT);
    EQ_STR(b.err.text, "waiting took longer than 60000 ms (limits.tool_ms)");
    end(&b);
}

TEST(so_is_one_that_started_nothing)
{
    struct bench b;

    run(&b, "nothing");
    loop_advance(b.loop, b.limits.tool_ms);
    turn(&b);
    EQ(b.err.code, ERR_TIMEOUT);
    end(&b);
}

TEST(a_cancelled_call_stops_its_work)
{
    struct bench b;

    run(&b, "waiting");
    op_cancel(&b.call.op);
    turn(&b);
    OK(work.canceled);
    EQ(b.err.code, ERR_CANCELED);
    loop_advance(b.loop, b.limits.tool_ms * 2); /* its deadline went with it */
    EQ(b.calls, 1);
    end(&b);
}

TEST_MAIN()
