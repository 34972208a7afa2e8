/*
 * job.h - run work that blocks on libuv's thread pool.
 *
 * The only other threads are the threads of worker.h and lookup.h. The work function may use only
 * its own struct; it must not touch the loop. A job that is cancelled before it starts does not
 * run. A running job cannot be stopped: its op ends when the work is done, and the result is
 * discarded. So keep jobs short.
 */
#ifndef LOOP_JOB_H
#define LOOP_JOB_H

#include "loop/op.h"

struct job;

/* Runs on a pool thread. Returns true, or fills *e and returns false. */
typedef bool job_work_fn(struct job *job, struct err *e);

struct job {
    struct op op; /* first */
    job_work_fn *work;
    struct err err; /* written by the pool thread, then read by the loop */
    bool ok;
    void *uv[16]; /* uv_work_t, checked at compile time */
};

/* Embed a struct job first in your own struct and start it. */
void job_start(struct job *job, struct loop *loop, struct op *parent, job_work_fn *work,
               op_done_fn *done, void *ctx);

#endif
