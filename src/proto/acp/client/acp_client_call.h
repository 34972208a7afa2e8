/*
 * acp_client_call.h - a request of the agent that runs as a tool call, so that the guard judges it, asks
 * the client if needed, and records it in the audit log.
 */
#ifndef PROTO_ACP_CLIENT_ACP_CLIENT_CALL_H
#define PROTO_ACP_CLIENT_ACP_CLIENT_CALL_H

#include "proto/acp/client/acp_client_parts.h"

struct acp_agent_call {
    struct acp_request request; /* first */
    struct acp_turn *turn;
    struct caller caller;
    struct call call;
    struct str id;   /* id of the call for the client, if it asks a question */
    struct str path; /* the file or the command, for the log */
    enum tool_kind kind;
    bool reports;   /* the client sees the call, also if it asks no question */
    bool shown;     /* the client knows the call */
    struct err why; /* set by acp_call_fail: the failure with its code */

    /* Answer the request; the call has succeeded. */
    void (*answer)(struct acp_agent_call *c);
};

/*
 * Allocate a call of at least `size` bytes, whose first member is a struct acp_agent_call. NULL: there is
 * no such session, or no prompt is running; then the request was answered with an error.
 */
void *acp_call_new(struct rpc_in *in, size_t size);

/* The struct acp_agent_call of a call that a tool runs. */
struct acp_agent_call *acp_call_of(struct call *call);

/*
 * Run the tool with these arguments (raw JSON). When it is done, c->answer is called, or the request
 * is answered with the error.
 */
void acp_call_run(struct acp_agent_call *c, const struct tool *tool, struct str args);

/* For tools: fail the call with an error that the agent gets. */
void acp_call_fail(struct call *call, const struct err *e);

#endif
