/*
 * http_post.h - one JSON-RPC message that arrived by HTTP POST, until its answer is sent.
 *
 *   WAITING -> ANSWERED                  one JSON body
 *      |
 *      +-----> STREAMING -> ANSWERED     an event stream; the answer is its last event
 *
 *   WAITING    nothing was sent yet.
 *   STREAMING  a message had to be sent before the answer, or the answer takes long (an event stream
 *              has heartbeats). With a log each event has an id, and a client that disconnects can
 *              resume with another request; without a log, disconnecting cancels the call.
 *   ANSWERED   nothing more will be sent.
 *
 * The post is the link of its message: answers, and messages sent before them, go through it. It is
 * allocated in its HTTP request, which is kept until the last call of the message has ended, even
 * if the client has its answer or disconnects earlier.
 */
#ifndef RPC_HTTP_POST_H
#define RPC_HTTP_POST_H

#include "rpc/peer.h"
#include "rpc/sse_link.h"

struct http_post;

enum { HTTP_POST_HEADERS = 4, HTTP_POST_RETRY_MS = 1000 };

/* Callbacks of the protocol. All but `end` may be NULL. */
struct http_post_hooks {
    /* The HTTP status of an answer; code is that of its JSON-RPC error, or 0. NULL: 200. */
    int (*status)(const struct http_post *post, int code);

    /* Headers of the response; code as above, 0 for an event stream. Returns how many. */
    size_t (*headers)(const struct http_post *post, int code,
                      struct http_header out[HTTP_POST_HEADERS]);

    /* The answer is being sent. */
    void (*answered)(struct http_post *post, int code);

    /* No call was answered, as for a notification: send a response. NULL: 202 without a body. */
    void (*unanswered)(struct http_post *post);

    /* All calls of the message have ended: release what the protocol holds. */
    void (*end)(struct http_post *post);
};

enum http_post_state { HTTP_POST_WAITING, HTTP_POST_STREAMING, HTTP_POST_ANSWERED };

/* Embed it in memory of the request's arena. */
struct http_post {
    struct link link;
    const struct http_post_hooks *hooks;
    struct peer *peer;
    struct http_req *home; /* the POST */
    /* the request that receives events: home, the one that resumed, or NULL */
    struct http_req *out;
    /* link for messages that the client does not accept here; NULL: they are dropped */
    struct link *aside;
    struct event_log *log;      /* NULL: events have no ids and the stream cannot be resumed */
    bool primes;                /* with a log: the first event gives an id to resume with */
    struct event_stream events; /* its stream in the log; 0: none */
    size_t calls;               /* calls of the message that have not ended */
    enum http_post_state state;
    bool streamed;     /* it was STREAMING once */
    bool takes_events; /* the client accepts an event stream */
};

/* Initialize *post. The protocol then sets aside, log and primes. */
void http_post_init(struct http_post *post, struct http_req *req, struct peer *peer,
                    const struct http_post_hooks *hooks);

/*
 * Pass the message to the peer: the tree, and its envelope unless it is an array. The post may be
 * freed when this returns.
 */
void http_post_receive(struct http_post *post, struct json root, const struct rpc_message *m);

/* Continue the event stream by another request, after the event `from`. */
void http_post_resume(struct http_post *post, struct http_req *req, struct event_stream from);

/* End the event stream of a call that continues; the client resumes after retry_ms. */
void http_post_detach(struct http_post *post, int64_t retry_ms);

/*
 * The post of a call; NULL: it arrived through another transport, or the client has disconnected.
 */
struct http_post *http_post_of_call(const struct rpc_in *in);

/* ---- reading the body -------------------------------------------------------------------- */

/*
 * Read the body as JSON. On failure *status and *code say how to refuse it; code is that of a
 * JSON-RPC error.
 */
bool http_post_read(struct http_req *req, const struct limits *limits, struct json *out,
                    int *status, int *code, struct err *e);

/* Answer a message that never became a call: a JSON-RPC error with an HTTP status. */
void http_post_refuse(struct http_req *req, int status, struct json id, int code,
                      struct str message, struct str data);

#endif
