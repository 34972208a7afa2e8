/*
 * mcp_client_exchange.h - one HTTP request of a wire and the messages that answer it.
 *
 * An answer is one JSON document or a stream of events; either way its messages are given to the
 * client's peer as they come. What the request as a whole means is the wire's business: it hears of
 * the head, of events that are no messages, and of the end.
 *
 * An exchange lives in an arena of its own, not in that of a call: a connection whose last bytes
 * are still to come can be kept, though the call is answered.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_EXCHANGE_H

#include "proto/mcp/client/mcp_client_in.h"
#include "wire/http_client.h"
#include "wire/sse_read.h"

struct mcp_exchange_events {
    /* The head is there. May be NULL. */
    void (*on_head)(struct mcp_exchange *x);

    /* An event; true when it was no message for the peer. May be NULL. */
    bool (*on_event)(struct mcp_exchange *x, const struct sse_event *ev);

    /* It has ended; e is NULL when an answer of any status is complete. */
    void (*on_over)(struct mcp_exchange *x, const struct err *e);
};

struct mcp_exchange {
    struct fetch fetch; /* first */
    struct arena mem;   /* holds this too */
    struct mcp_wire *wire;
    const struct mcp_exchange_events *events;
    struct mcp_req *req; /* who waits for an answer; NULL: nobody */
    struct str body;
    struct buf text; /* of a JSON answer */
    struct sse_reader sse;
    struct timer timer; /* of the wire: to resume, to let go */
    struct mcp_exchange *next, **link;
    struct str last_id; /* of the stream so far, when it is resumed */
    unsigned epoch;     /* of the wire's sessions, when it was sent */
    bool running, streams, resent, parked;
    struct err broke; /* why we cancelled it; code 0: we did not */
};

/* A new one in the wire's list; body is copied. */
struct mcp_exchange *mcp_exchange_new(struct mcp_wire *w, struct mcp_exchange **list,
                                      const struct mcp_exchange_events *events,
                                      const struct str *piece, size_t n);
void mcp_exchange_free(struct mcp_exchange *x);

/* The headers every request has: those of the configuration come last. */
enum { MCP_EXCHANGE_HEADERS = 160 };
struct mcp_headers {
    struct http_header h[MCP_EXCHANGE_HEADERS];
    size_t n;
};
void mcp_headers_add(struct mcp_headers *h, const char *name, struct str value);
void mcp_headers_configured(struct mcp_headers *h, const struct server_spec *spec);

/* Send it, the first time or again; with a trace of our own when *h has none. */
void mcp_exchange_start(struct mcp_exchange *x, const char *method, struct str url,
                        struct mcp_headers *h, int64_t whole_ms);

/* Stop it; on_over follows when it was running. */
void mcp_exchange_stop(struct mcp_exchange *x, const struct err *why);

/* Say which host answered with which status, and what it said. Sets code of x->req too. */
void mcp_exchange_refusal(struct mcp_exchange *x, struct err *e);

/* "127.0.0.1:8080" of a URL. */
struct str mcp_host_of(const char *url);

#endif
