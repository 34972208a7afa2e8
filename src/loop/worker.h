/*
 * worker.h - one thread that processes queued work in order.
 *
 * For work that must stay in order and is cheaper in batches, such as commits. Work that a turn
 * of the loop queues is passed to the thread at the end of the turn. The thread takes all
 * waiting work as one batch, so batches grow while one is in progress. Finished items are
 * returned to the loop in order.
 */
#ifndef LOOP_WORKER_H
#define LOOP_WORKER_H

#include "loop/loop.h"

struct worker;

/* Embedded in a piece of work, which must stay valid until it is returned. */
struct work {
    struct work *next;
};

/* On the thread: process the whole list, and leave it unchanged. Must not touch the loop. */
typedef void worker_run_fn(void *ctx, const struct work *batch);

/* On the loop: this piece is done. */
typedef void worker_done_fn(void *ctx, struct work *w);

/* Fails when there can be no further thread. */
bool worker_open(struct loop *loop, worker_run_fn *run, worker_done_fn *done, void *ctx,
                 struct worker **out, struct err *e);

void worker_put(struct worker *w, struct work *work);

/* Items that were queued and have not been returned. */
size_t worker_load(const struct worker *w);

/* Waits until all queued work is done and returns it to the loop. Then the worker is freed. */
void worker_close(struct worker *w);

#endif
