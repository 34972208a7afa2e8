/*
 * job.h - work that blocks, on libuv's pool of threads.
 *
 * The only other threads are workers (worker.h). The work function may use only its own struct;
 * it must not touch the loop. Canceling a job that has not started drops it; a running job is
 * waited for (its result is discarded), so keep the work bounded.
 */
#ifndef LOOP_JOB_H
#define LOOP_JOB_H

#include "loop/op.h"

struct job;

/* On a pool thread. Returns success, or fills e. */
typedef bool job_work_fn(struct job *job, struct err *e);

struct job {
    struct op op; /* first */
    job_work_fn *work;
    struct err err; /* written by the pool thread, read by the loop after it */
    bool ok;
    void *uv[16]; /* uv_work_t, checked at compile time */
};

/* Embed a struct job first in your own struct and start it. */
void job_start(struct job *job, struct loop *loop, struct op *parent, job_work_fn *work,
               op_done_fn *done, void *ctx);

#endif
