/*
 * rpc_exchange.h - one HTTP request of a JSON-RPC client, and the messages of its response.
 *
 * The response is one JSON document or an event stream; in both cases its messages are delivered as
 * they arrive. The protocol is also notified of the head of the response, of every event, and of
 * the end.
 *
 * An exchange has its own arena, since it may exist longer than its call: after the call is
 * answered, the last bytes of the response are still read, so that the connection can be reused.
 */
#ifndef RPC_RPC_EXCHANGE_H
#define RPC_RPC_EXCHANGE_H

#include "rpc/peer.h"
#include "wire/http_client.h"
#include "wire/sse_read.h"

struct rpc_exchange;

struct rpc_exchange_events {
    /* The head of the response has arrived. May be NULL. */
    void (*on_head)(struct rpc_exchange *x);

    /*
     * An event has arrived. Return true if it was handled here; otherwise the data of an event
     * of type "message" is passed to on_message. May be NULL.
     */
    bool (*on_event)(struct rpc_exchange *x, const struct sse_event *ev);

    /* A JSON-RPC message has arrived; *frame is valid during this callback. */
    void (*on_message)(struct rpc_exchange *x, const struct frame *frame);

    /* The exchange has ended. e is NULL if the response is complete, regardless of its status. */
    void (*on_over)(struct rpc_exchange *x, const struct err *e);
};

/* Embed it as the first member. */
struct rpc_exchange {
    struct fetch fetch; /* first */
    struct arena mem;   /* this struct is allocated in it */
    struct rpc *rpc;
    const struct rpc_exchange_events *events;
    struct str body;
    struct buf text; /* the text of a JSON response */
    struct sse_reader sse;
    struct rpc_exchange *next, **link; /* the list of the owner */
    bool running;
    bool streams;     /* the response is an event stream */
    struct err broke; /* why rpc_exchange_stop cancelled it; code 0: not cancelled */
};

/* Create an exchange of `size` bytes, all zero, in the owner's list. The body, in pieces, is
 * copied. */
void *rpc_exchange_new(size_t size, struct rpc *rpc, struct rpc_exchange **list,
                       const struct rpc_exchange_events *events, const struct str *piece, size_t n);
void rpc_exchange_free(struct rpc_exchange *x);

enum { RPC_EXCHANGE_HEADERS = 160 };

struct http_header_list {
    struct http_header h[RPC_EXCHANGE_HEADERS];
    size_t n;
};

/* Add a header, unless its value is STR_NONE or the list is full. */
void http_header_add(struct http_header_list *h, struct str name, struct str value);

/* Send the request. May be called again to resend it. */
void rpc_exchange_start(struct rpc_exchange *x, struct http_client *client, const char *method,
                        struct str url, const struct http_header_list *h, int64_t whole_ms);

/* Cancel the exchange. If it was running, on_over follows. */
void rpc_exchange_stop(struct rpc_exchange *x, const struct err *why);

/*
 * Why the server rejected the request, as text for the user: the message of a JSON-RPC error in the
 * body, or the first words of the body. If there is a JSON-RPC error, *code is set to its code.
 */
struct str rpc_exchange_reason(const struct rpc_exchange *x, struct arena *mem, int *code);

/* The host and port of a URL: "127.0.0.1:8080". */
struct str http_url_host(const char *url);

#endif
