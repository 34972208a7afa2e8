#include "loop/op.h"

#include "base/container.h"

#include <assert.h>

static void deliver(struct post *p);

static struct op *op_of(struct post *p)
{
    return CONTAINER_OF(p, struct op, post);
}

static void post_if_complete(struct op *op)
{
    if (!op->settled || op->child)
        return;
    op->post.fn = deliver;
    loop_post(op->loop, &op->post);
}

static void join_parent(struct op *op)
{
    op->older = op->parent->child;
    if (op->older)
        op->older->newer = op;
    op->parent->child = op;
}

static void leave_parent(struct op *op)
{
    if (op->older)
        op->older->newer = op->newer;
    if (op->newer)
        op->newer->older = op->older;
    else
        op->parent->child = op->older;
}

/* The parent was cancelled before: tell the child once its owner has set it up. */
static void cancel_late(struct post *p)
{
    op_cancel(op_of(p));
}

void op_begin(struct op *op, const struct op_kind *kind, struct loop *loop, struct op *parent,
              op_done_fn *done, void *ctx)
{
    op->kind = kind;
    op->loop = loop;
    op->parent = parent;
    op->child = op->older = op->newer = NULL;
    op->post = (struct post){ .fn = cancel_late };
    op->done = done;
    op->ctx = ctx;
    op->err.code = ERR_NONE;
    op->settled = op->canceled = false;
    if (!parent)
        return;
    join_parent(op);
    if (parent->canceled)
        loop_post(loop, &op->post);
}

static void settle(struct op *op)
{
    assert(!op->settled);
    op->settled = true;
    post_if_complete(op);
}

void op_ok(struct op *op)
{
    op->err.code = ERR_NONE;
    settle(op);
}

void op_fail(struct op *op, const struct err *e)
{
    assert(e->code != ERR_NONE);
    op->err = *e;
    settle(op);
}

void op_cancel(struct op *op)
{
    if (op->canceled)
        return;
    op->canceled = true;
    for (struct op *c = op->child; c; c = c->older)
        op_cancel(c);
    if (op->settled)
        return;
    if (op->kind->cancel)
        op->kind->cancel(op);
    else
        op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

/* done may free *op or begin it again, so nothing of it is read afterwards. */
static void deliver(struct post *p)
{
    struct op *op = op_of(p);
    const struct op_kind *kind = op->kind;
    struct op *parent = op->parent;
    struct err err;

    if (op->child) /* begun since; its delivery will post us again */
        return;
    if (parent)
        leave_parent(op);
    err.code = op->err.code;
    if (err.code != ERR_NONE)
        err = op->err;
    op->done(op, err.code == ERR_NONE ? NULL : &err, op->ctx);
    if (kind->release)
        kind->release(op);
    if (parent)
        post_if_complete(parent);
}
