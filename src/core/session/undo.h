/*
 * undo.h - undo: restore the files that a turn changed.
 *
 * Before a call of a tool that edits, moves or deletes starts, the files that it names are read and
 * stored as pre-images, in the same commit as the start of the call. Changes by shell commands and
 * by tools of MCP servers are not covered.
 */
#ifndef CORE_SESSION_UNDO_H
#define CORE_SESSION_UNDO_H

#include "core/session/session.h"

/* The state of a file, folder or symbolic link, in undo_look.mem. */
struct file_image {
    struct str path;    /* absolute; only its last component may be a symbolic link */
    int64_t mode;       /* st_mode: type and permissions */
    struct str content; /* of a link: its target; of a folder: empty */
    bool absent;        /* the path does not exist */
    /*
     * The only image of its call, and must not be stored: the call cannot be undone, because its
     * files exceed limits.undo_bytes or limits.undo_files, or one of them cannot be read.
     */
    bool too_large;
};

/* The text of a regular file; STR_NONE: no regular file, absent, too large, or not UTF-8 text. */
struct str file_image_text(const struct file_image *i);

/* An op that reads files on a pool thread. Zero it and set host to args. */
struct undo_look {
    struct op op; /* first */
    const struct host *host;
    bool vault_only; /* as in struct call */
    struct arena *mem;
    const struct tool *tool;
    struct json args;
    struct file_image *image; /* result */
    size_t images;
};

/*
 * An op that restores images on a pool thread, in the given order, which is newest first. It
 * restores all that it can; if one fails, the op fails with one sentence for all failures. It
 * follows no symbolic links, because the paths of images have none. Zero it and set host to images.
 */
struct undo_put {
    struct op op; /* first */
    const struct host *host;
    bool vault_only; /* as in struct call: the session is read-only now */
    const struct store_image *image;
    size_t images;
    size_t restored; /* result, also on failure: number of files that differed and were restored */
};

struct undo_port {
    /*
     * Read the files that a call of a built-in tool would change. images is 0 if there are none.
     * May be called again after the call has ended, to see what changed. For a tool that writes or
     * edits a file, that file is the last image. Fails only when it is cancelled.
     */
    void (*look)(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                 void *ctx);
    void (*put)(struct undo_port *p, struct undo_put *u, struct op *parent, op_done_fn *done,
                void *ctx);
};

/* ---- undo ------------------------------------------------------------------------------------ */

/* An op that undoes the newest turn that has pre-images. Zero it. */
struct undo {
    struct op op; /* first */
    struct session *session;
    struct arena mem;
    struct store_ask ask;
    struct store_step step[2];
    struct undo_put put;
    char turn[ID_TEXT];
    size_t restored;   /* result: number of files */
    struct buf files;  /* result: their paths, one per line; `full`: the list is incomplete */
    struct err failed; /* the first failure */
};

/*
 * Undo the file changes of the last turn that changed files. ERR_NOT_FOUND: no turn did, or
 * pre-images are not stored. ERR_DENIED: a turn is running, or another process holds the session.
 * If some files cannot be restored, the op fails, the other files are restored, and all images are
 * kept, so that it can be tried again. Call undo_fini afterwards; u->files is valid until then.
 */
void undo_start(struct undo *u, struct session *s, struct op *parent, op_done_fn *done, void *ctx);
void undo_fini(struct undo *u);

#endif
