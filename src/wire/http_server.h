/*
 * http_server.h - an HTTP/1.1 server, small and strict.
 *
 * A connection:
 *
 *   IDLE -> HEAD -> BODY -> SERVING -> IDLE ...        (keep-alive; pipelined requests wait)
 *     |       |       |        |
 *     +-------+-------+--------+--> LINGER -> CLOSED   (refused, timed out, hung up, drained)
 *
 * IDLE     no request has begun; holds no buffers.
 * HEAD     the first byte has arrived; the whole head must follow within http_head_ms.
 * BODY     the head was accepted (100-continue answered); the body must follow.
 * SERVING  the handler has the request. A client that disconnects is noticed, even while nothing is
 *          being sent: closing is how a client cancels. One that has only shut its sending side
 *          gets its answers. Both look the same, so the server probes a client that stopped sending
 *          (100 Continue, or an SSE comment); only a closed connection rejects it.
 * LINGER   the last response is sent and the write side is shut. Further input is read and dropped
 *          for a moment, so that the client gets our response and not a reset.
 *
 * Checked before any handler runs: the grammar (http1_parse.h), sizes, Host, Origin, the API key,
 * the route, and that the body is not compressed (Content-Encoding).
 * A rejected request gets a JSON body {"error":{"code":STATUS,"message":"..."}} that says what was
 * wrong and what is accepted.
 */
#ifndef WIRE_HTTP_SERVER_H
#define WIRE_HTTP_SERVER_H

#include "base/arena.h"
#include "base/limits.h"
#include "loop/stream.h"
#include "wire/http.h"
#include "wire/sse_write.h"

struct http_key;
struct http_server;
struct http_conn;

/*
 * One request with its complete body. Every request is finished exactly once: by http_reply,
 * http_finish or http_stream_end, at once or later - also after on_gone, when they send nothing.
 * *req, its arena and all its strings live until then, even if the server does not.
 */
struct http_req {
    struct arena mem;
    struct str method, path, query; /* path without the '?'; query without it, or STR_NONE */
    struct str rest;                /* the part of the path that the '*' of the route matches */
    struct http_header *header;
    size_t headers;
    struct str body;
    struct str remote; /* "127.0.0.1:40312", or "unix" */
    bool loopback;     /* the client is on this machine */
    bool has_uid;      /* it came over a Unix socket, and the kernel reported its user: */
    uint32_t uid;
    struct str key; /* the name of its API key; "": none. Lives as long as the server */
    void *ctx;      /* of the server */
    void *data;     /* the handler's */

    /*
     * The client disconnected, the request timed out, or the server closes, before the response was
     * complete. Called at most once, from the loop. May finish the request.
     */
    void (*on_gone)(struct http_req *req);

    /* After http_stream_write answered false: there is room again. */
    void (*on_room)(struct http_req *req);

    /*
     * Nothing was sent for sse_keepalive_ms, and a proxy may time out: the time to begin an event
     * stream. Called at most once, from the loop. Set before the handler returns.
     */
    void (*on_quiet)(struct http_req *req);

    bool ends; /* an event stream that ends without us; http_server_drain waits for it */

    struct http_conn *conn; /* NULL once the client is gone */
};

typedef void http_handler_fn(struct http_req *req);

/*
 * A path is matched as a whole; a path that ends with '*' matches every longer path with this
 * prefix. The first route that matches method and path is used. GET also serves HEAD: the handler
 * answers as for GET.
 */
struct http_route {
    const char *method, *path;
    http_handler_fn *handler;
};

/* The client of a connection. The strings are copied, and truncated to 63 bytes. */
struct http_peer {
    struct str remote; /* "127.0.0.1:40312", or "unix" */
    struct str local;  /* the address it came to, "127.0.0.1" or "[::1]": a valid Host */
    bool loopback;
    bool any_host; /* it cannot be a browser: Host and Origin are not checked */
    bool has_uid;  /* these as in struct http_req */
    uint32_t uid;
};

/* Everything pointed to must outlive the server. */
struct http_server_opts {
    struct loop *loop;
    const struct limits *limits;
    const struct http_route *route;
    size_t routes;
    void *ctx;
    /*
     * Names accepted in Host and Origin besides the loopback names and the bound addresses:
     * "example.org", "192.0.2.1", "[2001:db8::1]", without a port, which may be any.
     */
    const struct str *host;
    size_t hosts;
    /* Every request needs one of these keys (http_key.h), except to open paths. None: no key. */
    const struct http_key *key;
    size_t keys;
    const struct str *open;
    size_t opens;
    /*
     * The rate limit, called for each request with a valid Host and Origin, before a wrong key is
     * rejected: how many ms must this client wait? 0: none. `key` is the name of its API key, "" if
     * it has none or a wrong one. NULL: no limit. A client that must wait gets 429, and if the path
     * begins with one of `rpc`, a JSON-RPC error.
     */
    int64_t (*pace)(void *ctx, const struct http_peer *peer, struct str key);
    const struct str *rpc;
    size_t rpcs;
};

struct http_server *http_server_new(const struct http_server_opts *opts);

/*
 * Listen on "127.0.0.1:8733", "[::1]:8733", "localhost:8733" (both of them; port 0: the kernel
 * chooses) or "unix:/path" (mode 0600; a stale socket is replaced, a live one refused).
 * *out_bound, of HTTP_ADDRESS bytes, gets the real address. May be called more than once.
 */
enum { HTTP_ADDRESS = 128 };
bool http_server_listen(struct http_server *s, struct str address, char *out_bound, struct err *e);

/*
 * Serve a stream that is already open and not started, such as the fake wire of a test. The
 * stream's events are set by the server, which closes it; then `release` (may be NULL) gets it.
 */
void http_server_accept(struct http_server *s, struct stream *io, const struct http_peer *peer,
                        void (*release)(struct stream *io));

/* How many connections are open. */
size_t http_server_connections(const struct http_server *s);

/*
 * Stop listening, close idle connections, end event streams that would not end by themselves, let
 * requests under way finish; then call done. To abort that, call http_server_close; then this done is not called.
 */
void http_server_drain(struct http_server *s, void (*done)(void *ctx), void *ctx);

/*
 * Close everything at once, then free the server and call done (may be NULL). Like
 * http_server_drain it only begins here; the rest happens on the loop.
 */
void http_server_close(struct http_server *s, void (*done)(void *ctx), void *ctx);

/* ---- answering -------------------------------------------------------------------------- */

/*
 * The whole answer. Content-Length is added; `type` NULL means no body at all. A control
 * character in the value of a header becomes a space.
 */
void http_reply(struct http_req *req, int status, const char *type, const struct http_header *more,
                size_t mores, const struct str *body, size_t pieces);

/*
 * The same in two steps, for a handler that needs the request for a moment after it answered.
 * The client has its answer at once; its next request waits for http_finish.
 */
void http_answer(struct http_req *req, int status, const char *type, const struct http_header *more,
                 size_t mores, const struct str *body, size_t pieces);
void http_finish(struct http_req *req);

/*
 * End the response and release the connection for the next request. *req stays valid, as after
 * on_gone (which is not called), until it is finished.
 */
void http_part(struct http_req *req);

/* {"error":{"code":STATUS,"message":SENTENCE}}. */
void http_reply_error(struct http_req *req, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* An answer of unknown length (chunked; until close for HTTP/1.0). */
void http_stream_begin(struct http_req *req, int status, const char *type,
                       const struct http_header *more, size_t mores);

/* Returns false when too much is buffered: pause until on_room. */
bool http_stream_write(struct http_req *req, const struct str *piece, size_t n);
void http_stream_end(struct http_req *req);

/*
 * An event stream: http_stream_begin with its headers (no caching, no proxy buffering) and up to
 * 16 more; a comment is sent after every sse_keepalive_ms of silence. Ended by http_stream_end.
 */
void http_sse_begin(struct http_req *req, const struct http_header *more, size_t mores);

/* Send one event. Returns like http_stream_write. */
bool http_sse_send(struct http_req *req, const struct sse_out *event);

/*
 * For long-lived streams: empty the arena and free the body now. method, path, query, rest,
 * header and body are gone, and so is what the handler put into the arena.
 */
void http_forget_request(struct http_req *req);

/* The header of a request, by name in any case; STR_NONE when absent. */
static inline struct str http_req_header(const struct http_req *req, const char *name)
{
    return http_header_get(req->header, req->headers, name);
}

#endif
