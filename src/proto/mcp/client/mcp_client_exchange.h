/*
 * mcp_client_exchange.h - one HTTP request of a wire: what MCP adds to rpc/rpc_exchange.h.
 *
 * Messages of the response are passed to the client's peer as they arrive. The wire handles the
 * rest: the head, events that are not messages, and the end.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H

#include "base/container.h"
#include "proto/mcp/client/mcp_client_in.h"
#include "rpc/rpc_exchange.h"

struct mcp_exchange {
    struct rpc_exchange http; /* first */
    struct mcp_wire *wire;
    struct mcp_req *req; /* the request that waits for an answer; NULL: none */
    struct timer timer;  /* of the wire: to resume, to close */
    struct str last_id;  /* id of the last event, for resuming the stream */
    unsigned epoch;      /* number of the wire's session when it was sent */
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

/* A new exchange in the wire's list; the body is copied. */
struct mcp_exchange *mcp_exchange_new(struct mcp_wire *w, struct rpc_exchange **list,
                                      const struct rpc_exchange_events *events,
                                      const struct str *piece, size_t n);
void mcp_exchange_free(struct mcp_exchange *x);

/* For events.on_message: pass the message to the client's peer, unless the wire is closing. */
void mcp_exchange_deliver(struct rpc_exchange *x, const struct frame *frame);

/* Add the headers of the configuration; they come last. */
void mcp_headers_configured(struct http_header_list *h, const struct server_spec *spec);

/* Send the request, the first time or again; adds a new trace if *h has none. */
void mcp_exchange_start(struct mcp_exchange *x, const char *method, struct str url,
                        struct http_header_list *h, int64_t whole_ms);

/* Cancel it; on_over follows if it was running. */
void mcp_exchange_stop(struct mcp_exchange *x, const struct err *why);

/* Fill *e with the host, the status and the reason. Also sets status and code of x->req. */
void mcp_exchange_refusal(struct mcp_exchange *x, struct err *e);

#endif
