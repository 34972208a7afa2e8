/*
 * root.h - find the root: the folder that trefoil works in.
 *
 * It is the first of: --root, TREFOIL_ROOT, the working folder or the nearest folder above it that
 * has trefoil.toml, .trefoil or .git, and the working folder.
 *
 * / and the home folder are never the root, because tools could then reach all files of the user.
 * As --root or TREFOIL_ROOT they are an error; as the working folder they are replaced by a folder
 * in the user's state.
 */
#ifndef STATE_ROOT_H
#define STATE_ROOT_H

#include "base/arena.h"
#include "base/err.h"

struct root {
    const char *path; /* absolute, links resolved */
    const char *from; /* what decided: "--root", "TREFOIL_ROOT", "trefoil.toml", ... */
};

/* `chosen` is the value of --root, or NULL. */
bool root_find(struct arena *mem, const char *chosen, struct root *out, struct err *e);

/*
 * The user's state: TREFOIL_STATE_DIR, STATE_DIRECTORY (systemd), $XDG_STATE_HOME/trefoil or
 * ~/.local/state/trefoil; NULL without a home. Makes nothing.
 */
const char *root_user_state_path(struct arena *mem);

/* The same folder, made if it is not there (0700). */
bool root_user_state(struct arena *mem, const char **out, struct err *e);

/* $XDG_CONFIG_HOME/trefoil/config.toml or ~/.config/trefoil/config.toml; NULL without a home. */
const char *root_user_config(struct arena *mem);

#endif
