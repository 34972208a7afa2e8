/*
 * web.h - the data of the handlers of /api and /health.
 *
 * The service (runtime/service.h) contains this struct and fills it in. `ctx` of an HTTP request
 * points to the struct.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "core/agent/agent_context.h"
#include "core/readiness.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "proto/mcp/server/mcp_sessions.h"
#include "web/api_events.h"

struct daemon;

/* Lives as long as the program. */
struct web {
    struct loop *loop;
    const struct limits *limits;
    struct guard *guard;
    struct agent_context agents; /* agents.registry is NULL while there are no agents */
    struct readiness opening;    /* the gate for requests while the agents are being opened */
    /* the MCP servers in use; *upstreams is NULL if there are none */
    struct mcp_upstreams **upstreams;
    struct mcp_sessions *clients; /* MCP sessions of all endpoints */
    struct events_api events;
    struct http_server *http; /* NULL: there is no HTTP server */
    /* serves verbs on its Unix socket; NULL: there is no daemon for verbs */
    struct daemon *daemon;
    int64_t started;      /* loop_now() when the program started */
    int64_t store_schema; /* version of the database schema; 0: there is no database */
};

#endif
