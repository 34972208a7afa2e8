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

/* A set of paths below the root. Everything is copied into `mem`; n 0: empty. */
struct task_artifacts {
    struct arena *mem;
    struct str *v;
    size_t n, room;
};

/* Add a path; ignored if there are TASK_ARTIFACTS_MOST already. The path is copied. */
void task_artifacts_add(struct task_artifacts *a, struct str path);

/* Add all paths that a text names, whether or not such files exist. */
void task_artifacts_find(struct task_artifacts *a, struct str text);

/* Sort the paths by their bytes and remove duplicates. */
void task_artifacts_sort(struct task_artifacts *a);

/* ---- changed files --------------------------------------------------------------------------- */

/* A check of files on a pool thread. */
struct task_files {
    struct job job;              /* first */
    struct task_artifacts named; /* paths below root */
    const char *root;
    int64_t since; /* ms since 1970 */
};

/*
 * Remove the paths from f->named that are no files or have not changed since f->since. The job owns
 * *f and all that it points to until done is called. If it is cancelled, nothing is removed.
 */
void task_files_check(struct task_files *f, struct loop *loop, struct op *parent, op_done_fn *done,
                      void *ctx);

#endif
