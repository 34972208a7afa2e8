/*
 * tool_job.h - runs a tool call that blocks: it is started on the loop, runs on a pool thread, and
 * is settled on the loop.
 *
 * Make struct tool_job the first member of your own struct. On the pool thread, use only the fields
 * of your struct, w->mem and w->host. A job that takes long must check tool_job_stopped()
 * regularly, because a cancelled call cannot end before its job returns.
 */
#ifndef TOOL_TOOL_JOB_H
#define TOOL_TOOL_JOB_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "core/workspace.h"
#include "loop/job.h"
#include "tool/args.h"

#include <stdatomic.h>

struct tool_job;

/*
 * Does the work of the call on the pool thread. If it fails, the model gets the error as the
 * result.
 */
typedef bool tool_job_fn(struct tool_job *w, struct err *e);

/* Called on the loop after success; must settle the call. */
typedef void tool_job_told_fn(struct tool_job *w);

struct tool_job {
    struct op op; /* first */
    struct job job;
    struct call *call;
    const struct host *host;
    struct arena mem;  /* memory for the pool thread; lives as long as the call */
    struct str answer; /* text of the result, which tool_job_start explains */
    atomic_bool stop;
    tool_job_fn *run;
    tool_job_told_fn *told;
};

/* Allocate a zeroed job in the memory of the call. */
#define TOOL_JOB_NEW(call, type) ((type *)tool_job_new(call, sizeof(type)))
void *tool_job_new(struct call *call, size_t size);

/* Run the job. If `told` is NULL, w->answer becomes the result of the call. */
void tool_job_start(struct tool_job *w, tool_job_fn *run, tool_job_told_fn *told);

/*
 * The function to pass as `told` in tool->preview, where w->answer describes what the call would
 * change.
 */
void tool_job_previewed(struct tool_job *w);

/*
 * Settle a call because an op of the tool has failed with *e. The model sees the reason, unless the
 * call was cancelled.
 */
void tool_failed(struct call *call, const struct err *e);

/* A file was written: note its text before and after, if the workspace is not local (call.h). */
void tool_wrote(struct call *call, const struct file_writing *f);

static inline bool tool_job_stopped(const struct tool_job *w)
{
    return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* ---- formats for results --------------------------------------------------------------------- */

/* Print a count with its noun: "5 bytes", "1 byte". */
#define COUNT_FMT "%lld %s%s"
#define COUNT_ARG(n, what) (long long)(n), what, (n) == 1 ? "" : "s"

#endif
