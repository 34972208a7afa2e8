/*
 * agent_call.h - run an agent as a tool call, for MCP clients and for other agents.
 *
 * The call opens a session of the agent. Its trace is one hop deeper than the caller's, and its
 * rights never exceed the caller's scope. The caller receives the agent's output as progress, and
 * the agent's questions. Cancelling the call cancels the turn. The result is the answer as text,
 * with the structured result {"answer","session_id","stop","mode","usage"}; a later call with that
 * session_id resumes the session. The deadline is limits.agent_call_ms; time spent waiting for the
 * session or for the answer to a question does not count.
 */
#ifndef CORE_AGENT_AGENT_CALL_H
#define CORE_AGENT_AGENT_CALL_H

#include "core/agent/agent_context.h"
#include "core/block.h"

struct agent_call_opts {
    const struct agent_context *context;
    struct str agent;      /* name; STR_NONE: the agent of the session, or the default agent */
    struct blocks message; /* the task */
    struct str session;    /* to resume; STR_NONE: a new one */
    bool read_only;
};

/*
 * Run the agent; settles the call when the agent has answered. *opts is copied; the data it points
 * to must stay valid until then.
 */
void agent_call(struct call *call, const struct agent_call_opts *opts);

/*
 * Is the call allowed to start one more agent (limits.trace_depth)? False: the call has been
 * failed.
 */
bool agent_call_check_depth(struct call *call);

#endif
