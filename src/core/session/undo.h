/*
 * undo.h - files as they were before a turn changed them, and bringing them back.
 *
 * Before a call of a tool that edits, moves or deletes begins, the files it names are read and put
 * into the store with the record that it begins. What a command of the shell or a server of others
 * changes is not covered.
 */
#ifndef CORE_SESSION_UNDO_H
#define CORE_SESSION_UNDO_H

#include "core/session/session.h"

/* A file, folder or symbolic link as it is now. In the memory of who asked. */
struct file_image {
    struct str path;    /* absolute, no link in it but perhaps its last name */
    int64_t mode;       /* as st_mode: kind and permissions */
    struct str content; /* of a link: where it leads; of a folder: nothing */
    bool absent;        /* there is nothing */
    /*
     * The only image of its call, which cannot be taken back and must not be stored: there is more
     * than limits.undo_bytes or limits.undo_files, or something that cannot be read.
     */
    bool too_large;
};

/* The text of a regular file; STR_NONE: it is none, is absent, too large, or not UTF-8. */
struct str file_image_text(const struct file_image *i);

/* An op: reads on the pool. Zero it, and set the next five. */
struct undo_look {
    struct op op; /* first */
    const struct host *host;
    bool vault_only; /* as in struct call */
    struct arena *mem;
    const struct tool *tool;
    struct json args;
    struct file_image *image; /* known when it is done */
    size_t images;
};

/*
 * An op: writes on the pool, the first image first: they are given newest first. What cannot be
 * restored is an error, one sentence for all; the others are restored. No link is followed: the
 * paths of images have none. Zero it, and set the next four.
 */
struct undo_put {
    struct op op; /* first */
    const struct host *host;
    bool vault_only; /* as in struct call: the session is in read-only mode now */
    const struct store_image *image;
    size_t images;
    size_t restored; /* known when it is done, also badly: how many were not as they had been */
};

struct undo_port {
    /*
     * Which files a call of a built-in tool would change, as they are. None: images is 0. May be
     * asked again when the call has ended, to see what became of them. Of a tool that writes or
     * edits a file that file is the last image. Fails only when it is cancelled.
     */
    void (*look)(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                 void *ctx);
    void (*put)(struct undo_port *p, struct undo_put *u, struct op *parent, op_done_fn *done,
                void *ctx);
};

/* ---- taking back ----------------------------------------------------------------------------- */

/* An op: the last turn's changes of files, newest turn with any first. Zero it. */
struct undo {
    struct op op; /* first */
    struct session *session;
    struct arena mem;
    struct store_ask ask;
    struct store_step step[2];
    struct undo_put put;
    char turn[ID_TEXT];
    size_t restored;   /* files; known when it is done */
    struct buf files;  /* their paths, a line each; full: there are more. Until undo_fini */
    struct err failed; /* the first of what could not be restored */
};

/*
 * Take back what the last turn of the session changed. ERR_NOT_FOUND when there is nothing,
 * ERR_DENIED while a turn is under way or when the session is not ours any more. When some files
 * cannot be restored the op fails, the others are, and all images stay: it can be tried again.
 * Call undo_fini in the end.
 */
void undo_start(struct undo *u, struct session *s, struct op *parent, op_done_fn *done, void *ctx);
void undo_fini(struct undo *u);

#endif
