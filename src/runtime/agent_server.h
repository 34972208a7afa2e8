/*
 * agent_server.h - one agent as an MCP server: `trefoil mcp --agent NAME` and /mcp/NAME.
 *
 * The definition of the agent (agent_files.h) lists what it exports, for example in
 * agents/NAME/agent.json:
 *
 *   { "name": "coder", "mcp": { "expose_tools": ["file_read", "git:status"],
 *                               "private_tools": ["admin:reset"] } }
 *
 * Only listed tools are exported, and a private tool stays private even if it is listed. A tool of
 * a server is listed by its published name or as server:tool, and is published as listed. The MCP
 * server carries the agent's name.
 *
 * It has one resource, agents://NAME: {"card":{...},"tools":[names of exported tools]}. When the
 * definition changes, clients are notified; when it is deleted, nothing is offered any more.
 */
#ifndef RUNTIME_AGENT_SERVER_H
#define RUNTIME_AGENT_SERVER_H

#include "core/guard/guard.h"
#include "proto/mcp/server/mcp_http.h"
#include "runtime/upstreams.h"

struct agent_scope {
    struct arena mem;
    const char *name; /* as it is called by */
    const char *uri;  /* of its card */

    struct arena def_mem; /* for data of its definition: */
    struct pick_strs expose, hidden;
    struct agent_card card;
    bool gone;    /* the agent does not exist any more */
    bool trusted; /* its expose_tools may offer more tools than [mcp] does */

    struct resource resource; /* its card */
    const struct resource *resources[1];
    struct offer_source about; /* of that resource */

    const struct config *config; /* its private_tools apply to no other agent */
    struct offer offer;
    struct offer_source builtin;
    const struct tool **list; /* builtin.tool */
    struct mcp_upstreams_view view;
    bool viewing;
    /* By origin: the rights of all clients by [mcp], and below them those of its own clients. */
    struct guard_scope endpoint[ORIGINS], scope[ORIGINS];
    struct mcp_server server;
    struct mcp_http http;
    struct agent_scope *next;
};

/*
 * Read the agent's definition and offer the built-in tools that it exports. ERR_NOT_FOUND when
 * there is no such agent. `config` must stay valid until it is replaced.
 */
struct agent_scope *agent_scope_new(struct str name, const struct host *host, struct rpc *rpc,
                                    struct mcp_sessions *sessions, const struct config *config,
                                    struct err *e);

/* Read the definition again, and offer what it exports now. False: there is none, and nothing is
 * offered. */
bool agent_scope_reload(struct agent_scope *a, struct err *e);

/* Use another configuration, and the tools of these upstreams (may be NULL). */
void agent_scope_use(struct agent_scope *a, const struct config *config,
                     struct mcp_upstreams *upstreams);

/* The upstreams are about to be closed. */
void agent_scope_leave_upstreams(struct agent_scope *a);

/* Its MCP server must be closed, and its upstreams left, before. */
void agent_scope_free(struct agent_scope *a);

#endif
