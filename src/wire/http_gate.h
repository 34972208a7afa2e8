/*
 * http_gate.h - may this request enter, and which route serves it? Pure; part of the HTTP server.
 *
 * A page in a browser can make the browser send requests to us, with our user's rights. The page
 * cannot choose Host and Origin freely: an unknown name in either is refused.
 */
#ifndef WIRE_HTTP_GATE_H
#define WIRE_HTTP_GATE_H

#include "wire/http1_parse.h"
#include "wire/http_server.h"

/* A row of the route table, taken apart. */
struct http_gate_route {
    struct str method, path;
    bool more; /* path is what a longer one begins with */
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

/* Why not. */
struct http_refusal {
    int status;
    char text[240];
    char allow[64];   /* with 405: the value of Allow */
    int64_t retry_ms; /* with 429: until when to wait */
    bool rpc;         /* send the error as JSON-RPC */
};

void http_gate_init(struct http_gate *g, const struct http_server_opts *opts);
void http_gate_fini(struct http_gate *g);

/* The facts about a request that may enter. */
struct http_entry {
    const struct http_gate_route *route;
    struct str key; /* the name of the API key it brought; "" when none was asked for */
};

/*
 * Checks Host, then Origin, then the rate, then the key, then the route: without a key a client
 * does not learn which routes exist, and it cannot try keys faster than the rate.
 */
bool http_gate_pass(const struct http_gate *g, const struct http1_head *head,
                    const struct http_peer *peer, struct http_entry *out, struct http_refusal *no);

#endif
