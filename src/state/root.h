/*
 * root.h - which folder we work in.
 *
 * --root or TREFOIL_ROOT; else the nearest folder upwards that has trefoil.toml, .trefoil or
 * .git; else the working folder. Never / or the home folder itself, where a tool would reach
 * everything: then it is a folder of our own in the user's state.
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
