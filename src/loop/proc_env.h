/*
 * proc_env.h - what a child gets to see of our environment.
 *
 * Never all of it: keys and tokens stay with us. The base set is what programs need to find
 * their files, their language and their certificates; strict means PATH alone. On top come
 * variables of ours that the configuration names, and those it sets itself, which win.
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
    const struct str
        *pass; /* names of our variables that are passed too; unset ones are left out */
    size_t passes;
    const struct proc_env_var *set; /* the last of equal names wins */
    size_t sets;
};

/*
 * The complete environment of a child, ended by NULL, each name once; lives in mem.
 * ERR_INVALID for a name that is empty or holds '=' or NUL, and for a value with a NUL.
 */
bool proc_env(struct arena *mem, const struct proc_env_opts *o, const char *const **out,
              struct err *e);

#endif
