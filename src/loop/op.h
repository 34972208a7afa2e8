/*
 * op.h - one asynchronous operation.
 *
 * Everything that does not finish at once is an op: a tool call, a model request, a prompt turn, a
 * query. To settle an op is to decide its result: success or an error. Ops form a tree and follow
 * four rules.
 *
 *   1. An op is settled exactly once, by op_ok() or op_fail().
 *   2. Its done callback runs from the loop, never from inside the call that started or settled the
 *      op. So callers need not handle reentrancy.
 *   3. No op outlives its parent: the done callback of the parent waits until the last child is
 *      done. So a child may borrow anything that the parent owns.
 *   4. Cancelling an op asks it and all ops below it to stop, also those that begin later. Every op
 *      must still be settled.
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
    void (*cancel)(struct op *op);  /* settle early, now or later; NULL: the op fails at once */
    void (*release)(struct op *op); /* called after done; NULL: the caller owns the memory */
};

struct op {
    const struct op_kind *kind;
    struct loop *loop;
    struct op *parent;
    struct op *child;         /* the newest child that is not done */
    struct op *older, *newer; /* siblings */
    struct post post;         /* calls done; or cancels an op that began below a cancelled op */
    op_done_fn *done;
    void *ctx;
    struct err err;
    bool settled, canceled;
};

/* Begin an op. `done` gets e == NULL if the op succeeded, else an error that is valid only during
 * the callback. */
void op_begin(struct op *op, const struct op_kind *kind, struct loop *loop, struct op *parent,
              op_done_fn *done, void *ctx);

void op_ok(struct op *op);
void op_fail(struct op *op, const struct err *e);

/* Ask op and all ops below it to stop. A second call does nothing; settled ops are not affected. */
void op_cancel(struct op *op);

#endif
