/*
 * acp_prompt.h - a prompt of a client, from session/prompt to its response.
 *
 *   QUEUED ──> WAITING ──> WORKING ──> DONE
 *      └──────────┴───────────┴─────────^
 *
 * QUEUED   an earlier prompt of the session runs, or the session is being opened
 * WAITING  the configured MCP servers are connecting; this takes a limited time
 * WORKING  the turn runs (core/session/turn.h), or a command (acp_command.h)
 * DONE     the response is sent, after all updates of the turn
 *
 * Cancelling a prompt in any state ends it with the stop reason `cancelled`.
 */
#ifndef PROTO_ACP_AGENT_ACP_PROMPT_H
#define PROTO_ACP_AGENT_ACP_PROMPT_H

#include "proto/acp/agent/acp_session.h"

struct acp_command_run;

enum acp_prompt_state {
    ACP_PROMPT_QUEUED,
    ACP_PROMPT_WAITING,
    ACP_PROMPT_WORKING,
    ACP_PROMPT_DONE
};

/* In the memory of its request. */
struct acp_prompt {
    struct op op; /* first; a child of the request's op */
    enum acp_prompt_state state;
    struct acp_session *session;
    struct rpc_in *in;
    struct acp_prompt *next; /* in session->prompts */
    struct readiness_wait wait;
    struct blocks blocks;
    struct turn turn;
    struct acp_command_run *command; /* the command that runs instead of a turn; or NULL */
    enum turn_stop stop;             /* result, unless the op fails */
};

/* The session is OPEN: run the first prompt. */
void acp_prompts_run(struct acp_session *s);

/* Cancel all prompts of a session, also those that wait. */
void acp_prompts_cancel(struct acp_session *s);

/* For acp_command.c: the work on the prompt has ended. e: it has failed. */
void acp_prompt_end(struct acp_prompt *p, enum turn_stop stop, const struct err *e);

#endif
