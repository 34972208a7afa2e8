/*
 * web.h - the data of the handlers of /api and /health.
 *
 * The runtime owns it and fills it in. `ctx` of an HTTP request points to it.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "core/agent/agent_context.h"
#include "core/readiness.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "proto/mcp/server/mcp_sessions.h"
#include "web/api_events.h"

struct daemon;

/* Program lifetime. */
struct web {
    struct loop *loop;
    const struct limits *limits;
    struct guard *guard;
    struct agent_context agents;      /* no registry: there are no agents, or not yet */
    struct readiness opening;         /* open while the agents are being opened */
    struct mcp_upstreams **upstreams; /* the MCP servers in use; *upstreams NULL: none are */
    struct mcp_sessions *clients;     /* MCP sessions of all endpoints */
    struct events_api events;
    struct http_server *http; /* NULL without HTTP */
    struct daemon *daemon;    /* serves verbs on its Unix socket; NULL: no verb is served */
    int64_t started;          /* loop_now() when the program started */
    int64_t store_schema;     /* version of the database; 0: there is none */
};

#endif
