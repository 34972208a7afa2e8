/*
 * root.h - finds the root: the folder that trefoil works in.
 *
 * The root is the first of these that exists:
 *   - the value of --root, or of TREFOIL_ROOT
 *   - the nearest folder that contains trefoil.toml, .trefoil or .git, searched from the working
 *     folder upwards
 *   - the working folder
 *
 * The folder / and the home folder cannot be the root, because tools could then reach all files of
 * the user. If --root or TREFOIL_ROOT has such a value, that is an error. If the working folder is
 * / or the home folder, a folder in the user's state is used instead.
 */
#ifndef STATE_ROOT_H
#define STATE_ROOT_H

#include "base/arena.h"
#include "base/err.h"

struct root {
    const char *path; /* absolute path, with links resolved */
    const char *from; /* what determined the root: "--root", "TREFOIL_ROOT", "trefoil.toml", ... */
};

/* Find the root. `chosen` is the value of --root, or NULL. */
bool root_find(struct arena *mem, const char *chosen, struct root *out, struct err *e);

/*
 * Find the root of a folder, as if it were the working folder and neither --root nor TREFOIL_ROOT
 * were set.
 */
bool root_of_folder(struct arena *mem, const char *folder, struct root *out, struct err *e);

/*
 * Open a folder besides the root that tools may use. *out is its path with links resolved, and
 * *out_fd is opened with O_PATH. ERR_DENIED: the folder is / or the home folder.
 */
bool root_folder_open(struct arena *mem, const char *path, const char **out, int *out_fd,
                      struct err *e);

/*
 * Return the path of the user's state folder: TREFOIL_STATE_DIR, STATE_DIRECTORY (systemd),
 * $XDG_STATE_HOME/trefoil or ~/.local/state/trefoil. NULL: the user has no home folder. The
 * function creates nothing.
 */
const char *root_user_state_path(struct arena *mem);

/* Get the same path, and create the folder with mode 0700 if it does not exist. */
bool root_user_state(struct arena *mem, const char **out, struct err *e);

/*
 * Return the path of the user's configuration: $XDG_CONFIG_HOME/trefoil/config.toml or
 * ~/.config/trefoil/config.toml. NULL: the user has no home folder.
 */
const char *root_user_config(struct arena *mem);

#endif
