/*
 * proc_sweep.h - kill what a dead keeper left behind. For proc.c.
 *
 * We are a subreaper, so when a keeper is killed its tree comes to us, and is killed as in
 * sandbox/keep.c. Ours to kill is every direct child that is no living keeper and not in our
 * own session: a keeper leads a session of its own and nobody can go back from there, while
 * children that somebody made before he became us by exec are in ours, as a rule.
 */
#ifndef LOOP_PROC_SWEEP_H
#define LOOP_PROC_SWEEP_H

#include "loop/proc.h"

/*
 * One pass: kill who is found, reap who is dead, and count these in *reaped. Returns how many
 * were found. Who dies may leave children, which are ours then: only 0 says that it is over.
 */
int proc_sweep(const struct procs *all, int *reaped);

#endif
