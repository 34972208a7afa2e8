/*
 * proc_env.h - make the environment of a child.
 *
 * A child never gets our whole environment, because the environment contains keys and tokens. It
 * gets the base set: the variables that programs need to find their files, their language and their
 * certificates (with `strict` only PATH). The configuration can list more of our variables to pass,
 * and can set variables. A variable that the configuration sets replaces a passed one.
 */
#ifndef LOOP_PROC_ENV_H
#define LOOP_PROC_ENV_H

#include "base/arena.h"
#include "base/err.h"

struct proc_env_var {
    struct str name, value;
};

struct proc_env_opts {
    const char *const *ours; /* our environment (environ): NAME=value, ends with NULL */
    bool strict;             /* pass only PATH of the base set */
    /* names of more of our variables to pass; unset variables are skipped */
    const struct str *pass;
    size_t passes;
    const struct proc_env_var *set; /* if a name occurs twice, the last value is used */
    size_t sets;
};

/*
 * Make the complete environment of a child, in mem. It ends with NULL and contains each name once.
 * ERR_INVALID: a name is empty or contains '=' or NUL, or a value contains NUL.
 */
bool proc_env(struct arena *mem, const struct proc_env_opts *o, const char *const **out,
              struct err *e);

#endif
