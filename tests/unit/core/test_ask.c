/* test_ask.c - a call that asks its caller. */
#include "base/container.h"
#include "core/tool/tool.h"
#include "tap.h"

/* ---- a caller that keeps what it is asked -------------------------------------------------- */

struct agent_registry {
    struct caller caller;
    struct loop *loop;
    struct limits limits;
    struct host host;
    struct arena mem;
    struct call call;
    struct ask *asked; /* the youngest */
    bool able;
    int done;
    struct err err;
};

static bool can(const struct caller *c, enum ask_kind kind)
{
    return CONTAINER_OF(c, struct agent_registry, caller)->able && kind == ASK_FORM;
}

static void ask(struct caller *c, struct ask *a)
{
    CONTAINER_OF(c, struct agent_registry, caller)->asked = a;
}

static const struct caller_kind registry_kind = { .can = can, .ask = ask };

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct agent_registry *d = ctx;

    (void)op;
    d->done++;
    d->err = e ? *e : (struct err){ 0 };
}

/* ---- a tool that asks for two things -------------------------------------------------------- */

struct asking {
    struct ask first, second;
    int open;
};

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct call *call = ctx;
    struct asking *a = call->data;

    if (e && !call->op.settled && !a->first.op.canceled) {
        call_failed(call, "%s", e->text);
        return;
    }
    (void)op;
    if (--a->open == 0)
        call_done(call);
}

static void start(struct call *call)
{
    struct asking *a = ARENA_NEW(call->mem, struct asking);

    call->data = a;
    a->open = 2;
    call_ask(call, &a->first, ASK_FORM, STR("one"), STR("{}"), on_answer, call);
    call_ask(call, &a->second, ASK_FORM, STR("two"), STR("{}"), on_answer, call);
}

static const struct tool asker = { .name = "asker", .start = start };

static void turn(struct agent_registry *d)
{
    while (loop_run_once(d->loop))
        ;
}

static void begin(struct agent_registry *d, bool able)
{
    *d = (struct agent_registry){
        .caller = { .kind = &registry_kind, .name = "test" },
        .loop = loop_new(LOOP_FAKE_CLOCK),
        .able = able,
    };
    limits_preset(&d->limits);
    d->host = (struct host){ .loop = d->loop, .limits = &d->limits, .root_fd = -1, .root = "/" };
    tool_run(&asker, &d->call, &d->host, &d->caller, &d->mem, (struct json){ 0 }, NULL, on_done, d);
    turn(d);
}

static void end(struct agent_registry *d)
{
    arena_fini(&d->mem);
    loop_free(d->loop);
}

static struct json object(struct agent_registry *d)
{
    struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    struct json v = { 0 };
    struct err e;

    json_read(&d->mem, STR("{\"action\":\"accept\"}"), &opts, &v, &e);
    return v;
}

TEST(answers_let_the_call_go_on)
{
    struct agent_registry d;

    begin(&d, true);
    OK(d.call.asks && d.call.asks->next); /* both are open */
    EQ_S(d.call.asks->key, "one");
    ask_answer(d.call.asks, object(&d));
    turn(&d);
    EQ(d.done, 0);
    EQ_S(d.call.asks->key, "two");
    ask_answer(d.asked, object(&d));
    ask_answer(d.asked, object(&d)); /* twice does no harm */
    turn(&d);
    EQ(d.done, 1);
    EQ(d.err.code, ERR_NONE);
    OK(!d.call.asks);
    end(&d);
}

TEST(the_deadline_stands_still_while_somebody_thinks)
{
    struct agent_registry d;

    begin(&d, true);
    loop_advance(d.loop, 10 * d.limits.tool_ms);
    turn(&d);
    EQ(d.done, 0);
    ask_answer(d.call.asks->next, object(&d));
    turn(&d);
    loop_advance(d.loop, 10 * d.limits.tool_ms);
    turn(&d);
    EQ(d.done, 0);
    ask_answer(d.call.asks, object(&d));
    turn(&d);
    EQ(d.done, 1);
    EQ(d.err.code, ERR_NONE);
    end(&d);
}

TEST(who_cannot_be_asked_is_not)
{
    struct agent_registry d;

    begin(&d, false);
    EQ(d.done, 1);
    OK(!d.asked);
    OK(d.call.is_error);
    OK(str_find(buf_str(&d.call.content), STR("which this client does not support")) >= 0);
    end(&d);
}

TEST(cancel_takes_the_questions_back)
{
    struct agent_registry d;

    begin(&d, true);
    op_cancel(&d.call.op);
    turn(&d);
    EQ(d.done, 1);
    EQ(d.err.code, ERR_CANCELED);
    OK(!d.call.asks);
    end(&d);
}

TEST_MAIN()
