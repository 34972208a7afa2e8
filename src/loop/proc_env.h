/*
 * proc_env.h - the environment of a child.
 *
 * A child never gets our whole environment: keys and tokens stay here. The base set has the
 * variables that programs need to find their files, their language and their certificates; strict
 * means PATH alone. Added to it are variables of ours that the configuration names, and variables
 * that it sets, which win.
 */
#ifndef LOOP_PROC_ENV_H
#define LOOP_PROC_ENV_H

#include "base/arena.h"
#include "base/err.h"

struct proc_env_var {
    struct str name, value;
};

struct proc_env_opts {
    const char *const *ours; /* NAME=value, ended by NULL: environ */
    bool strict;             /* of the base set only PATH */
    const struct str *pass; /* names of our variables that are passed too; unset ones are skipped */
    size_t passes;
    const struct proc_env_var *set; /* the last of equal names wins */
    size_t sets;
};

/*
 * The complete environment of a child, ended by NULL, each name once; in mem. ERR_INVALID for a
 * name that is empty or contains '=' or NUL, and for a value with a NUL.
 */
bool proc_env(struct arena *mem, const struct proc_env_opts *o, const char *const **out,
              struct err *e);

#endif
