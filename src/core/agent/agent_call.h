/*
 * agent_call.h - run an agent as a tool call, for MCP clients and for other agents.
 *
 * The call opens a session of the agent. The depth of the agent's trace (trace.h) is the depth of
 * the caller's trace plus one. The agent's rights never exceed the caller's scope. The caller
 * receives the agent's output as progress, and also the agent's questions. Cancelling the call
 * cancels the turn. The result is the answer as text, with the structured result
 * {"answer","session_id","stop","mode","usage"}. A later call with that session_id resumes the
 * session. The deadline is limits.agent_call_ms. The time during which the call waits for the
 * session or for an answer to a question does not count.
 */
#ifndef CORE_AGENT_AGENT_CALL_H
#define CORE_AGENT_AGENT_CALL_H

#include "core/agent/agent_context.h"
#include "core/block.h"

struct agent_call_opts {
    const struct agent_context *context;
    struct str agent;      /* name; STR_NONE: the agent of the session, or the default agent */
    struct blocks message; /* the prompt */
    struct str session;    /* the session to resume; STR_NONE: create a new one */
    bool read_only;
};

/*
 * Run the agent. The call ends when the agent has answered. *opts is copied; the data that it
 * points to must stay valid until then.
 */
void agent_call(struct call *call, const struct agent_call_opts *opts);

/*
 * May the call start one more agent (limits.trace_depth)? If not, the function fails the call and
 * returns false.
 */
bool agent_call_check_depth(struct call *call);

#endif
