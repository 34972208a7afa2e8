/*
 * mcp_upstream_state.h - the states of an upstream, a configured server. Pure.
 *
 *   STOPPED -> CONNECTING -> READY -> STOPPING -> STOPPED
 *                  |  ^        |         |
 *                  v  |        v         v
 *                 WAITING, BROKEN <------+         CLOSING -> CLOSED
 *
 * DISABLED    disabled in the configuration
 * UNTRUSTED   the server is defined in a file of the project and the user has not trusted it:
 *             nothing is started
 * STOPPED     nothing runs; the tools may be known from the cache. A call starts the server
 * CONNECTING  a client is open and not ready yet. Calls wait
 * READY       calls are sent, as many at once as the configuration allows
 * WAITING     the connection failed or was lost, and is retried soon. Calls wait
 * BROKEN      the connection failed too often in a row; calls fail at once until the next attempt
 * STOPPING    the client is closing because it was idle, or because the server hangs
 * CLOSING     the upstream is closed and its client still closes
 * CLOSED      everything is closed; the upstream may be freed after its last call
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAM_STATE_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAM_STATE_H

enum upstream_state {
    UP_DISABLED,
    UP_UNTRUSTED,
    UP_STOPPED,
    UP_CONNECTING,
    UP_READY,
    UP_WAITING,
    UP_BROKEN,
    UP_STOPPING,
    UP_CLOSING,
    UP_CLOSED,
    UP_STATES,
};

enum upstream_event {
    UP_ON_WANTED,    /* a connection is wanted: at the start, or by a call */
    UP_ON_READY,     /* the client is connected and has the tools */
    UP_ON_FAILED,    /* the client could not connect, or its connection was lost */
    UP_ON_TOO_OFTEN, /* the same, too often in a row */
    UP_ON_TIME,      /* the time until the next attempt is over */
    UP_ON_UNUSED,    /* the client must be closed, but the upstream may connect again later */
    UP_ON_GONE,      /* the client that we closed is freed */
    UP_ON_CLOSE,     /* the owner closes the upstream */
    UP_EVENTS,
};

/* The next state; the same state if the event changes nothing. */
enum upstream_state upstream_next(enum upstream_state s, enum upstream_event ev);

/* The name shown to users: "connecting", "ready", ... */
const char *upstream_state_name(enum upstream_state s);

#endif
