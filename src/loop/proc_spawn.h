/* proc_spawn.h - start a keeper with its child's pipes. For proc.c. */
#ifndef LOOP_PROC_SPAWN_H
#define LOOP_PROC_SPAWN_H

#include "loop/proc.h"

#include <uv.h>

/* Our ends of the pipes. All are non-blocking and are closed on exec. */
struct proc_ends {
    int in, out, err; /* the child's stdin (we write), stdout and stderr (we read) */
    int control;
};

/*
 * Start a keeper. *uv must come from mem_alloc. On success the caller must later uv_close and free
 * it; on failure it is freed here.
 */
bool proc_spawn(struct procs *all, const struct proc_opts *o, uv_process_t *uv, uv_exit_cb on_exit,
                struct proc_ends *out, struct err *e);

/* ---- for programs that start a keeper without a loop (app/sandbox.c) ----------------------- */

struct keeper_args {
    const char *const *argv;               /* command line of the child, ends with NULL */
    const char *cwd;                       /* NULL: the current folder */
    uint64_t nofile;                       /* 0: keep the limit of this process */
    const struct sandbox_profile *sandbox; /* NULL: no sandbox */
    const struct sandbox_support *support; /* not used without a sandbox */
};

/* Make the command line and the environment of a keeper, in mem. Both end with NULL. */
char **keeper_argv(struct arena *mem, const struct keeper_args *args);
char **keeper_env(struct arena *mem, const char *const *child_env);

#endif
