/* proc_spawn.h - start a keeper with its child's pipes. For proc.c. */
#ifndef LOOP_PROC_SPAWN_H
#define LOOP_PROC_SPAWN_H

#include "loop/proc.h"

#include <uv.h>

/* Our ends: none blocks, all close on exec. */
struct proc_ends {
    int in, out, err; /* the child's stdin (we write), stdout and stderr (we read) */
    int control;
};

/*
 * Start it. *uv, from mem_alloc, is the caller's to uv_close and free on success; on failure it
 * is taken care of.
 */
bool proc_spawn(struct procs *all, const struct proc_opts *o, uv_process_t *uv, uv_exit_cb on_exit,
                struct proc_ends *out, struct err *e);

#endif
