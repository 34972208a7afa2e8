/*
 * process_tree.h - list the children of a process, and kill a tree of processes from the top down.
 *
 * For a subreaper that kills and reaps processes that it did not start. A direct child keeps its
 * pid until we reap it, so the only reaper can signal it safely. The pid of any other process may
 * have been reused by the time it is signalled.
 */
#ifndef LOOP_PROCESS_TREE_H
#define LOOP_PROCESS_TREE_H

#include <stdbool.h>
#include <sys/types.h>

typedef void children_fn(pid_t pid, void *ctx);

/*
 * Call fn for each direct child of ours, including dead ones. The list changes while it is read, so
 * a child may be missed: to reach all of them, repeat until waitpid reports no child. False: /proc
 * is not available.
 */
bool children_each(children_fn *fn, void *ctx);

/* The same, but reads the parent of every process: for kernels that provide no list of children. */
bool children_each_by_scan(children_fn *fn, void *ctx);

/* Call fn for each child that the first thread of process `parent` created. By that time the child
 * may have exited, and another process may have its pid. */
bool children_each_of(pid_t parent, children_fn *fn, void *ctx);

/* The current parent of the process with this pid; 0 when there is none. */
pid_t children_parent(pid_t pid);

/*
 * Kill a direct child of ours, of which we are the only reaper, and its visible descendants at
 * once. Descendants that were missed become our children when their parents are dead. Killing only
 * the child and waiting would be slow: a dying process needs CPU time, and with thousands of
 * processes the others continue to fork in the meantime. One pass from the top down is enough,
 * because a process with a pending SIGKILL cannot fork.
 */
void children_kill(pid_t child);

#endif
