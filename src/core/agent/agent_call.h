/*
 * agent_call.h - an agent's work as a tool call: agents as tools of MCP clients and of each other.
 *
 * The call runs a session of the agent, with the caller's trace one hop deeper and never above the
 * caller's own scope. The caller receives the agent's output as progress, and the agent's questions;
 * cancelling the call cancels the turn. The result is the answer as text, with the structured result
 * {"answer","session_id","stop","mode","usage"}: a later call with that session_id resumes the
 * session. The limit is limits.agent_call_ms; time spent waiting for the session or for the answer
 * to a question does not count.
 */
#ifndef CORE_AGENT_AGENT_CALL_H
#define CORE_AGENT_AGENT_CALL_H

#include "core/agent/agent_context.h"
#include "core/block.h"

struct agent_call_opts {
    const struct agent_context *context;
    struct str agent;      /* name; STR_NONE: that of the session, else the default */
    struct blocks message; /* the task */
    struct str session;    /* to resume; STR_NONE: a new one */
    bool read_only;
};

/* Settles the call when the agent has answered. All but *opts is borrowed until then. */
void agent_call(struct call *call, const struct agent_call_opts *opts);

/* May the call start one more agent? False: the call has failed. */
bool agent_call_check_depth(struct call *call);

#endif
