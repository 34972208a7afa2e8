/*
 * private_dir.h - private directories: mode 0700, owned by our user, and opened without following
 * links.
 */
#ifndef STATE_PRIVATE_DIR_H
#define STATE_PRIVATE_DIR_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Open the directory `name` in the directory `at`; errors contain its path, `path`. A missing
 * directory is created if `make` is true; otherwise the function fails with ERR_NOT_FOUND.
 * ERR_DENIED: the name is a link or a file, or another user owns the directory. If the directory is
 * ours but other users may enter it, it is made private.
 */
bool private_dir_enter(int at, const char *path, const char *name, bool make, int *out_fd,
                       struct err *e);

/*
 * Check that an open directory is ours. If other users have any of the permissions `others`, the
 * directory is made private.
 */
bool private_dir_check(int fd, const char *path, mode_t others, struct err *e);

/* Set *e from errno: "directory PATH cannot be DONE: Read-only ... (EROFS)". Returns false. */
bool private_dir_fail(struct err *e, const char *path, const char *done);

#endif
