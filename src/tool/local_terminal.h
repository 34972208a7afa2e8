/*
 * local_terminal.h - terminals of the local workspace: commands under the keeper (loop/proc.h).
 *
 * A pool thread opens the working folder and checks the rules against its descriptor. The command
 * starts in the folder of that descriptor, because by then the path may lead to another folder.
 */
#ifndef TOOL_LOCAL_TERMINAL_H
#define TOOL_LOCAL_TERMINAL_H

#include "core/workspace.h"

/* Functions of struct workspace_kind. host->world must be set. */
void local_terminal_run(struct workspace *w, struct terminal *t, struct op *parent,
                        op_done_fn *done, void *ctx);
struct stream *local_terminal_input(struct terminal *t);
void local_terminal_kill(struct terminal *t);
void local_terminal_release(struct terminal *t);

#endif
