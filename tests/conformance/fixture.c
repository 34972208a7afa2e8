/* fixture.c - answers that never change, pauses, and blocks written as a stream. */
#include "fixture.h"

#include "base/container.h"

void fixture_fixed(struct call *call)
{
    for (const char *const *block = call->ctx; *block; block++)
        call_block(call, str_of(*block));
    call_done(call);
}

struct str fixture_arg(struct call *call, struct str name)
{
    return json_str(call->mem, json_get(call->args, name));
}

/* ---- pauses ------------------------------------------------------------------------------- */

/* An op of its own, so that a call that is cancelled waits for it and its timer never fires late. */
struct pause {
    struct op op; /* first */
    struct timer timer;
    struct call *call;
    call_start_fn *then;
};

static void cancel_pause(struct op *op)
{
    struct pause *p = CONTAINER_OF(op, struct pause, op);

    timer_clear(op->loop, &p->timer);
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind pause_kind = { .name = "pause", .cancel = cancel_pause };

static void on_time(struct timer *t)
{
    op_ok(&CONTAINER_OF(t, struct pause, timer)->op);
}

static void on_pause_done(struct op *op, const struct err *e, void *ctx)
{
    struct pause *p = ctx;

    (void)op;
    if (e)
        call_done(p->call); /* the call knows that it was cancelled */
    else
        p->then(p->call);
}

void fixture_pause(struct call *call, int64_t ms, call_start_fn *then)
{
    struct pause *p = ARENA_NEW(call->mem, struct pause);

    p->call = call;
    p->then = then;
    op_begin(&p->op, &pause_kind, call->host->loop, &call->op, on_pause_done, p);
    if (!p->op.settled)
        timer_set(call->host->loop, &p->timer, ms, on_time);
}

/* ---- blocks ------------------------------------------------------------------------------- */

void fixture_block_begin(struct fixture_block *b, struct call *call)
{
    b->call = call;
    buf_init_in(&b->text, call->mem, (size_t)call->host->limits->message_bytes);
    b->w = jw_to(&b->text);
}

void fixture_block_end(struct fixture_block *b)
{
    call_block(b->call, buf_str(&b->text));
}
