/*
 * worker.h - one thread that processes queued work in order.
 *
 * For work that must stay in order and is cheaper in batches, such as commits. Work that is queued
 * in a turn of the loop is passed to the thread at the end of the turn. The thread takes all
 * waiting work as one batch, so the next batch grows while one is in progress. Finished items are
 * returned to the loop in order.
 */
#ifndef LOOP_WORKER_H
#define LOOP_WORKER_H

#include "loop/loop.h"

struct worker;

/* Embed it in an item of work. The item must stay valid until it is returned. */
struct work {
    struct work *next;
};

/* Runs on the thread: process the whole list, and do not change it. Must not use the loop. */
typedef void worker_run_fn(void *ctx, const struct work *batch);

/* Runs on the loop: this item is done. */
typedef void worker_done_fn(void *ctx, struct work *w);

/* Fails if the thread cannot be created. */
bool worker_open(struct loop *loop, worker_run_fn *run, worker_done_fn *done, void *ctx,
                 struct worker **out, struct err *e);

void worker_put(struct worker *w, struct work *work);

/* The number of items that were queued and not returned yet. */
size_t worker_load(const struct worker *w);

/* Block until all queued work is done, return it to the loop, and free the worker. */
void worker_close(struct worker *w);

#endif
