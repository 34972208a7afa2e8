/*
 * sandbox_hidden.h - lists the paths of trefoil that no program in a sandbox may see: trefoil's
 * state, its sockets, and the user's configuration, which may contain keys. The sandbox itself
 * hides the secrets of other programs; those that variables of the environment name are listed here.
 */
#ifndef RUNTIME_SANDBOX_HIDDEN_H
#define RUNTIME_SANDBOX_HIDDEN_H

#include "base/arena.h"

/*
 * Return absolute paths in mem. The list ends with NULL. Paths in the root are left out, except those
 * of trefoil's state.
 */
const char *const *sandbox_hidden(struct arena *mem, const char *root);

#endif
