/*
 * mounts.h - build the file system that a child can see.
 *
 * The init process (init.h) does these steps in the new mount namespace:
 *
 *   1. make all mounts private, so that later mounts outside of the namespace do not appear in it,
 *      and later mounts in the namespace do not appear outside
 *   2. clone the folders that stay visible (trees) and the harmless devices
 *   3. make all mounts read-only, and forbid setuid programs and devices on them
 *   4. mount a private /dev
 *   5. mount covers (empty folders in place of /tmp, /run and /home) and trees, in the order of
 *      the length of their paths, the shortest first; only trees, and covers of folders for
 *      temporary files, can be writable
 *   6. mount a private /proc, whose settings are read-only
 *   7. mount masks on hidden paths; this is done after the trees, so no tree can uncover them
 *   8. in a writable root: protect some paths against renaming, and make some read-only
 *
 * All these mounts belong to a user namespace. A process that creates a nested namespace cannot
 * undo them there, because the kernel locks inherited mounts together.
 */
#ifndef SANDBOX_MOUNTS_H
#define SANDBOX_MOUNTS_H

#include "sandbox/plan.h"

/* Do all steps. On failure, *e names the step. */
bool sandbox_mount(struct sandbox_plan *p, struct err *e);

/* For probe.h: test whether the kernel allows these kinds of mounts. `own_proc`: test a private
 * /proc, too. */
bool sandbox_mount_try(bool own_proc, struct err *e);

#endif
