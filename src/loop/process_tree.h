/*
 * process_tree.h - who is whose child, as the kernel has it; and killing from the top down.
 *
 * For those who kill and reap what they did not start themselves: orphans that came to a
 * subreaper. A direct child keeps its pid until we reap it, so whoever finds one here and is
 * the only one to reap may signal it without fear of hitting a stranger. For no other process
 * is a pid worth anything by the time it is used.
 */
#ifndef LOOP_PROCESS_TREE_H
#define LOOP_PROCESS_TREE_H

#include <stdbool.h>
#include <sys/types.h>

typedef void children_fn(pid_t pid, void *ctx);

/*
 * Call fn for each direct child of ours, dead ones included. The list changes while it is read,
 * so one may be missed: who must have them all repeats until waitpid knows of no child. False
 * without /proc.
 */
bool children_each(children_fn *fn, void *ctx);

/* The same by looking at every process: for kernels that keep no list of children. */
bool children_each_by_scan(children_fn *fn, void *ctx);

/* Those of another process that its first thread made. They may be anybody's when fn sees them. */
bool children_each_of(pid_t parent, children_fn *fn, void *ctx);

/* Whose child the process with this pid is now; 0 when there is none. */
pid_t children_parent(pid_t pid);

/*
 * Kill a direct child of ours, which nobody else reaps, and what can be seen below it at once.
 * Some may be missed; they become our children when those above them are dead. Without this
 * one could only wait for them: but a dying process needs its turn on a CPU, and in a storm of
 * thousands that is seconds away, time for the rest to fork on. Whereas from the top down one
 * pass gets all: who has its SIGKILL makes no more children, so the list of them is complete.
 */
void children_kill(pid_t child);

#endif
