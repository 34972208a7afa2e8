/* file.h - files read whole, at start-up or by a CLI verb. Blocking: never call from the loop. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Read a regular file into the arena. ERR_NOT_FOUND when there is none, ERR_DENIED when it may
 * not be read, ERR_LIMIT past max bytes, ERR_INVALID when it is not a regular file.
 */
bool file_read(struct arena *mem, const char *path, size_t max, struct str *out, struct err *e);

/* Open a file that holds a secret. Refuses what others can read (ERR_DENIED). */
bool file_open_secret(const char *path, int *out_fd, struct err *e);

#endif
