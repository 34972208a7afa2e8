/*
 * acp_client_terminals.h - the terminals in which an agent runs commands.
 *
 *   STARTING -> RUNNING -> EXITED -> CLOSED
 *
 * A terminal keeps the last bytes of its output. It is valid until the agent releases it, also
 * after its command has ended, but not longer than the process of the agent.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_TERMINALS_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_TERMINALS_H

#include "proto/acp/client/acp_client_parts.h"

/* Kill and release all terminals. acp_session_gone is called when the last one is closed. */
void acp_terminals_end(struct acp_driven *s);

/* The output of a terminal; STR_NONE: there is no terminal with this id. Borrowed. */
struct str acp_terminal_output(const struct acp_driven *s, struct str id);

#endif
