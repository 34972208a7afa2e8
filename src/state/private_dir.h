/*
 * private_dir.h - a directory for the user alone: 0700, ours, and not reached through a link.
 */
#ifndef STATE_PRIVATE_DIR_H
#define STATE_PRIVATE_DIR_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Open `name` in the directory `at`; `path` is what errors call it. With `make` it is created if it
 * is missing, else that is ERR_NOT_FOUND. ERR_DENIED: a link or a file, or another user owns it. A
 * directory of ours that others may enter is made private.
 */
bool private_dir_enter(int at, const char *path, const char *name, bool make, int *out_fd,
                       struct err *e);

/* An open directory must be ours; one that others have some of these rights to is made private. */
bool private_dir_check(int fd, const char *path, mode_t others, struct err *e);

/* A sentence for errno, with its name: "directory PATH cannot be DONE: Read-only ... (EROFS)". */
bool private_dir_fail(struct err *e, const char *path, const char *done);

#endif
