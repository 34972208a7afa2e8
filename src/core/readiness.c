#include "core/readiness.h"

#include "base/container.h"
#include "base/list.h"

/* Remove a wait from the list, for whatever reason it ends. */
static void leave(struct readiness_wait *w)
{
    LIST_UNLINK(w->readiness->waits, w, next);
    timer_clear(w->op.loop, &w->timer);
}

static void cancel_wait(struct op *op)
{
    leave(CONTAINER_OF(op, struct readiness_wait, op));
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind wait_kind = { .name = "gathering", .cancel = cancel_wait };

static void on_late(struct timer *t)
{
    struct readiness_wait *w = CONTAINER_OF(t, struct readiness_wait, timer);

    leave(w);
    op_ok(&w->op);
}

void readiness_wait(struct readiness *g, struct readiness_wait *w, struct loop *loop,
                    const struct limits *limits, struct op *parent, op_done_fn *done, void *ctx)
{
    *w = (struct readiness_wait){ .readiness = g, .next = g->waits };
    g->waits = w;
    op_begin(&w->op, &wait_kind, loop, parent, done, ctx);
    if (!w->op.canceled)
        timer_set(loop, &w->timer, limits->gather_ms, on_late);
    if (g->wanted)
        g->wanted(g);
}

void readiness_end(struct readiness *g)
{
    g->open = false;
    while (g->waits) {
        struct readiness_wait *w = g->waits;

        leave(w);
        op_ok(&w->op);
    }
}
