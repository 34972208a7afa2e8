/*
 * undo.h - files as they were before a turn changed them, and bringing them back.
 *
 * Before a call of a tool that edits, moves or deletes begins, the files it names are read and put
 * into the store with the record that it begins. What a command of the shell or a server of others
 * changes is not covered.
 */
#ifndef CORE_UNDO_H
#define CORE_UNDO_H

#include "core/session.h"

/* A file as it is now. In the memory of who asked. */
struct file_image {
    struct str path; /* absolute */
    int64_t mode;
    struct str content;
    bool absent;
    bool too_large; /* it is not kept: limits.undo_bytes */
};

/* An op: reads on the pool. */
struct undo_look {
    struct op op; /* first */
    const struct host *host;
    struct arena *mem;
    const struct tool *tool;
    struct json args;
    struct file_image *image; /* known when it is done */
    size_t images;
};

/* An op: writes on the pool. What cannot be restored is an error; the others are restored. */
struct undo_put {
    struct op op; /* first */
    const struct host *host;
    const struct store_image *image;
    size_t images;
    size_t restored; /* known when it is done */
};

struct undo_port {
    /* Which files a call of a built-in tool would change, as they are. None: images is 0. */
    void (*look)(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                 void *who);
    void (*put)(struct undo_port *p, struct undo_put *u, struct op *parent, op_done_fn *done,
                void *who);
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
    size_t restored; /* files; known when it is done */
};

/*
 * Take back what the last turn of the session changed. ERR_NOT_FOUND when there is nothing. Call
 * undo_fini in the end.
 */
void undo_start(struct undo *u, struct session *s, struct op *parent, op_done_fn *done, void *who);
void undo_fini(struct undo *u);

#endif
