/*
 * proc_sweep.h - kill the processes that a dead keeper left behind. For proc.c.
 *
 * We are a subreaper: when a keeper is killed, we inherit its tree and kill it as in
 * sandbox/keep.c. We kill every direct child that is not a living keeper and not in our own
 * session. A keeper leads a separate session, and no process can return from there to ours. The
 * children that this process had before it executed trefoil are normally in our session.
 */
#ifndef LOOP_PROC_SWEEP_H
#define LOOP_PROC_SWEEP_H

#include "loop/proc.h"

/*
 * One pass: kill the processes found, reap the dead ones and count these in *reaped. Returns how
 * many were found. A dying process may leave children, which we inherit: only 0 means done.
 */
int proc_sweep(const struct procs *all, int *reaped);

#endif
