/*
 * http_gate.h - is this request allowed, and which route serves it? Pure; part of the HTTP server.
 *
 * A web page can make the browser of our user send requests to us. The page cannot choose the Host
 * and Origin headers freely, so a request with an unknown name in one of them is rejected.
 */
#ifndef WIRE_HTTP_GATE_H
#define WIRE_HTTP_GATE_H

#include "wire/http1_parse.h"
#include "wire/http_server.h"

/* A row of the route table, parsed. */
struct http_gate_route {
    struct str method, path;
    bool more; /* path is a prefix, which a longer path must have */
    http_handler_fn *handler;
};

struct http_gate {
    struct http_gate_route *route; /* owned */
    size_t routes;
    const struct str *host;
    size_t hosts;
    const struct http_key *key;
    size_t keys;
    const struct str *open;
    size_t opens;
    int64_t (*pace)(void *ctx, const struct http_peer *peer, struct str key);
    void *ctx;
    const struct str *rpc;
    size_t rpcs;
};

/* Why a request is rejected. */
struct http_refusal {
    int status;
    char text[240];
    char allow[64];   /* with 405: the value of Allow */
    int64_t retry_ms; /* with 429: how long to wait */
    bool rpc;         /* send the error as JSON-RPC */
};

void http_gate_init(struct http_gate *g, const struct http_server_opts *opts);
void http_gate_fini(struct http_gate *g);

/* The result for a request that is allowed. */
struct http_entry {
    const struct http_gate_route *route;
    struct str key; /* the name of its API key; "" if no key was required */
};

/*
 * Check a request: Host, then Origin, then the rate, then the key, then the route. In this order, a
 * client without a key cannot learn which routes exist, and cannot try keys faster than the rate
 * limit allows. False: *no is the reason.
 */
bool http_gate_pass(const struct http_gate *g, const struct http1_head *head,
                    const struct http_peer *peer, struct http_entry *out, struct http_refusal *no);

#endif
