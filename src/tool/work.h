/*
 * work.h - a call whose work blocks: begun on the loop, done on a pool thread, answered on the
 * loop.
 *
 * Embed a struct work first in your own. On the pool thread it may use its own fields, w->mem,
 * w->host, and nothing else; a long run looks at work_stopped() now and then, since the call
 * cannot end before it returns.
 */
#ifndef TOOL_WORK_H
#define TOOL_WORK_H

#include "base/pick.h"
#include "core/tool/tool.h"
#include "loop/job.h"
#include "tool/args.h"

#include <stdatomic.h>

struct work;

/* On the pool thread. A failure is one that the model may mend. */
typedef bool work_fn(struct work *w, struct err *e);

/* On the loop, after success: settles the call. */
typedef void work_told_fn(struct work *w);

struct work {
    struct op op; /* first */
    struct job job;
    struct call *call;
    const struct host *host;
    struct arena mem;  /* of the pool thread; lives as long as the call */
    struct str answer; /* one block of text; see work_start */
    atomic_bool stop;
    work_fn *run;
    work_told_fn *told;
};

/* Zeroed, in the memory of the call. */
#define WORK_NEW(call, type) ((type *)work_new(call, sizeof(type)))
void *work_new(struct call *call, size_t size);

/* told NULL: w->answer is the result. */
void work_start(struct work *w, work_fn *run, work_told_fn *told);

/* For tool->preview: told, with the answer as what the call would change. */
void work_previewed(struct work *w);

static inline bool work_stopped(const struct work *w)
{
    return atomic_load_explicit(&w->stop, memory_order_relaxed);
}

/* ---- what they need for their answers ------------------------------------------------------- */

/* "n bytes", "1 byte". */
#define COUNT_FMT "%lld %s%s"
#define COUNT_ARG(n, what) (long long)(n), what, (n) == 1 ? "" : "s"

#endif
