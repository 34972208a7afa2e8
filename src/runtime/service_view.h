/*
 * service_view.h - one scope of a service as a separate MCP server.
 *
 * A service has one server, of its scope. A daemon, which offers everything, offers less to a
 * client that requests a smaller scope: a view is an offer that joins only some of the service's
 * sources, and a server for it. Nothing is copied, so that every change reaches the clients of
 * every view.
 */
#ifndef RUNTIME_SERVICE_VIEW_H
#define RUNTIME_SERVICE_VIEW_H

#include "core/tool/offer.h"
#include "proto/mcp/server/mcp_server.h"

/* The tools that an MCP server offers to its clients. */
enum service_scope {
    SCOPE_ALL,
    SCOPE_TOOLS,  /* no agents as tools */
    SCOPE_AGENTS, /* agents as tools, and the tools that are about agents */
    SCOPES,
};

struct service;

struct service_view {
    struct offer offer;
    struct mcp_server server;
    bool open;
    bool viewing; /* the tools of servers are joined */
};

bool service_scope_named(struct str word, enum service_scope *out);
const char *service_scope_name(enum service_scope scope);

/* A tool that is offered together with agents, in views without the other tools. */
bool tool_is_about_agents(const struct tool *t);

/* The MCP server of a scope: the service's own, or a view that is opened on first use. */
struct mcp_server *service_scoped(struct service *s, enum service_scope scope);

/* For service.c: the lists have changed; servers are closed; serving has ended; free the views. */
void service_views_use(struct service *s);
void service_views_leave_servers(struct service *s);
void service_views_end(struct service *s);
void service_views_fini(struct service *s);

#endif
