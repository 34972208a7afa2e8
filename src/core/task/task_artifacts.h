/*
 * task_artifacts.h - find the files that a task has made: those its tools wrote, those it made as
 * artifacts, and those its answer names that exist and have changed since the work began. The file
 * tree is not searched: only named paths are checked.
 *
 * A path in a text begins at the start of a line or behind white space, a quote, a backtick or "(",
 * and ends before white space, a quote, a backtick, ")", ",", ";", ":" or the end of a line. It
 * counts when it lies below .vault/, .vaultspec/, src/, crates/, tests/ or test/, or when it ends
 * in .md, .rs, .toml or .py. Folders do not count, nor does a link that leads outside the root. A
 * file that another program has changed meanwhile is listed too.
 */
#ifndef CORE_TASK_TASK_ARTIFACTS_H
#define CORE_TASK_TASK_ARTIFACTS_H

#include "base/arena.h"
#include "loop/job.h"

enum { TASK_ARTIFACTS_MOST = 1000 };

/* Paths, below the root. In `mem`; {0} holds none. */
struct task_artifacts {
    struct arena *mem;
    struct str *v;
    size_t n, room;
};

/* One more; past TASK_ARTIFACTS_MOST nothing is added. Copied. */
void task_artifacts_add(struct task_artifacts *a, struct str path);

/* All paths that a text names, whether or not there are such files. */
void task_artifacts_find(struct task_artifacts *a, struct str text);

/* Sorted by their bytes, each once. */
void task_artifacts_sort(struct task_artifacts *a);

/* ---- which of them have changed? -------------------------------------------------------------- */

/* A look at files, on a pool thread. */
struct task_files {
    struct job job;              /* first */
    struct task_artifacts named; /* paths below root */
    const char *root;
    int64_t since; /* ms since 1970 */
};

/*
 * Remove from f->named what is no file or has not changed since f->since. All of f lives until done
 * is called, and nothing else uses it meanwhile. Cancelled, nothing is removed.
 */
void task_files_check(struct task_files *f, struct loop *loop, struct op *parent, op_done_fn *done,
                      void *ctx);

#endif
