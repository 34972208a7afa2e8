/*
 * file.h - files read and written whole, at start-up or by a CLI verb.
 *
 * Blocking: never call from the loop.
 */
#ifndef LOOP_FILE_H
#define LOOP_FILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Read a regular file into the arena. ERR_NOT_FOUND when there is none, ERR_DENIED when it may
 * not be read, ERR_LIMIT past max bytes, ERR_INVALID when it is not a regular file.
 */
bool file_read(struct arena *mem, const char *path, size_t max, struct str *out, struct err *e);

/* Read all of stdin into the arena. ERR_LIMIT past max bytes. */
bool file_read_stdin(struct arena *mem, size_t max, struct str *out, struct err *e);

/* The identity of a file, which does not depend on the path by which it was opened. */
struct file_id {
    uint64_t device, inode;
};

/*
 * Read a regular file below a folder; `path` is relative to it. The kernel confines it there
 * (openat2, RESOLVE_BENEATH): a path that leaves it by .., as an absolute path or by a link is
 * ERR_DENIED. Otherwise fails as file_read does. `out_id` may be NULL.
 */
bool file_read_beneath(struct arena *mem, const char *folder, const char *path, size_t max,
                       struct str *out, struct file_id *out_id, struct err *e);

/*
 * When a regular file that lies below a folder, held there in the same way, was last changed: its
 * content, its mode or its name (ctime, which programs cannot set). It is not opened for reading.
 */
bool file_changed_beneath(const char *folder, const char *path, int64_t *out_wall_ms,
                          struct err *e);

/* Names in a folder below a folder, in byte order. */
struct file_names {
    const char **v;
    size_t n;
};

/*
 * List it, confined below `folder` in the same way. Names that begin with a dot are omitted;
 * ERR_LIMIT: there are more than `most`. A missing folder is ERR_NOT_FOUND.
 */
bool file_list_beneath(struct arena *mem, const char *folder, const char *path, size_t most,
                       struct file_names *out, struct err *e);

/* Read a file that holds a secret. ERR_DENIED when other users can read the file. */
bool file_read_secret(struct arena *mem, const char *path, size_t max, struct str *out,
                      struct err *e);

/*
 * Write `text` to the file atomically: write a new file beside it, then rename it. An existing file
 * keeps its mode, a new one gets `mode`. If the path is a link, its target is replaced.
 */
bool file_write(const char *path, struct str text, unsigned mode, struct err *e);

/*
 * The same for a file below a folder with untrusted content, such as a cloned repository. `path` is
 * relative to the folder and has no "..". Missing folders are created (0755). If a part of the path
 * is a symbolic link, which may lead anywhere, the error is ERR_DENIED.
 */
bool file_write_beneath(const char *folder, const char *path, struct str text, unsigned mode,
                        struct err *e);

/* Create the folder at an absolute path and its missing parents (0700). */
bool file_make_folders(struct arena *mem, const char *path, struct err *e);

/* The same for the folder that a file is in. */
bool file_make_parent(struct arena *mem, const char *path, struct err *e);

#endif
