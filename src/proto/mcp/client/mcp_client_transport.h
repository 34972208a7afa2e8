/*
 * mcp_client_transport.h - the transport of a client: a child's pipes, or one of the HTTP
 * transports.
 *
 * A wire gives its client a link to send messages. While a request is sent, w->sending is set,
 * because HTTP needs the request behind the bytes (for its headers, and to report its failure). All
 * other messages sent through the link are notifications or responses.
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

    /* A request is over: it was answered, or its caller no longer waits. NULL: nothing to do. */
    void (*forget)(struct mcp_wire *w, struct mcp_req *r, bool answered);

    /* A handshake is done. NULL: nothing to do. */
    void (*greeted)(struct mcp_wire *w);

    /*
     * Resend the requests that wait for a new session (e == NULL), or fail them. NULL: has no
     * sessions.
     */
    void (*renewed)(struct mcp_wire *w, const struct err *e);

    /* Close the wire gracefully; called once, at any time. */
    void (*close)(struct mcp_wire *w);

    /* The child behind it. NULL: none. */
    const struct proc *(*proc)(const struct mcp_wire *w);
};

struct mcp_wire {
    const struct mcp_wire_kind *kind;
    struct mcp_client *c;
    struct link *link;       /* once open */
    struct mcp_req *sending; /* the request whose bytes are being sent */
    struct mcp_wire *next;   /* in the client's list of wires that are not closed yet */
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

/* Start to open a wire. Failures are reported later, by mcp_wire_failed. */
typedef struct mcp_wire *mcp_wire_open_fn(struct mcp_client *c);

mcp_wire_open_fn mcp_stdio_wire_open, mcp_http_wire_open, mcp_sse_wire_open;

#endif
