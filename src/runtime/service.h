/*
 * service.h - everything that one root serves: the guard, tools, upstream servers, agents and MCP.
 *
 * The serving verbs and the tests that run the whole stack in one process own a service. Its HTTP
 * server is in service_http.h, the part that HTTP handlers see in web/web.h. A header that only
 * passes a service on declares `struct service;`.
 */
#ifndef RUNTIME_SERVICE_H
#define RUNTIME_SERVICE_H

#include "core/guard/guard.h"
#include "core/tool/tool.h"
#include "proto/mcp/server/mcp_http.h"
#include "proto/mcp/server/mcp_server.h"
#include "runtime/agent_server.h"
#include "runtime/agent_tools.h"
#include "runtime/servers_resource.h"
#include "runtime/service_view.h"
#include "runtime/skill_registry.h"
#include "runtime/upstreams.h"
#include "state/answer_file.h"
#include "store/audit_log.h"
#include "tool/world.h"
#include "web/web.h"

struct store;

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
    struct offer_source about_agents; /* of the built-in tools, for the view of agents */
    const struct tool **about_agents_list;
    struct agent_tools agents;
    struct skill_registry skills;
    void (*on_skills)(void *ctx); /* skills have changed, and the offer with them. May be NULL */
    void *on_skills_ctx;
    struct servers_resource servers;
    struct upstreams upstreams;
    struct tool_world world;     /* of the built-in tools */
    const struct config *config; /* in force */
    struct mcp_server mcp;
    struct mcp_sessions sessions; /* of all endpoints */
    struct mcp_http mcp_http;
    struct agent_scope *scopes; /* agents that a client has asked for */
    size_t closing;             /* MCP sides that are not closed yet */
    struct store *store;        /* NULL where the verb needs none; the verb's own */
    void (*http_closed)(void *ctx);
    void *http_closed_ctx;
    size_t leaving; /* parts that are still closing: servers, tools, skills */
    bool left_in_time;
    void (*left)(void *ctx, bool in_time);
    void *left_ctx;
};

/* Open the root folder and wire tools, rpc and MCP together. `limits` must outlive the service. */
bool service_open(struct service *s, struct loop *loop, const struct limits *limits,
                  const char *root, struct err *e);

/* Judge calls by this configuration, which must live until another one is used. */
void service_use_guard(struct service *s, const struct config *config);

/*
 * Keep notes, remembered answers and the audit log there; NULL: keep none. Call it right after
 * service_open.
 */
void service_use_state(struct service *s, struct state_port *state);

/* Record calls in the state directory, unless the configuration turns the audit log off. */
void service_open_audit(struct service *s, const struct config *config);

/* Offer the built-in tools that a configuration exposes. It must live until another one is used. */
void service_expose(struct service *s, const struct config *config);

/*
 * service_expose, and connect to the MCP servers of the configuration. It must live until another
 * one is used, or the service has left its servers.
 */
void service_use(struct service *s, const struct config *config);

/* Calls of clients that write take locks of this table from now on; NULL: they take none. */
void service_use_locks(struct service *s, struct lock_table *locks);

/* service_use follows soon: lists of tools wait until each server is connected or has failed. */
void service_expect_servers(struct service *s, const struct config *config);

/* Call it once. service_use_agents and service_use follow; until then lists of tools wait. */
void service_expect_agents(struct service *s);

/* Clients can call these agents from now on; NULL: none. What *context names must outlive that. */
void service_use_agents(struct service *s, const struct agent_context *context);

/* The definitions of the agent registry have changed. */
void service_agents_changed(struct service *s);

/* Watch the skill files until the service leaves its servers. */
void service_watch(struct service *s);

/* Close upstream servers and tools, then write the rest of the audit log, then call `done`. */
void service_leave_servers(struct service *s, void (*done)(void *ctx, bool in_time), void *ctx);

/* The agent of a name as an MCP server; NULL and the reason when it cannot be served. */
struct agent_scope *service_agent(struct service *s, struct str name, struct err *e);

/* The HTTP server and the upstreams must be closed. */
void service_close(struct service *s);

#endif
