/*
 * agent_server.h - offers one agent as an MCP server: `trefoil mcp --agent NAME` and /mcp/NAME.
 *
 * The definition of the agent (agent_files.h) lists what it exports, for example in
 * agents/NAME/agent.json:
 *
 *   { "name": "coder", "mcp": { "expose_tools": ["file_read", "git:status"],
 *                               "private_tools": ["admin:reset"] } }
 *
 * Only listed tools are exported, and a private tool stays private even if it is listed. A tool of
 * an MCP server is listed by its published name or as server:tool, and clients see it under the
 * listed name. The name of the MCP server is the agent's name.
 *
 * The MCP server has one resource, agents://NAME: {"card":{...},"tools":[names of exported tools]}.
 * When the definition changes, clients are notified. When it is deleted, the MCP server offers
 * nothing.
 */
#ifndef RUNTIME_AGENT_SERVER_H
#define RUNTIME_AGENT_SERVER_H

#include "core/guard/guard.h"
#include "proto/mcp/server/mcp_http.h"
#include "runtime/upstreams.h"

struct agent_scope {
    struct arena mem;
    const char *name; /* name of the agent */
    const char *uri;  /* URI of the resource with the agent's card */

    /* memory of the members from here to `trusted`, which are read from the definition */
    struct arena def_mem;
    struct pick_strs expose, hidden;
    struct agent_card card;
    bool gone;    /* the agent no longer exists */
    bool trusted; /* the agent's expose_tools may offer more tools than [mcp] does */

    struct resource resource; /* the resource with the agent's card */
    const struct resource *resources[1];
    struct offer_source about; /* the source that contains the resource */

    const struct config *config; /* the current configuration */
    struct offer offer;
    struct offer_source builtin;
    const struct tool **list; /* memory of builtin.tool */
    struct mcp_upstreams_view view;
    bool viewing;
    /*
     * For each origin: the rights of all clients ([mcp]), and a scope below them for the clients of
     * this agent.
     */
    struct guard_scope endpoint[ORIGINS], scope[ORIGINS];
    struct mcp_server server;
    struct mcp_http http;
    struct agent_scope *next;
};

/*
 * Read the agent's definition and offer the built-in tools that it exports. ERR_NOT_FOUND: there is
 * no such agent. `config` must stay valid until agent_scope_use replaces it.
 */
struct agent_scope *agent_scope_new(struct str name, const struct host *host, struct rpc *rpc,
                                    struct mcp_sessions *sessions, const struct config *config,
                                    struct err *e);

/*
 * Read the definition again, and offer the tools that it exports now. False: the definition no
 * longer exists, and nothing is offered.
 */
bool agent_scope_reload(struct agent_scope *a, struct err *e);

/* Use another configuration, and the tools of these upstreams (may be NULL). */
void agent_scope_use(struct agent_scope *a, const struct config *config,
                     struct mcp_upstreams *upstreams);

/* Stop using the tools of the upstreams, because they are about to be closed. */
void agent_scope_leave_upstreams(struct agent_scope *a);

/* Free *a. Before this, close the MCP server and call agent_scope_leave_upstreams. */
void agent_scope_free(struct agent_scope *a);

#endif
