/*
 * agent_tools.h - each agent as a tool and as a resource of MCP clients.
 *
 *   trefoil_agent_NAME   a tool; hyphens and dots of the name become underscores. A name that is
 *                        too long or not unique ends in a suffix (proto/mcp/tool_name.h)
 *   openfang_agent_NAME  another name of the same tool, as OpenFang has it; not listed
 *   agents://            a resource: the cards of all agents
 *   agents://NAME        a resource per agent: its card, rights and definition; also by the
 *                        template agents://{name}
 *
 * When the agents change, the lists are made again and clients are notified.
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

/* The tool to offer for a built-in tool: if it takes an agent, its schema lists their names. */
const struct tool *agent_tools_named(const struct agent_tools *a, const struct tool *builtin);

/* The built-in tool that agent_tools_named has replaced; any other tool as it is. */
const struct tool *agent_tools_builtin(const struct agent_tools *a, const struct tool *offered);

/* Call it when the agents or the configuration may have changed. True: the names of agents have. */
bool agent_tools_refresh(struct agent_tools *a, const struct config *config);

#endif
