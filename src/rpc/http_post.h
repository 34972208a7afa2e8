/*
 * http_post.h - one JSON-RPC message that arrived by HTTP POST, until it is answered.
 *
 *   WAITING -> ANSWERED                  one JSON body
 *      |
 *      +-----> STREAMING -> ANSWERED     an event stream; the answer is its last event
 *
 *   WAITING    nothing was sent yet.
 *   STREAMING  a message had to be sent before the answer, or the answer takes long (comments keep
 *              an event stream alive). With a log each event has an id, and a client that has
 *              disconnected can resume with another request. Without a log, a disconnect of the
 *              client cancels the call.
 *   ANSWERED   nothing more will be sent.
 *
 * The post is the link of its message: answers, and messages sent before them, are sent over it. It
 * is allocated in the memory of its HTTP request. The request is finished when the last call of the
 * message has ended, even if the client got its answer or disconnected earlier.
 */
#ifndef RPC_HTTP_POST_H
#define RPC_HTTP_POST_H

#include "rpc/peer.h"
#include "rpc/sse_link.h"

struct http_post;

enum { HTTP_POST_HEADERS = 4, HTTP_POST_RETRY_MS = 1000 };

/* Callbacks of the protocol. All but `end` may be NULL. */
struct http_post_hooks {
    /* The HTTP status of an answer; code is its JSON-RPC error code, or 0. NULL: 200. */
    int (*status)(const struct http_post *post, int code);

    /*
     * Fill in headers of the response, and return their number. code is the JSON-RPC error code of
     * the answer, or 0; for an event stream it is 0.
     */
    size_t (*headers)(const struct http_post *post, int code,
                      struct http_header out[HTTP_POST_HEADERS]);

    /* The answer is being sent. */
    void (*answered)(struct http_post *post, int code);

    /*
     * No answer was sent: the message has no request, or its calls were cancelled. Send an HTTP
     * response. NULL: 202 without a body.
     */
    void (*unanswered)(struct http_post *post);

    /* All calls of the message have ended: free the state of the protocol. */
    void (*end)(struct http_post *post);
};

enum http_post_state { HTTP_POST_WAITING, HTTP_POST_STREAMING, HTTP_POST_ANSWERED };

/* Embed it in memory of the request's arena. */
struct http_post {
    struct link link;
    const struct http_post_hooks *hooks;
    struct peer *peer;
    struct http_req *home; /* the HTTP request by which the message arrived */
    /*
     * the request that events are sent to: `home`, or a later request that resumed the stream; or
     * NULL
     */
    struct http_req *out;
    /* link for messages if the client accepts no event stream here; NULL: they are dropped */
    struct link *aside;
    struct event_log *log; /* NULL: events have no ids and the stream cannot be resumed */
    /* with a log: first send an empty event, with whose id the client can resume */
    bool primes;
    struct event_stream events; /* the stream of this post in the log; number 0: none */
    size_t calls;               /* number of calls of the message that have not ended */
    enum http_post_state state;
    bool streamed;     /* the post was STREAMING at some time */
    bool takes_events; /* the client accepts an event stream */
};

/* Initialize *post. The protocol then sets aside, log and primes. */
void http_post_init(struct http_post *post, struct http_req *req, struct peer *peer,
                    const struct http_post_hooks *hooks);

/*
 * Pass the message to the peer. m is the envelope of root, NULL if root is an array. The post may
 * be freed when this returns.
 */
void http_post_receive(struct http_post *post, struct json root, const struct rpc_message *m);

/* Continue the event stream in the response to req, after the event `from`. */
void http_post_resume(struct http_post *post, struct http_req *req, struct event_stream from);

/* End the event stream, but not its call. The client can resume it, and waits retry_ms. */
void http_post_detach(struct http_post *post, int64_t retry_ms);

/*
 * The post of a call. NULL: the call arrived over another transport, or the client has
 * disconnected.
 */
struct http_post *http_post_of_call(const struct rpc_in *in);

/* ---- reading the body -------------------------------------------------------------------- */

/*
 * Parse the body as JSON. On failure, *status and *code are set to the HTTP status and the JSON-RPC
 * error code of the error response.
 */
bool http_post_read(struct http_req *req, const struct limits *limits, struct json *out,
                    int *status, int *code, struct err *e);

/* Reject a message that was not passed to a peer: a JSON-RPC error with this HTTP status. */
void http_post_refuse(struct http_req *req, int status, struct json id, int code,
                      struct str message, struct str data);

#endif
