/*
 * acp_client_terminals.h - the terminals in which an agent runs commands.
 *
 *   STARTING -> RUNNING -> EXITED -> CLOSED
 *
 *   STARTING  the workspace has not started the command
 *   RUNNING   the command runs
 *   EXITED    the command has ended, and the workspace still has the terminal
 *   CLOSED    the workspace has closed the terminal
 *
 * A terminal keeps the last bytes of its output. It is valid until the agent releases it, also
 * after its command has ended, but not longer than the process of the agent. It is freed when it
 * is released and CLOSED.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_TERMINALS_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_TERMINALS_H

#include "core/workspace.h"
#include "proto/acp/client/acp_client_parts.h"

enum acp_child_terminal_state { TERM_STARTING, TERM_RUNNING, TERM_EXITED, TERM_CLOSED };

struct acp_child_terminal {
    struct terminal terminal;
    struct acp_driven *session;
    struct acp_child_terminal *next;
    char id[24]; /* "": released */
    enum acp_child_terminal_state state;
    bool released;
    struct buf output;
    size_t limit; /* most bytes of the output that the agent wants */
    bool truncated;
    struct proc_exit exit; /* from EXITED on */
    struct acp_wait *waits;
};

/* Make a terminal of the session, which keeps `limit` bytes. The caller starts the command. */
struct acp_child_terminal *acp_terminal_new(struct acp_driven *s, size_t limit);

/* The command has started. The terminal may be freed, if the agent needs it no more. */
void acp_terminal_started(struct acp_child_terminal *t);

/* Free a terminal whose command was not started. */
void acp_terminal_free(struct acp_child_terminal *t);

/* Terminals of the session, with those that are still being closed. */
size_t acp_terminal_count(const struct acp_driven *s);

/* Kill and release all terminals. acp_session_gone is called when the last one is closed. */
void acp_terminals_end(struct acp_driven *s);

/* The output of a terminal; STR_NONE: there is no terminal with this id. Borrowed. */
struct str acp_terminal_output(const struct acp_driven *s, struct str id);

#endif
