/*
 * worker.h - one thread that processes queued work in order.
 *
 * For work that must stay in order and is cheaper in batches, such as commits. What a turn of the
 * loop queues is handed over at the end of the turn. The thread takes everything that waits as one
 * batch, so batches grow while one is in progress. Finished items are returned to the loop in
 * order.
 */
#ifndef LOOP_WORKER_H
#define LOOP_WORKER_H

#include "loop/loop.h"

struct worker;

/* Embedded in a piece of work, which lives until it came back. */
struct work {
    struct work *next;
};

/* On the thread: do all of the list, and leave it as it is. Must not touch the loop. */
typedef void worker_run_fn(void *ctx, const struct work *batch);

/* On the loop: this piece came back. */
typedef void worker_done_fn(void *ctx, struct work *w);

/* Fails when there can be no further thread. */
bool worker_open(struct loop *loop, worker_run_fn *run, worker_done_fn *done, void *ctx,
                 struct worker **out, struct err *e);

void worker_put(struct worker *w, struct work *work);

/* Items that were queued and have not been returned. */
size_t worker_load(const struct worker *w);

/* Waits until all that was put is done and brings it back. The worker is gone after that. */
void worker_close(struct worker *w);

#endif
