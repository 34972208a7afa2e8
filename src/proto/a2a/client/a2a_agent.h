/*
 * a2a_agent.h - the kind of agents that are remote A2A agents (core/agent/agent.h). Callers use
 * such an agent like any other.
 *
 *   session        a context of the remote agent (contextId)
 *   turn           a task, or a message without a task
 *   a question     the task is in the state input-required or auth-required; the answer is the
 *                  next message to the task
 *   cancelling     the task is cancelled
 *
 * After a restart of trefoil, an unfinished turn subscribes to its task again. If the agent cannot
 * be reached for some time, the turn continues when it can be reached again.
 *
 * Everything that a remote agent says is untrusted data: agent.source labels it.
 */
#ifndef PROTO_A2A_CLIENT_A2A_AGENT_H
#define PROTO_A2A_CLIENT_A2A_AGENT_H

#include "core/agent/agent.h"
#include "proto/a2a/client/a2a_peer.h"

/* The agent.own of such an agent is a struct a2a_peer. */
extern const struct agent_kind a2a_agent_kind;
enum { A2A_AGENT_CAPS = AGENT_MEDIA | AGENT_RESUMES | AGENT_SAVES };

#endif
