/*
 * acp_tool_update.h - tool calls as updates of ACP: `tool_call` for the first event of a call, then
 * `tool_call_update`.
 */
#ifndef PROTO_ACP_AGENT_ACP_TOOL_UPDATE_H
#define PROTO_ACP_AGENT_ACP_TOOL_UPDATE_H

#include "proto/acp/agent/acp_session.h"

/* A call that the client knows and that has not ended. */
struct acp_call {
    struct acp_call *next;
    bool has_args;  /* the client has got rawInput */
    char *terminal; /* id of the terminal in which the call runs a command; NULL: none */
    char id[];      /* ends with a NUL */
};

/* Send the update for an event of a tool call. */
void acp_update_tool(struct acp_session *s, const struct event_tool *t);

/* A turn has ended: report calls of the present stream that the agent has left open as failed. */
void acp_calls_end(struct acp_session *s);

/* Does the client know this call, and has it not ended? */
bool acp_call_is_open(const struct acp_session *s, struct str id);

/* A call runs a command in a terminal of the editor: the client shows it in the call. */
void acp_call_has_terminal(struct acp_session *s, struct str call, struct str terminal);

/* Forget all calls. */
void acp_calls_free(struct acp_stream *stream);

#endif
