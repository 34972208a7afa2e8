/*
 * file.h - files read and written whole, at start-up or by a CLI verb.
 *
 * Blocking: never call from the loop.
 */
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

/* Read such a file, as file_read does. */
bool file_read_secret(struct arena *mem, const char *path, size_t max, struct str *out,
                      struct err *e);

/*
 * Make the file hold `text`, all of it or nothing: a new file beside it takes its place. A file
 * that was there keeps its mode, a new one gets `mode`; through a link the file it leads to is
 * written.
 */
bool file_write(const char *path, struct str text, unsigned mode, struct err *e);

#endif
