/*
 * agent_call.h - an agent's work as a tool call: agents as tools of MCP clients and of each other.
 *
 * The call runs a session of the agent, with the caller's trace one hop deeper and never above the
 * caller's own scope. What the agent says and does goes to the caller as progress; what it asks is
 * asked of the caller; cancelling the call cancels the turn. The result is its answer as text, with
 * {"answer","session_id","stop","usage"} beside it, so that the conversation can be gone on with.
 * It has limits.agent_call_ms, not counting the time that it waits for its session or that somebody
 * is asked.
 */
#ifndef CORE_AGENT_AGENT_CALL_H
#define CORE_AGENT_AGENT_CALL_H

#include "core/agent/agent_context.h"

struct agent_call_opts {
    const struct agent_context *context;
    struct str agent;   /* name; STR_NONE: that of the session, else the default */
    struct str message; /* what it is to do */
    struct str session; /* to go on with; STR_NONE: a new one */
    bool read_only;
};

/* Settles the call, in the end. Everything is borrowed until then, but *opts. */
void agent_call(struct call *call, const struct agent_call_opts *opts);

/* May the call set one more agent to work? Else it has failed. */
bool agent_call_check_depth(struct call *call);

#endif
