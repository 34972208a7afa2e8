/*
 * undo.h - undo: restore the files that a turn changed.
 *
 * A pre-image is the state of a file before a tool call changes it. Before a call of a tool that
 * edits, moves or deletes files starts, pre-images of the files that the call names are stored, in
 * the same commit as the start of the call. Changes by shell commands and by tools of MCP servers
 * cannot be undone.
 */
#ifndef CORE_SESSION_UNDO_H
#define CORE_SESSION_UNDO_H

#include "core/session/session.h"

/* The state of a file, folder or symbolic link, in undo_look.mem. */
struct file_image {
    struct str path;    /* absolute; only its last component may be a symbolic link */
    int64_t mode;       /* type and permissions, as in st_mode */
    struct str content; /* content of a file; target of a link; empty for a folder */
    bool absent;        /* the path does not exist */
    /*
     * The call cannot be undone, because its files exceed limits.undo_bytes or limits.undo_files,
     * or one of them cannot be read. This image is then the only one of its call; it must not be
     * stored.
     */
    bool too_large;
};

/*
 * Return the text of an image of a regular file. STR_NONE: the image is not of a regular file, or
 * the file is absent, too large, or not UTF-8 text.
 */
struct str file_image_text(const struct file_image *i);

/* An op that reads files on a pool thread. Zero it, then set the members from `host` to `args`. */
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
 * An op that restores images on a pool thread, in the given order: the newest first. The op
 * restores as many images as it can. If some fail, the op fails with one sentence about all
 * failures. The op follows no symbolic links, because the paths of images contain none. Zero it,
 * then set the members from `host` to `images`.
 */
struct undo_put {
    struct op op; /* first */
    const struct host *host;
    bool vault_only; /* as in struct call; set if the session is read-only now */
    const struct store_image *image;
    size_t images;
    size_t restored; /* result, also after a failure: number of files that were restored */
};

struct undo_port {
    /*
     * Read the files that a call of a built-in tool would change. If there are no such files,
     * l->images is 0. May be called again after the call has ended, to find out what has changed.
     * For a tool that writes or edits a file, that file is the last image. Fails only if the op is
     * cancelled.
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
    size_t restored; /* result: number of restored files */
    /* result: paths of the restored files, one per line; if files.full is set, some are missing */
    struct buf files;
    struct err failed; /* the first error of restoring a file */
};

/*
 * Undo the file changes of the last turn that changed files. ERR_NOT_FOUND: no turn changed files,
 * or pre-images are not stored. ERR_DENIED: a turn is running, or another process holds the
 * session. If some files cannot be restored, the op restores the others, keeps all images so that
 * you can try again, and fails. Call undo_fini afterwards; u->files is valid until then.
 */
void undo_start(struct undo *u, struct session *s, struct op *parent, op_done_fn *done, void *ctx);
void undo_fini(struct undo *u);

#endif
