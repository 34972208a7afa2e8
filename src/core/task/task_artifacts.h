/*
 * task_artifacts.h - finds the files that a task has produced: files that its tools wrote,
 * artifacts, and files that its answer names, if they exist and have changed since the work began.
 * The file tree is not searched; only named paths are checked.
 *
 * A path in a text begins at the start of a line or after white space, a quote, a backtick or "(",
 * and ends before white space, a quote, a backtick, ")", ",", ";", ":" or the end of a line. The
 * path is accepted if it is below one of the folders .vault/, .vaultspec/, src/, crates/, tests/ or
 * test/, or if its name ends in .md, .rs, .toml or .py. Folders, and links that lead outside the
 * root, are ignored. A named file that another program has changed meanwhile is listed, too.
 */
#ifndef CORE_TASK_TASK_ARTIFACTS_H
#define CORE_TASK_TASK_ARTIFACTS_H

#include "base/arena.h"
#include "loop/job.h"

enum { TASK_ARTIFACTS_MOST = 1000 };

/* A set of paths below the root. All paths are copied into `mem`. */
struct task_artifacts {
    struct arena *mem;
    struct str *v;
    size_t n, room;
};

/* Add a path, unless the set already has TASK_ARTIFACTS_MOST paths. */
void task_artifacts_add(struct task_artifacts *a, struct str path);

/* Add all paths that a text names, whether or not such files exist. */
void task_artifacts_find(struct task_artifacts *a, struct str text);

/* Sort the paths by their bytes and remove duplicates. */
void task_artifacts_sort(struct task_artifacts *a);

/* ---- changed files --------------------------------------------------------------------------- */

/* A job that runs on a pool thread and checks which files exist and have changed. */
struct task_files {
    struct job job;              /* first */
    struct task_artifacts named; /* paths below root */
    const char *root;
    int64_t since; /* files that changed earlier do not count; ms since 1970 */
};

/*
 * Remove the paths from f->named that are not files or have not changed since f->since. Until
 * `done` is called, only the job may use *f and the data that it points to. If the job is
 * cancelled, no path is removed.
 */
void task_files_check(struct task_files *f, struct loop *loop, struct op *parent, op_done_fn *done,
                      void *ctx);

#endif
