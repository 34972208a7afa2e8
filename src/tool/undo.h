/*
 * undo.h - files as built-in tools would change them, and back: the undo port of core/session/undo.h.
 *
 * Both halves open files as tools do (beneath.h): inside the folders of the host only. They know
 * the files of this machine, not those of another workspace.
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
