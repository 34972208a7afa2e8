/*
 * tool_job.h - a tool call that blocks: started on the loop, run on a pool thread, answered on the
 * loop.
 *
 * Embed a struct tool_job first in your own. On the pool thread it uses its own fields, w->mem,
 * w->host, and nothing else; a long run looks at tool_job_stopped() now and then, since the call
 * cannot end before it returns.
 */
#ifndef TOOL_TOOL_JOB_H
#define TOOL_TOOL_JOB_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "loop/job.h"
#include "tool/args.h"

#include <stdatomic.h>

struct tool_job;

/* On the pool thread. A failure is one that the model may mend. */
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

/* told NULL: w->answer is the result. */
void tool_job_start(struct tool_job *w, tool_job_fn *run, tool_job_told_fn *told);

/* For tool->preview: told, with the answer as what the call would change. */
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
