/*
 * undo.h - files as built-in tools would change them, and back: the undo port of core/session/undo.h.
 *
 * What is looked at and what is put back is reached as tools reach it (beneath.h): inside the
 * folders of the host, and nowhere else.
 */
#ifndef TOOL_UNDO_H
#define TOOL_UNDO_H

#include "core/session/undo.h"

/* It holds nothing: one for all. */
extern struct undo_port tool_undo_port;

/* Its two halves, undo_look.c and undo_put.c. */
void undo_look_start(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                     void *ctx);
void undo_put_start(struct undo_port *p, struct undo_put *u, struct op *parent, op_done_fn *done,
                    void *ctx);

#endif
