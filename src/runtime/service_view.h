/*
 * service_view.h - a view: a separate MCP server that offers only one scope of a service.
 *
 * A service has one MCP server of its own, for service.scope. The daemon offers everything, but a
 * client can request a smaller scope. Then the client uses a view, which has an MCP server and an
 * offer that joins only some sources of the service. The sources are shared, so that clients of all
 * views see every change.
 */
#ifndef RUNTIME_SERVICE_VIEW_H
#define RUNTIME_SERVICE_VIEW_H

#include "core/tool/offer.h"
#include "proto/mcp/server/mcp_server.h"

/* The tools that an MCP server offers to its clients. */
enum service_scope {
    SCOPE_ALL,
    SCOPE_TOOLS,  /* all tools except those that stand for agents or are about agents */
    SCOPE_AGENTS, /* agents as tools, and the tools that are about agents */
    SCOPES,
};

struct service;

struct service_view {
    struct offer offer;
    struct mcp_server server;
    bool open;
    bool viewing; /* the offer has joined the tools of MCP servers */
};

bool service_scope_named(struct str word, enum service_scope *out);
const char *service_scope_name(enum service_scope scope);

/* Is the tool about agents? If so, SCOPE_AGENTS includes it. */
bool tool_is_about_agents(const struct tool *t);

/*
 * Return the MCP server of a scope: the service's own MCP server, or the MCP server of a view. The
 * view is opened when it is first used.
 */
struct mcp_server *service_scoped(struct service *s, enum service_scope scope);

/*
 * For service.c. These functions do the following for all views: use lists that have changed; leave
 * the tools of MCP servers that are about to be closed; end serving; free the views.
 */
void service_views_use(struct service *s);
void service_views_leave_servers(struct service *s);
void service_views_end(struct service *s);
void service_views_fini(struct service *s);

#endif
