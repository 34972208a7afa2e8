/*
 * mcp_client_transport.h - the transport of a client: the pipes of a child, or one of the HTTP
 * transports.
 *
 * A connection through a transport is called a wire. A wire gives its client a link to send
 * messages. While a request is being sent, w->sending points to it, so that the HTTP code can add
 * the headers of the request and report its failure. While w->sending is NULL, the messages are
 * notifications or responses.
 *
 *   opening -> open -> failed -> closed
 *
 * A wire reports these changes with the mcp_wire_* functions below, from the loop, never from
 * inside open or close. A wire is on the heap. It calls mcp_wire_closed when it is closed, and then
 * frees itself.
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

    /* A request has ended: it was answered, or its caller no longer waits. May be NULL. */
    void (*forget)(struct mcp_wire *w, struct mcp_req *r, bool answered);

    /* The handshake is done. May be NULL. */
    void (*greeted)(struct mcp_wire *w);

    /*
     * If e is NULL, the lost session was replaced: resend the requests that wait for it. Otherwise
     * the session could not be replaced: fail these requests. The member is NULL if this transport
     * has no sessions.
     */
    void (*renewed)(struct mcp_wire *w, const struct err *e);

    /* Close the wire gracefully; called once, at any time. */
    void (*close)(struct mcp_wire *w);

    /* The child of this wire. NULL: none. */
    const struct proc *(*proc)(const struct mcp_wire *w);
};

struct mcp_wire {
    const struct mcp_wire_kind *kind;
    struct mcp_client *c;
    struct link *link;       /* set when the wire is open */
    struct mcp_req *sending; /* the request whose bytes are being sent */
    struct mcp_wire *next;   /* the next wire of the client that is not closed yet */
    bool closing;
};

/* ---- what a wire reports to its client --------------------------------------------------- */

void mcp_wire_opened(struct mcp_wire *w);

/* The wire cannot be used. status is the HTTP status if the server refused the connection, else
 * 0. */
void mcp_wire_failed(struct mcp_wire *w, int status, const struct err *e);

/* The server has forgotten our session. The client repeats the handshake and then calls
 * `renewed`. */
void mcp_wire_session_lost(struct mcp_wire *w);

void mcp_wire_closed(struct mcp_wire *w);

/* ---- the wires --------------------------------------------------------------------------- */

/* Start to open a wire. Failures are reported later, by mcp_wire_failed. */
typedef struct mcp_wire *mcp_wire_open_fn(struct mcp_client *c);

mcp_wire_open_fn mcp_stdio_wire_open, mcp_http_wire_open, mcp_sse_wire_open;

#endif
