/*
 * agent_tools.h - offers each agent to MCP clients as a tool and as a resource.
 *
 *   trefoil_agent_NAME   a tool; hyphens and dots of the name become underscores. A name that is
 *                        too long or not unique ends in a suffix (proto/mcp/tool_name.h)
 *   openfang_agent_NAME  the name of the same tool in OpenFang; accepted, but not listed
 *   agents://            a resource with the cards of all agents
 *   agents://NAME        a resource per agent, with its card, rights and definition; there is also
 *                        the template agents://{name}
 *
 * When the agents change, the lists are created again and clients are notified.
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
    struct arena mem; /* memory of the tools, and of the resources of single agents */
    struct resource resource[2];
    struct str names;           /* the names of all agents, as JSON strings */
    struct tool send, dispatch; /* copies of built-in tools, with these names in their schemas */
};

/* Initialize *a without tools. `context` must outlive *a. */
void agent_tools_init(struct agent_tools *a, const struct agent_context *context);
void agent_tools_fini(struct agent_tools *a);

/*
 * Return the tool to offer in place of a built-in tool. If the tool has an argument that names an
 * agent, the schema of that argument in the result lists the names of all agents.
 */
const struct tool *agent_tools_named(const struct agent_tools *a, const struct tool *builtin);

/* Return the built-in tool that agent_tools_named has replaced by `offered`. */
const struct tool *agent_tools_builtin(const struct agent_tools *a, const struct tool *offered);

/*
 * Call this when the agents or the configuration may have changed. Returns true if names of agents
 * have changed.
 */
bool agent_tools_refresh(struct agent_tools *a, const struct config *config);

#endif
