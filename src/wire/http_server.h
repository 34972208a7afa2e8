/*
 * http_server.h - an HTTP/1.1 server, small and strict.
 *
 * A connection:
 *
 *   IDLE -> HEAD -> BODY -> SERVING -> IDLE ...        (keep-alive; pipelined requests wait)
 *     |       |       |        |
 *     +-------+-------+--------+--> LINGER -> CLOSED   (rejected, timed out, disconnected, drained)
 *
 * IDLE     no request has begun; holds no buffers.
 * HEAD     the first byte has arrived; the whole head must follow within http_head_ms.
 * BODY     the head was accepted (100-continue answered); the body must follow.
 * SERVING  the handler has the request. A client cancels a request by closing the connection, so
 *          the server must notice that, even while nothing is being sent. A client that has only
 *          shut down its sending side still gets its response. Both look the same to us, so the
 *          server sends a probe (100 Continue, or an SSE comment): it fails if the client has
 *          closed the connection.
 * LINGER   the last response was written and the sending side is shut down. Further input is read
 *          and dropped for a moment; otherwise the client could get a reset and not the response.
 *
 * Before a handler runs, the server checks the syntax (http1_parse.h), sizes, Host, Origin, the API
 * key, the route, and that the body is not compressed (Content-Encoding). A rejected request gets a
 * JSON body {"error":{"code":STATUS,"message":"..."}}; the message explains what was wrong and what
 * is accepted.
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
 * One request with its complete body. The handler must finish every request exactly once, now or
 * later, by http_reply, http_finish or http_stream_end. This is required even after on_gone,
 * although nothing is sent then. *req, its arena and its strings stay valid until it is finished,
 * even if the server is freed earlier.
 */
struct http_req {
    struct arena mem;
    struct str method, path, query; /* without the '?'; query is STR_NONE if there is no '?' */
    struct str rest;                /* the part of the path that the '*' of the route matches */
    struct http_header *header;
    size_t headers;
    struct str body;
    struct str remote; /* "127.0.0.1:40312", or "unix" */
    bool loopback;     /* the client is on this machine */
    bool has_uid;      /* the request came over a Unix socket; `uid` is the user id of the client */
    uint32_t uid;
    struct str key; /* the name of its API key; "": none. Valid as long as the server */
    void *ctx;      /* ctx of http_server_opts */
    void *data;     /* state of the handler */

    /*
     * The client disconnected, the request timed out, or the server is closing, before the response
     * was complete. Called at most once, from the loop. It may finish the request.
     */
    void (*on_gone)(struct http_req *req);

    /* After http_stream_write returned false: more may be written now. */
    void (*on_room)(struct http_req *req);

    /*
     * Nothing was sent for sse_keepalive_ms. Now the handler should begin an event stream, before a
     * proxy times out. Called at most once, from the loop. Set it before the handler returns.
     */
    void (*on_quiet)(struct http_req *req);

    bool ends; /* the event stream ends by itself, so http_server_drain waits for its end */

    struct http_conn *conn; /* NULL after the client has disconnected */
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
    struct str local;  /* our address that it connected to, "127.0.0.1" or "[::1]": a valid Host */
    bool loopback;
    bool any_host; /* the client cannot be a browser, so Host and Origin are not checked */
    bool has_uid;  /* has_uid and uid as in struct http_req */
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
     * Names accepted in Host and Origin, in addition to the loopback names and the bound addresses:
     * "example.org", "192.0.2.1", "[2001:db8::1]". They have no port: any port is accepted.
     */
    const struct str *host;
    size_t hosts;
    /* Every request needs one of these keys (http_key.h), except for the paths in `open`, in which a
     * '*' stands for one segment. Without keys, none is needed. */
    const struct http_key *key;
    size_t keys;
    const struct str *open;
    size_t opens;
    /*
     * The rate limit: how many ms must this client wait? 0: the request may be served. Called for
     * each request with a valid Host and Origin, before a wrong key is rejected. `key` is the name
     * of its API key, "" if it has none or a wrong one. NULL: no rate limit. A client that must
     * wait gets status 429; if the path begins with one of `rpc`, the body is a JSON-RPC error.
     */
    int64_t (*pace)(void *ctx, const struct http_peer *peer, struct str key);
    const struct str *rpc;
    size_t rpcs;
};

struct http_server *http_server_new(const struct http_server_opts *opts);

/*
 * Listen on "127.0.0.1:8733", "[::1]:8733", "localhost:8733" (both addresses) or "unix:/path" (mode
 * 0600). Port 0: the kernel chooses a port. A Unix socket that no server uses any more is replaced;
 * if a server uses it, this fails. *out_bound, of HTTP_ADDRESS bytes, gets the real address. May be
 * called more than once.
 */
enum { HTTP_ADDRESS = 128 };
bool http_server_listen(struct http_server *s, struct str address, char *out_bound, struct err *e);

/*
 * Serve a stream that is open and not started, such as the fake stream of a test. The server sets
 * its events and closes it, and then calls `release` (may be NULL).
 */
void http_server_accept(struct http_server *s, struct stream *io, const struct http_peer *peer,
                        void (*release)(struct stream *io));

/* The number of open connections. */
size_t http_server_connections(const struct http_server *s);

/*
 * Stop listening, close idle connections, and end event streams that do not end by themselves. When
 * the requests in progress are finished, call done. http_server_close aborts this; then this done
 * is not called.
 */
void http_server_drain(struct http_server *s, void (*done)(void *ctx), void *ctx);

/*
 * Close everything at once, then free the server and call done (may be NULL). Like
 * http_server_drain, this returns immediately; the work is done on the loop.
 */
void http_server_close(struct http_server *s, void (*done)(void *ctx), void *ctx);

/* ---- responses -------------------------------------------------------------------------- */

/*
 * Send the complete response and finish the request. Content-Length is added. type NULL: the
 * response has no body. A control character in the value of a header becomes a space.
 */
void http_reply(struct http_req *req, int status, const char *type, const struct http_header *more,
                size_t mores, const struct str *body, size_t pieces);

/*
 * The same in two steps, for a handler that still needs the request after it has sent the response.
 * The response is sent at once; the next request of the client waits until http_finish.
 */
void http_answer(struct http_req *req, int status, const char *type, const struct http_header *more,
                 size_t mores, const struct str *body, size_t pieces);
void http_finish(struct http_req *req);

/*
 * End the response and release the connection for the next request. *req stays valid, as after
 * on_gone (which is not called), until it is finished.
 */
void http_part(struct http_req *req);

/* Send the body {"error":{"code":STATUS,"message":SENTENCE}}. */
void http_reply_error(struct http_req *req, int status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Begin an event stream; http_stream_end ends it. It is chunked; for HTTP/1.0 it ends when the
 * connection closes. It has headers against caching and proxy buffering, and up to 16 more. A
 * comment is sent whenever nothing was sent for sse_keepalive_ms.
 */
void http_sse_begin(struct http_req *req, const struct http_header *more, size_t mores);

/* False: too much is buffered; write no more until on_room. */
bool http_stream_write(struct http_req *req, const struct str *piece, size_t n);
void http_stream_end(struct http_req *req);

/* Send one event. Returns like http_stream_write. */
bool http_sse_send(struct http_req *req, const struct sse_out *event);

/*
 * For long-lived streams: free the arena and the body now. method, path, query, rest, header, body
 * and the data that the handler put into the arena are not valid any more.
 */
void http_forget_request(struct http_req *req);

/* The value of a header of the request, by name in any case; STR_NONE if it is absent. */
static inline struct str http_req_header(const struct http_req *req, const char *name)
{
    return http_header_get(req->header, req->headers, name);
}

#endif
