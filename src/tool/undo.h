/*
 * undo.h - save files before a built-in tool changes them, and restore them: the undo port of
 * core/session/undo.h.
 *
 * Files are opened as tools open them (beneath.h): only inside the folders of the host. The port
 * handles files of this machine, not those of another workspace.
 */
#ifndef TOOL_UNDO_H
#define TOOL_UNDO_H

#include "core/session/undo.h"

/* It has no state: one object for all. */
extern struct undo_port tool_undo_port;

/* Its two halves, undo_look.c and undo_put.c. */
void undo_look_start(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                     void *ctx);
void undo_put_start(struct undo_port *p, struct undo_put *u, struct op *parent, op_done_fn *done,
                    void *ctx);

#endif
