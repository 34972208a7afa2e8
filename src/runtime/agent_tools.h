/*
 * agent_tools.h - every agent as a tool of MCP clients, and as a resource.
 *
 *   trefoil_agent_NAME   a tool; hyphens and dots of the name are underscores. Where two names
 *                        meet, or one is too long, it ends in a suffix (proto/mcp/tool_name.h)
 *   openfang_agent_NAME  the same tool for callers that know OpenFang's name of it; not listed
 *   agents://            a resource: the cards of all agents
 *   agents://NAME        each of them: what it is and may, its card, and its definition; also by
 *                        the template agents://{name}
 *
 * Made anew when the agents change; clients are told.
 */
#ifndef RUNTIME_AGENT_TOOLS_H
#define RUNTIME_AGENT_TOOLS_H

#include "config/config.h"
#include "core/agent/agent_call.h"
#include "core/tool/offer.h"

#define AGENTS_URI "agents://"
#define AGENT_TOOL_PREFIX "trefoil_agent_"
#define AGENT_TOOL_OPENFANG_PREFIX "openfang_agent_"

struct agent_tools {
    const struct agent_context *context;
    struct offer_source source;
    struct arena mem; /* of the tools and the resources of single agents */
    struct resource resource[2];
    struct str names;           /* of all agents, as JSON strings */
    struct tool send, dispatch; /* the built-in ones, with the names in their schemas */
};

/* No tools yet. `context` must outlive it. */
void agent_tools_init(struct agent_tools *a, const struct agent_context *context);
void agent_tools_fini(struct agent_tools *a);

/* What is offered for a built-in tool: where it takes an agent, its schema lists their names. */
const struct tool *agent_tools_named(const struct agent_tools *a, const struct tool *builtin);

/* The agents, or what the configuration exposes of them, may have changed. True: their names have. */
bool agent_tools_refresh(struct agent_tools *a, const struct config *config);

#endif
