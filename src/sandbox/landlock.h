/*
 * landlock.h - confine a process with Landlock.
 *
 * Landlock is a second protection in addition to the mounts. If the kernel refuses namespaces,
 * Landlock is the only protection of files. It also restricts descriptors that the process receives
 * later, FIFOs, signals and TCP ports. A rule that allows a folder allows everything below it,
 * without exceptions. So a folder that contains a hidden path has no rule; each of its other
 * entries has a rule instead. A rule applies to an inode, not to a path.
 */
#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H

#include "sandbox/plan.h"

/* The version of the Landlock ABI of this kernel; 0: no Landlock. */
int landlock_abi(void);

/* Confine this process. It must have no_new_privs. */
bool sandbox_landlock(struct sandbox_plan *p, struct err *e);

/* For probe.h: can this process confine itself? */
bool sandbox_landlock_try(void);

#endif
