/*
 * mcp_client_transport.h - the transport of a client: a child's pipes, or one of the three HTTP
 * transports.
 *
 * A wire gives its client a link to send by. Requests are sent with w->sending set, so that a wire
 * that needs the request behind the bytes (HTTP: for its headers, and to report its failure) has
 * it; everything else that is sent over the link is a notification or a response.
 *
 *   opening -> open -> failed -> closed        reported by the mcp_wire_* functions below, from the
 *                                              loop, never from inside open or close
 *
 * Memory: a wire is on the heap, frees itself when closed, and must have called mcp_wire_closed
 * before.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_TRANSPORT_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_TRANSPORT_H

#include "core/tool/server_spec.h"
#include "wire/link.h"

struct mcp_client;
struct mcp_req;
struct mcp_wire;
struct proc;

struct mcp_wire_kind {
    enum server_transport transport;

    /* A request is over: it was answered, or its caller no longer waits. NULL: nothing to do. */
    void (*forget)(struct mcp_wire *w, struct mcp_req *r, bool answered);

    /* A handshake is done. NULL: nothing to do. */
    void (*greeted)(struct mcp_wire *w);

    /* Send again what waits for a new session (e == NULL), or fail it. NULL: has no sessions. */
    void (*renewed)(struct mcp_wire *w, const struct err *e);

    /* End it politely; may be called once, at any time. */
    void (*close)(struct mcp_wire *w);

    /* The child behind it. NULL: none. */
    const struct proc *(*proc)(const struct mcp_wire *w);
};

struct mcp_wire {
    const struct mcp_wire_kind *kind;
    struct mcp_client *c;
    struct link *link;       /* once open */
    struct mcp_req *sending; /* the request whose bytes are being sent */
    struct mcp_wire *next;   /* of the wires that the client has not seen closed */
    bool closing;
};

/* ---- what a wire reports to its client --------------------------------------------------- */

void mcp_wire_opened(struct mcp_wire *w);

/* The wire is unusable; status is the HTTP status if the server refused to open it, else 0. */
void mcp_wire_failed(struct mcp_wire *w, int status, const struct err *e);

/* The server has forgotten our session. The client repeats the handshake and then calls
 * `renewed`. */
void mcp_wire_session_lost(struct mcp_wire *w);

void mcp_wire_closed(struct mcp_wire *w);

/* ---- the wires --------------------------------------------------------------------------- */

/* Begin to open one. Never fails at once. */
typedef struct mcp_wire *mcp_wire_open_fn(struct mcp_client *c);

mcp_wire_open_fn mcp_stdio_wire_open, mcp_http_wire_open, mcp_sse_wire_open;

#endif
