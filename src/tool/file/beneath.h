/*
 * beneath.h - opens and changes files, but only inside the folders that tools may reach.
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
#ifndef TOOL_FILE_BENEATH_H
#define TOOL_FILE_BENEATH_H

#include "base/arena.h"
#include "core/workspace.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Convert a path to a place (core/workspace.h). A relative path begins at host->cwd. An absolute
 * path must begin with the root or an included folder. The path must not leave that folder by "..",
 * which is resolved lexically (core/tool/path_below.h). The function opens no file. *out borrows
 * from `host` and `mem`.
 */
bool place_of(const struct host *host, struct arena *mem, struct str path, struct place *out,
              struct err *e);

/*
 * Like place_of, for a path that will be written. If vault_only is set (see struct call), a path
 * outside .vault/ fails with ERR_DENIED.
 */
bool place_to_write(const struct host *host, bool vault_only, struct arena *mem, struct str path,
                    struct place *out, struct err *e);

/*
 * Set *e from errno. The message contains `doing`, the path of the place, and the reason. Returns
 * false.
 */
bool place_fail(const struct place *p, const char *doing, struct err *e);

/*
 * Call open(2) for the place, beneath its folder. O_CLOEXEC, O_NOCTTY and O_NONBLOCK are added to
 * `flags`.
 */
bool beneath_open(const struct place *p, int flags, unsigned mode, int *out_fd, struct err *e);

/*
 * Return the path of an open file, relative to the folder of the place and without links; "" for
 * the folder itself. STR_NONE: the file was deleted.
 */
struct str beneath_path(const struct place *p, int fd, struct arena *mem);

/* Read a regular file of at most max bytes. The error for a larger file names `limit`. */
bool beneath_read(const struct place *p, struct arena *mem, int64_t max, const char *limit,
                  struct str *out, struct err *e);

/* ---- changing folders -------------------------------------------------------------------- */

/* A name in a folder. Close it with entry_close. */
struct dir_entry {
    int folder; /* descriptor of the folder, opened with O_PATH */
    char name[NAME_MAX + 1];
};

/* Open the parent folder of a place. ERR_INVALID: the path has no last name, but "." or "..". */
bool entry_of(const struct place *p, struct dir_entry *out, struct err *e);

/*
 * Like entry_of. But if the last name is a symbolic link, open the parent folder of the link's
 * target, which must be beneath the same folder. ERR_DENIED: the last name is a link, and the place
 * has no_links.
 */
bool entry_through_links(const struct place *p, struct arena *mem, struct dir_entry *out,
                         struct err *e);

static inline void entry_close(struct dir_entry *n)
{
    if (n->folder >= 0)
        close(n->folder);
}

#define AUTO_ENTRY __attribute__((cleanup(entry_close))) struct dir_entry

/* Like beneath_read, for an entry. If the entry is a link, the link is not followed. */
bool entry_read(const struct dir_entry *n, const struct place *p, struct arena *mem, int64_t max,
                const char *limit, struct str *out, struct err *e);

/*
 * Return the absolute path of an entry. The path begins with the folder of the place. Only its last
 * name may be a link. STR_NONE: the parent folder was deleted.
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

/* Like entry_write, but the new file has the mode `mode`. */
bool entry_put(const struct dir_entry *n, const struct place *p, struct str text, mode_t mode,
               struct err *e);

#endif
