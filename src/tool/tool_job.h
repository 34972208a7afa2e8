/*
 * tool_job.h - a tool call that blocks: started on the loop, run on a pool thread, answered on the
 * loop.
 *
 * Make struct tool_job the first member of your own struct. On the pool thread, use only the fields
 * of your struct, w->mem and w->host. A job that takes long must check tool_job_stopped()
 * regularly, because a cancelled call cannot end before the job returns.
 */
#ifndef TOOL_TOOL_JOB_H
#define TOOL_TOOL_JOB_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "loop/job.h"
#include "tool/args.h"

#include <stdatomic.h>

struct tool_job;

/* Runs on the pool thread. The model sees the error and may correct its call. */
typedef bool tool_job_fn(struct tool_job *w, struct err *e);

/* On the loop, after success: settles the call. */
typedef void tool_job_told_fn(struct tool_job *w);

struct tool_job {
    struct op op; /* first */
    struct job job;
    struct call *call;
    const struct host *host;
    struct arena mem;  /* of the pool thread; lives as long as the call */
    struct str answer; /* one block of text; see tool_job_start */
    atomic_bool stop;
    tool_job_fn *run;
    tool_job_told_fn *told;
};

/* Zeroed, in the memory of the call. */
#define TOOL_JOB_NEW(call, type) ((type *)tool_job_new(call, sizeof(type)))
void *tool_job_new(struct call *call, size_t size);

/* Run the job. If told is NULL, w->answer is the result of the call. */
void tool_job_start(struct tool_job *w, tool_job_fn *run, tool_job_told_fn *told);

/* Use it as `told` in tool->preview: w->answer describes what the call would change. */
void tool_job_previewed(struct tool_job *w);

/* Settle a call whose op has failed: the model sees the reason, unless the call was cancelled. */
void tool_failed(struct call *call, const struct err *e);

static inline bool tool_job_stopped(const struct tool_job *w)
{
    return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* ---- what they need for their answers ------------------------------------------------------- */

/* "n bytes", "1 byte". */
#define COUNT_FMT "%lld %s%s"
#define COUNT_ARG(n, what) (long long)(n), what, (n) == 1 ? "" : "s"

#endif
