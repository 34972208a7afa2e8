/*
 * service.h - a service: the guard, tools, upstream servers, agents and MCP servers of one root.
 *
 * Verbs that serve clients create a service, and so do tests that run the whole program in one
 * process. service_http.h has the HTTP server of a service; web/web.h has the data for HTTP
 * handlers.
 */
#ifndef RUNTIME_SERVICE_H
#define RUNTIME_SERVICE_H

#include "core/guard/guard.h"
#include "core/sandbox_policy.h"
#include "core/tool/tool.h"
#include "proto/a2a/client/a2a_tools.h"
#include "proto/a2a/server/a2a_server.h"
#include "proto/mcp/server/mcp_http.h"
#include "proto/mcp/server/mcp_server.h"
#include "runtime/agent_server.h"
#include "runtime/agent_tools.h"
#include "runtime/servers_resource.h"
#include "runtime/service_secrets.h"
#include "runtime/service_view.h"
#include "runtime/skill_registry.h"
#include "runtime/upstreams.h"
#include "state/answer_file.h"
#include "store/audit_log.h"
#include "tool/tool_resources.h"
#include "web/web.h"

struct store;

struct service {
    struct web web; /* first; HTTP handlers get a pointer to it */
    struct loop *loop;
    const struct limits *limits;
    struct rpc rpc;
    struct guard guard;
    struct sandbox_policy sandbox;
    struct arena sandbox_mem; /* memory of the paths in sandbox.hidden */
    struct service_secrets secrets;
    struct audit_log audit; /* the audit log; it is open when guard.audit is set */
    struct answer_file answers;
    struct offer offer;
    struct open_traces traces; /* calls that were sent to servers */
    /* the gate at which calls wait until servers and agents are ready */
    struct readiness readiness;
    /* the gate at which requests for lists wait, for at most limits.list_ms */
    struct readiness listing;
    struct timer listing_late;
    struct offer_source builtin;
    const struct tool **exposed; /* the built-in tools that are offered */
    struct offer_source clients; /* tools that only clients have, not agents */
    const struct tool **clients_list;
    enum service_scope scope; /* set this before service_expose */
    struct service_view view[SCOPES];
    struct offer_source about_agents; /* the built-in tools about agents, for SCOPE_AGENTS */
    const struct tool **about_agents_list;
    struct agent_tools agents;
    struct skill_registry skills;
    void (*on_skills)(void *ctx); /* called when the skills and their tool have changed; or NULL */
    void *on_skills_ctx;
    struct servers_resource servers;
    struct upstreams upstreams;
    struct a2a_tools a2a_tools;  /* calls of remote agents by their URL */
    struct tool_resources world; /* the resources that the built-in tools use */
    /* the configured port and the listening port of this program, for world.outside; 0: none */
    uint16_t own_port[2];
    const struct config *config; /* the current configuration */
    struct mcp_server mcp;
    struct mcp_sessions sessions; /* the MCP sessions of all endpoints */
    struct mcp_http mcp_http;
    struct a2a_setup a2a_setup;
    struct a2a_server a2a;
    struct arena routes;        /* memory of the routes of the HTTP server */
    struct agent_scope *scopes; /* the agents that clients have used as MCP servers */
    size_t closing;             /* number of MCP servers that are not closed yet */
    struct store *store;        /* owned by the verb; NULL: the verb needs no store */
    void (*http_closed)(void *ctx);
    void *http_closed_ctx;
    size_t leaving; /* number of parts that are still closing: servers, tools, skills */
    bool left_in_time;
    void (*left)(void *ctx, bool in_time);
    void *left_ctx;
};

/* Open the root folder and set up tools, RPC and MCP. `limits` must outlive the service. */
bool service_open(struct service *s, struct loop *loop, const struct limits *limits,
                  const char *root, struct err *e);

/*
 * Use this configuration for the guard and for the check of addresses that tools may reach. The
 * configuration must live until it is replaced.
 */
void service_use_guard(struct service *s, const struct config *config);

/*
 * Store notes, remembered answers and the audit log in this state directory; NULL: do not store
 * them. Call this right after service_open.
 */
void service_use_state(struct service *s, struct state_port *state);

/* Record calls in the state directory, unless the configuration turns the audit log off. */
void service_open_audit(struct service *s, const struct config *config);

/*
 * Set the address on which the program listens, as written by http_server_listen.
 */
void service_use_address(struct service *s, struct str address);

/* Offer the built-in tools that *config exposes. *config must live until it is replaced. */
void service_expose(struct service *s, const struct config *config);

/*
 * Call service_expose, and connect to the MCP servers of the configuration. *config must live until
 * it is replaced or service_leave_servers is done.
 */
void service_use(struct service *s, const struct config *config);

/* From now on, calls of clients that write use this table of locks; NULL: they use no locks. */
void service_use_locks(struct service *s, struct lock_table *locks);

/*
 * Let requests for lists of tools wait until each server has connected or failed. Call service_use
 * soon afterwards.
 */
void service_expect_servers(struct service *s, const struct config *config);

/*
 * Let requests for lists of tools wait until service_use_agents and service_use were called. Call
 * this only once.
 */
void service_expect_agents(struct service *s);

/*
 * Let clients call these agents from now on; NULL: no agents. The data of *context must stay valid.
 */
void service_use_agents(struct service *s, const struct agent_context *context);

/* Call this when the definitions in the agent registry have changed. */
void service_agents_changed(struct service *s);

/* Watch the skill files for changes, until service_leave_servers. */
void service_watch(struct service *s);

/* Close upstream servers and tools, then write the rest of the audit log, then call `done`. */
void service_leave_servers(struct service *s, void (*done)(void *ctx, bool in_time), void *ctx);

/*
 * Return the MCP server of an agent. If the agent cannot be served, returns NULL, with the reason
 * in *e.
 */
struct agent_scope *service_agent(struct service *s, struct str name, struct err *e);

/* Free the service. Close the HTTP server and the upstreams first. */
void service_close(struct service *s);

#endif
