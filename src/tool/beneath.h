/*
 * beneath.h - files inside the folders that tools may reach, and nowhere else.
 *
 * The kernel resolves every path beneath its folder (openat2, RESOLVE_BENEATH). So no symbolic
 * link, "..", /proc link or race leads out of the folder. Functions that create, rename or remove
 * an entry use the descriptor of its parent folder and the last name of the path. The kernel does
 * not follow a link with that name.
 *
 * In read-only mode, tools write only into .vault/. Such files are opened without following any
 * link (RESOLVE_NO_SYMLINKS). The path patterns of an agent's lists are compared with the path of
 * the file that was opened.
 *
 * These functions block, so call them on pool threads.
 */
#ifndef TOOL_BENEATH_H
#define TOOL_BENEATH_H

#include "base/arena.h"
#include "core/workspace.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A relative path begins at host->cwd. An absolute path must begin with the root or an included
 * folder. Neither may leave that folder by "..", which is resolved lexically
 * (core/tool/path_below.h). This function opens no file. *out borrows from host and mem.
 */
bool place_of(const struct host *host, struct arena *mem, struct str path, struct place *out,
              struct err *e);

/* The same for a path to be written. vault_only: as in struct call; ERR_DENIED outside .vault/. */
bool place_to_write(const struct host *host, bool vault_only, struct arena *mem, struct str path,
                    struct place *out, struct err *e);

/* Set *e from errno: `doing`, the path of the place, and the reason. Returns false. */
bool place_fail(const struct place *p, const char *doing, struct err *e);

/* open(2) beneath; O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added. */
bool beneath_open(const struct place *p, int flags, unsigned mode, int *out_fd, struct err *e);

/*
 * The path of an open file, relative to the folder of the place and without links; "" for the
 * folder itself. STR_NONE: the file was deleted.
 */
struct str beneath_path(const struct place *p, int fd, struct arena *mem);

/* Read a regular file of at most max bytes. The error for a larger file names `limit`. */
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
 * The same, but if that name is a symbolic link, the entry that it leads to, which must be beneath
 * the same folder. ERR_DENIED if the place has no_links.
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
 * The absolute path of an entry. It begins with the folder of the place. Only its last name may be
 * a link. STR_NONE: the parent folder was deleted.
 */
struct str entry_path(const struct dir_entry *n, const struct place *p, struct arena *mem);

/* Create the missing parent folders of a place. */
bool beneath_make_parents(const struct place *p, struct arena *mem, struct err *e);

enum entry_was { ENTRY_NEW, ENTRY_REPLACED };

/*
 * Write `text` to the file atomically: write a new file beside it with the mode of the old one,
 * then rename it. Only a regular file is replaced.
 */
bool entry_write(const struct dir_entry *n, const struct place *p, struct str text,
                 enum entry_was *out, struct err *e);

/* The same, with this mode instead of that of the old file. */
bool entry_put(const struct dir_entry *n, const struct place *p, struct str text, mode_t mode,
               struct err *e);

#endif
