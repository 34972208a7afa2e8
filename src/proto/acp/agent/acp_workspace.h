/*
 * acp_workspace.h - the editor's text files and terminals, as a workspace of core
 * (core/workspace.h).
 *
 * A session uses it if the client has declared one of the capabilities fs.readTextFile,
 * fs.writeTextFile and terminal. What the client cannot do is done on this machine.
 *
 * Files: the file on the disk is opened first, as the local workspace opens it. So all rules are
 * checked against the opened file, and a link never leads out of the root. The editor then gives
 * the text, which may be newer than the file, and takes the new text. A new file is created on the
 * disk, and then given to the editor.
 *
 * Terminals: the editor runs `trefoil sandbox --profile P -- COMMAND`, so the command has the same
 * sandbox as on this machine. They take no input.
 */
#ifndef PROTO_ACP_AGENT_ACP_WORKSPACE_H
#define PROTO_ACP_AGENT_ACP_WORKSPACE_H

#include "core/workspace.h"
#include "proto/acp/agent/acp_session.h"

/* Return the workspace of a session that is being opened; NULL: this machine. */
struct workspace *acp_workspace_of(struct acp_session *s);

/* The session of such a workspace. */
struct acp_session *acp_workspace_session(struct workspace *w);

/* The absolute path of a place; in mem, or as long as the place. */
struct str acp_path_of_place(struct arena *mem, const struct place *p);

/* ---- for acp_workspace.c: the terminals (acp_terminal.c) -------------------------------------- */

void acp_terminal_run(struct workspace *w, struct terminal *t, struct op *parent, op_done_fn *done,
                      void *ctx);
struct stream *acp_terminal_input(struct terminal *t);
void acp_terminal_kill(struct terminal *t);
void acp_terminal_release(struct terminal *t);

#endif
