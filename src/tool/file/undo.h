/*
 * undo.h - saves files before a built-in tool changes them, and restores them. Implements the undo
 * port of core/session/undo.h.
 *
 * Files are opened as tools open them (beneath.h): only inside the folders of the host. The port
 * handles files of this machine, not files of another workspace.
 */
#ifndef TOOL_FILE_UNDO_H
#define TOOL_FILE_UNDO_H

#include "core/session/undo.h"

/* The port. It has no state, so there is only one. */
extern struct undo_port tool_undo_port;

/* The function undo_port.look. */
void undo_look_start(struct undo_port *p, struct undo_look *l, struct op *parent, op_done_fn *done,
                     void *ctx);

#endif
