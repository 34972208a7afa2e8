/*
 * beneath.h - files inside the folders that tools may reach, and nowhere else.
 *
 * Every path is resolved by the kernel beneath the folder it belongs to (openat2,
 * RESOLVE_BENEATH): no symbolic link, "..", /proc link or race leads out. What changes a folder
 * (make, rename, remove) does so by the descriptor of that folder and the last name of the path,
 * which the kernel never follows.
 *
 * In read-only mode a place to write lies in .vault/ and is opened without following any link
 * (RESOLVE_NO_SYMLINKS): what was opened is what the path says. Patterns of paths that the lists
 * of an agent hold are compared with the path of what was opened, once it is.
 *
 * Blocking: for pool threads.
 */
#ifndef TOOL_BENEATH_H
#define TOOL_BENEATH_H

#include "base/arena.h"
#include "core/workspace.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Relative paths are meant from host->cwd; absolute ones must begin with the root or an included
 * folder, and neither may leave it by "..", which is taken by its letters (core/tool/path_below.h).
 * Pure: nothing is opened. *out borrows from host and mem.
 */
bool place_of(const struct host *host, struct arena *mem, struct str path, struct place *out,
              struct err *e);

/* The same for a path to be written. vault_only: as in struct call; ERR_DENIED outside .vault/. */
bool place_to_write(const struct host *host, bool vault_only, struct arena *mem, struct str path,
                    struct place *out, struct err *e);

/* A sentence for errno: what was to be done with the place, and why that failed. */
bool place_fail(const struct place *p, const char *doing, struct err *e);

/* open(2) beneath; O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added. */
bool beneath_open(const struct place *p, int flags, unsigned mode, int *out_fd, struct err *e);

/*
 * The path of something open beneath the folder of a place, from that folder on; "" for the folder
 * itself. No link is in it. STR_NONE: it is gone.
 */
struct str beneath_path(const struct place *p, int fd, struct arena *mem);

/* The content of a regular file of at most max bytes; `limit` names that bound in the error. */
bool beneath_read(const struct place *p, struct arena *mem, int64_t max, const char *limit,
                  struct str *out, struct err *e);

/* ---- changing folders -------------------------------------------------------------------- */

/* A name in a folder. Close the folder. */
struct dir_entry {
    int folder; /* opened with O_PATH */
    char name[NAME_MAX + 1];
};

/* The last name of a path. ERR_INVALID when it has none: "." or "..". */
bool entry_of(const struct place *p, struct dir_entry *out, struct err *e);

/*
 * The same; where that is a symbolic link, what it leads to, beneath like all else. ERR_DENIED
 * where the place has no_links.
 */
bool entry_through_links(const struct place *p, struct arena *mem, struct dir_entry *out,
                         struct err *e);

static inline void entry_close(struct dir_entry *n)
{
    if (n->folder >= 0)
        close(n->folder);
}

#define AUTO_ENTRY __attribute__((cleanup(entry_close))) struct dir_entry

/* beneath_read of an entry. A link is not followed any more. */
bool entry_read(const struct dir_entry *n, const struct place *p, struct arena *mem, int64_t max,
                const char *limit, struct str *out, struct err *e);

/*
 * The absolute path of an entry that a place led to: begins with the folder of the place, and no
 * link is in it but perhaps its last name. STR_NONE: its folder is gone.
 */
struct str entry_path(const struct dir_entry *n, const struct place *p, struct arena *mem);

/* Make the folders above a place that are not there. */
bool beneath_make_parents(const struct place *p, struct arena *mem, struct err *e);

enum entry_was { ENTRY_NEW, ENTRY_REPLACED };

/*
 * Make the file hold `text`, all of it or nothing: a new file beside it takes its place, with the
 * mode of the old one. Only a regular file is replaced.
 */
bool entry_write(const struct dir_entry *n, const struct place *p, struct str text,
                 enum entry_was *out, struct err *e);

/* The same, with a mode of its own. */
bool entry_put(const struct dir_entry *n, const struct place *p, struct str text, mode_t mode,
               struct err *e);

#endif
