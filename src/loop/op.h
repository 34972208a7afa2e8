/*
 * op.h - one asynchronous operation.
 *
 * Everything that does not finish at once is an op: a tool call, a model request, a prompt
 * turn, a query. Ops form a tree and follow four rules.
 *
 *   1. An op settles exactly once, by op_ok() or op_fail().
 *   2. Its done callback runs from the loop, never from inside the call that started or
 *      settled it. Callers need no reentrancy care.
 *   3. No op outlives its parent: the parent's callback waits for the last child, so a child
 *      may borrow anything the parent owns.
 *   4. Canceling is a request and goes down the tree, also to a child that is begun later under a
 *      canceled parent. Every op still settles.
 *
 * Embed a struct op first in your own struct; the kind names it in logs.
 */
#ifndef LOOP_OP_H
#define LOOP_OP_H

#include "base/err.h"
#include "loop/loop.h"

struct op;

typedef void op_done_fn(struct op *op, const struct err *e, void *ctx);

struct op_kind {
    const char *name;
    void (*cancel)(struct op *op);  /* stop early and settle, now or later; NULL: settle at once */
    void (*release)(struct op *op); /* after done has run; NULL: the caller owns the memory */
};

struct op {
    const struct op_kind *kind;
    struct loop *loop;
    struct op *parent;
    struct op *child;         /* youngest live child */
    struct op *older, *newer; /* siblings */
    struct post post;         /* delivery, or a cancel from before the op began */
    op_done_fn *done;
    void *ctx;
    struct err err;
    bool settled, canceled;
};

/* Begin an op. e in `done` is NULL on success and valid for that call only. */
void op_begin(struct op *op, const struct op_kind *kind, struct loop *loop, struct op *parent,
              op_done_fn *done, void *ctx);

void op_ok(struct op *op);
void op_fail(struct op *op, const struct err *e);

/* Ask op and all below it to stop. Asking twice, or for what has settled, does nothing. */
void op_cancel(struct op *op);

#endif
