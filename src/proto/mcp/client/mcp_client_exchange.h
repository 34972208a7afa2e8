/*
 * mcp_client_exchange.h - one HTTP request of a wire, which is a connection of the client
 * (mcp_client_transport.h). This file adds the MCP part to rpc/rpc_exchange.h.
 *
 * The messages of the response are passed to the peer of the client as they arrive. The wire
 * handles the rest: the head, events that are not messages, and the end.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H

#include "base/container.h"
#include "proto/mcp/client/mcp_client_parts.h"
#include "rpc/rpc_exchange.h"

struct mcp_exchange {
    struct rpc_exchange http; /* first */
    struct mcp_wire *wire;
    struct mcp_req *req; /* the request that waits for an answer; NULL: none */
    struct timer timer;  /* used by the wire, to resume or to close */
    struct str last_id;  /* id of the last event, for resuming the stream */
    unsigned epoch;      /* number of the wire's session when the request was sent */
    bool resent, parked;
};

static inline struct mcp_exchange *mcp_exchange_of(struct rpc_exchange *x)
{
    return CONTAINER_OF(x, struct mcp_exchange, http);
}

/* The next exchange in a list, or NULL. */
static inline struct mcp_exchange *mcp_exchange_next(struct rpc_exchange *x)
{
    return x ? mcp_exchange_of(x) : NULL;
}

/* Create an exchange in `list`, a list of the wire. The body, given in pieces, is copied. */
struct mcp_exchange *mcp_exchange_new(struct mcp_wire *w, struct rpc_exchange **list,
                                      const struct rpc_exchange_events *events,
                                      const struct str *piece, size_t n);
void mcp_exchange_free(struct mcp_exchange *x);

/* For events.on_message: pass the message to the client's peer, unless the wire is closing. */
void mcp_exchange_deliver(struct rpc_exchange *x, const struct frame *frame);

/* Add the headers that the configuration has for this server. Call it last. */
void mcp_headers_configured(struct http_header_list *h, const struct server_spec *spec);

/* Send the request. Call it again to resend the request. Adds a new trace if *h has none. */
void mcp_exchange_start(struct mcp_exchange *x, const char *method, struct str url,
                        struct http_header_list *h, int64_t whole_ms);

/* Cancel the exchange. If it was running, on_over follows. */
void mcp_exchange_stop(struct mcp_exchange *x, const struct err *why);

/* The server rejected the request: fill *e with the host, the status and the reason, and set
 * status and code of x->req. */
void mcp_exchange_refusal(struct mcp_exchange *x, struct err *e);

#endif
