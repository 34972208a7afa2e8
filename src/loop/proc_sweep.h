/*
 * proc_sweep.h - kill the processes that a dead keeper left behind. For proc.c.
 *
 * This process is a subreaper: when a keeper is killed, its descendants become our children. We
 * kill every direct child that is not a living keeper and not in our own session. The processes
 * that a keeper left behind are never in our session, because a keeper leads a separate session and
 * no process can return from there. Children that this process had before it executed trefoil are
 * normally in our session, so they are not killed.
 */
#ifndef LOOP_PROC_SWEEP_H
#define LOOP_PROC_SWEEP_H

#include "loop/proc.h"

/*
 * Do one pass: kill the processes found, reap dead ones, and add their number to *reaped. Returns
 * how many processes were found. A dying process may leave children, which we inherit, so repeat
 * this until it returns 0.
 */
int proc_sweep(const struct procs *all, int *reaped);

#endif
