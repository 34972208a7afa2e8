/*
 * task_artifacts.h - which files a piece of work has made: those its tools wrote, and those its
 * answer names. Pure; the file system is not looked at.
 *
 * A path in a text begins at the start of a line or behind white space, a quote, a backtick or "(",
 * and ends before white space, a quote, a backtick, ")", ",", ";", ":" or the end of a line. It
 * counts when it lies below .vault/, .vaultspec/, src/, crates/, tests/ or test/, or when it ends
 * in .md, .rs, .toml or .py. What looks like a path and is none is listed, too.
 */
#ifndef CORE_TASK_ARTIFACTS_H
#define CORE_TASK_ARTIFACTS_H

#include "base/arena.h"

enum { TASK_ARTIFACTS_MOST = 1000 };

/* Paths, below the root. In `mem`; {0} holds none. */
struct task_artifacts {
    struct arena *mem;
    struct str *v;
    size_t n, room;
};

/* One more; past TASK_ARTIFACTS_MOST nothing is added. Copied. */
void task_artifacts_add(struct task_artifacts *a, struct str path);

/* Those that a text names. */
void task_artifacts_find(struct task_artifacts *a, struct str text);

/* Sorted by their bytes, each once. */
void task_artifacts_sort(struct task_artifacts *a);

#endif
