/*
 * file.h - read and write whole files, at start-up or in a command.
 *
 * The functions block: never call them from the loop.
 */
#ifndef LOOP_FILE_H
#define LOOP_FILE_H

#include "base/arena.h"
#include "base/err.h"

/*
 * Read a regular file into the arena. ERR_NOT_FOUND: it does not exist; ERR_DENIED: no permission
 * to read it; ERR_LIMIT: it has more than max bytes; ERR_INVALID: it is not a regular file.
 */
bool file_read(struct arena *mem, const char *path, size_t max, struct str *out, struct err *e);

/* Read all of stdin into the arena. ERR_LIMIT: more than max bytes. */
bool file_read_stdin(struct arena *mem, size_t max, struct str *out, struct err *e);

/* The identity of a file, which does not depend on the path by which it was opened. */
struct file_id {
    uint64_t device, inode;
};

/*
 * Read a regular file below a folder; `path` is relative to the folder. The kernel confines the
 * path (openat2, RESOLVE_BENEATH): ERR_DENIED if it is absolute or leaves the folder by ".." or a
 * link. Other errors are the same as for file_read. `out_id` may be NULL.
 */
bool file_read_beneath(struct arena *mem, const char *folder, const char *path, size_t max,
                       struct str *out, struct file_id *out_id, struct err *e);

/*
 * Which of `n` paths below a folder are missing? Sets missing[i] if the folder can be opened and has
 * no path[i]. Cheaper than reading each of them, because the folder is opened only once. The paths
 * are confined in the same way: one that is denied is not missing.
 */
void file_find_missing(const char *folder, const char *const *path, size_t n, bool *missing);

/*
 * Get the time when the content, mode or name of a regular file below a folder last changed (ctime,
 * which programs cannot set). The path is confined in the same way. The file is not opened for
 * reading.
 */
bool file_changed_beneath(const char *folder, const char *path, int64_t *out_wall_ms,
                          struct err *e);

/* The names in a folder, sorted by their bytes. */
struct file_names {
    const char **v;
    size_t n;
};

/*
 * List the folder `path` below `folder`, confined in the same way. Names that begin with a dot are
 * omitted. ERR_LIMIT: there are more than `most` names. ERR_NOT_FOUND: the folder does not exist.
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
 * relative to the folder and has no "..". Missing folders are created (0755). ERR_DENIED: a part of
 * the path is a symbolic link, which may lead out of the folder.
 */
bool file_write_beneath(const char *folder, const char *path, struct str text, unsigned mode,
                        struct err *e);

/*
 * Delete a folder with everything in it, as far as that is possible. Links are deleted, not
 * followed. No other program may change the folder meanwhile.
 */
void file_remove_tree(const char *path);

/* Create the folder at an absolute path and its missing parents (0700). */
bool file_make_folders(struct arena *mem, const char *path, struct err *e);

/* The same for the folder that contains the file at this path. */
bool file_make_parent(struct arena *mem, const char *path, struct err *e);

#endif
