/*
 * service.h - everything plugged together: tools on a root, rpc, MCP, and the HTTP routes.
 *
 * The serving verbs and the tests that run the whole stack in one process share it.
 */
#ifndef RUNTIME_SERVICE_H
#define RUNTIME_SERVICE_H

#include "core/guard/guard.h"
#include "core/tool/tool.h"
#include "proto/mcp/server/mcp_http.h"
#include "proto/mcp/server/mcp_server.h"
#include "runtime/agent_server.h"
#include "runtime/agent_tools.h"
#include "runtime/service_view.h"
#include "runtime/skill_registry.h"
#include "runtime/upstreams.h"
#include "state/answer_file.h"
#include "store/audit_log.h"
#include "tool/world.h"
#include "web/web.h"
#include "wire/http_server.h"

struct store;

#define SERVERS_URI "trefoil://servers"

/* The resource of that name (servers_resource.c). */
struct servers_resource {
    struct resource resource;
    const struct resource *list[1];
    struct offer_source source;
};

struct service;
void servers_resource_init(struct servers_resource *r, struct service *s);

struct service {
    struct web web; /* first: handlers of routes get it */
    struct loop *loop;
    const struct limits *limits;
    struct rpc rpc;
    struct guard guard;
    struct audit_log audit; /* open when guard.audit is set */
    struct answer_file answers;
    struct offer offer;
    struct open_traces traces;  /* calls that were sent out to servers */
    struct readiness readiness; /* of servers and agents, at the start */
    struct readiness listing;   /* the same for lists, at most limits.list_ms */
    struct timer listing_late;
    struct offer_source builtin;
    const struct tool **exposed; /* of the built-in tools */
    struct offer_source clients; /* tools that agents do not have, but clients */
    const struct tool **clients_list;
    enum service_scope scope; /* set it before service_expose */
    struct service_view view[SCOPES];
    struct offer_source about_agents; /* for the built-in tools that list agents, in the view of
                                       * agents */
    const struct tool **about_agents_list;
    struct agent_tools agents;
    struct skill_registry skills;
    void (*on_skills)(void *ctx); /* they have changed, and the offer with them. May be NULL */
    void *on_skills_ctx;
    struct servers_resource servers;
    struct upstreams upstreams;
    struct tool_world world;     /* of the built-in tools */
    const struct config *config; /* in force */
    struct mcp_server mcp;
    struct mcp_sessions sessions; /* of all endpoints */
    struct mcp_http mcp_http;
    struct agent_scope *scopes; /* agents that a client has requested */
    size_t closing;             /* MCP sides that are not closed yet */
    struct store *store;        /* NULL where the verb needs none; the verb's own */
    void (*http_closed)(void *ctx);
    void *http_closed_ctx;
    size_t leaving; /* servers and tools that are not closed yet */
    bool left_in_time;
    void (*left)(void *ctx, bool in_time);
    void *left_ctx;
};

/* Open the root folder and wire tools, rpc and MCP together. `limits` must outlive the service. */
bool service_open(struct service *s, struct loop *loop, const struct limits *limits,
                  const char *root, struct err *e);

/* Check calls by this configuration; it must stay valid until it is replaced. */
void service_use_guard(struct service *s, const struct config *config);

/* Where notes, remembered answers and the audit log are kept, from service_open on. NULL: nowhere. */
void service_use_state(struct service *s, struct state_port *state);

/* Record calls in the state directory, unless the configuration disables it. */
void service_open_audit(struct service *s, const struct config *config);

/* Offer the built-in tools that a configuration exposes; it must stay valid until it is
 * replaced. */
void service_expose(struct service *s, const struct config *config);

/*
 * The same, and use its MCP servers; it must stay valid until it is replaced, or the service has
 * closed its servers.
 */
void service_use(struct service *s, const struct config *config);

/* Calls of clients that write take turns by this table (lock.h) from now on; NULL: they do not. */
void service_use_locks(struct service *s, struct lock_table *locks);

/* service_use will follow in a moment: lists of tools wait until its servers have been tried. */
void service_expect_servers(struct service *s, const struct config *config);

/* Once: agents will be there. service_use_agents, then service_use follow; lists of tools wait. */
void service_expect_agents(struct service *s);

/* Agents can be called from now on, or (NULL) no longer. The agent context must outlive that. */
void service_use_agents(struct service *s, const struct agent_context *context);

/* The cards of the agent registry have changed. */
void service_agents_changed(struct service *s);

/* Watch for changes of skills from now on, until the servers are closed. */
void service_watch(struct service *s);

/* upstreams_close and tool_world_close, for the whole service; then the audit is written to its end. */
void service_leave_servers(struct service *s, void (*done)(void *ctx, bool in_time), void *ctx);

/* The agent of a name as an MCP server; NULL and the reason if that fails. */
struct agent_scope *service_agent(struct service *s, struct str name, struct err *e);

/*
 * Add the HTTP server with all routes; it does not listen yet. The hosts and keys of the
 * configuration must outlive it.
 */
void service_add_http(struct service *s, const struct config *c);

/* The routes of every HTTP server of the service, whose ctx is &s->web. */
const struct http_route *service_routes(size_t *out_n);

/* Serve MCP no longer: listens are answered, parked calls cancelled. */
void service_end_mcp(struct service *s);

/* Close the HTTP server, end what is under way, then call done from the loop. */
void service_close_http(struct service *s, void (*done)(void *ctx), void *ctx);

/* The HTTP server and the upstreams must be closed. */
void service_close(struct service *s);

#endif
