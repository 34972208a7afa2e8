/*
 * rpc_exchange.h - one HTTP request of a JSON-RPC client, and the messages that answer it.
 *
 * The answer is one JSON document or an event stream; in both cases its messages are delivered as
 * they arrive. The protocol decides what the response means: it is notified of the head, of events
 * that are not messages, and of the end.
 *
 * An exchange has its own arena, separate from that of its call: after the call is answered, the
 * last bytes of the response are still read, so that the connection can be reused.
 */
#ifndef RPC_RPC_EXCHANGE_H
#define RPC_RPC_EXCHANGE_H

#include "rpc/peer.h"
#include "wire/http_client.h"
#include "wire/sse_read.h"

struct rpc_exchange;

struct rpc_exchange_events {
    /* The head has arrived. May be NULL. */
    void (*on_head)(struct rpc_exchange *x);

    /* An event. Return true if it is not a message. May be NULL. */
    bool (*on_event)(struct rpc_exchange *x, const struct sse_event *ev);

    /* A message, borrowed for the call. */
    void (*on_message)(struct rpc_exchange *x, const struct frame *frame);

    /* The exchange has ended; e is NULL if the response is complete, with any status. */
    void (*on_over)(struct rpc_exchange *x, const struct err *e);
};

/* Embed it as the first member. */
struct rpc_exchange {
    struct fetch fetch; /* first */
    struct arena mem;   /* also holds this struct */
    struct rpc *rpc;
    const struct rpc_exchange_events *events;
    struct str body;
    struct buf text; /* of a JSON answer */
    struct sse_reader sse;
    struct rpc_exchange *next, **link; /* in the owner's list */
    bool running;
    bool streams;     /* the answer is an event stream */
    struct err broke; /* why we cancelled it; code 0: not cancelled */
};

/* A new exchange of `size` bytes, zeroed, in the owner's list. The body is copied. */
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

/* Send the request, the first time or again. */
void rpc_exchange_start(struct rpc_exchange *x, struct http_client *client, const char *method,
                        struct str url, const struct http_header_list *h, int64_t whole_ms);

/* Cancel it; on_over follows if it was running. */
void rpc_exchange_stop(struct rpc_exchange *x, const struct err *why);

/*
 * Why the server refused, for a person: the message of a JSON-RPC error in the body, or the first
 * words of the body. *code is set to the code of that error, if there is one.
 */
struct str rpc_exchange_reason(const struct rpc_exchange *x, struct arena *mem, int *code);

/* "127.0.0.1:8080" of a URL. */
struct str http_url_host(const char *url);

#endif
