/*
 * mcp_http.h - MCP over HTTP: Streamable HTTP of both eras, and HTTP+SSE of 2024-11-05.
 *
 * POST carries one message (or a batch, where the version has them). Its body determines its era
 * (mcp_era.h). A modern request is self-contained. A legacy one belongs to the session whose id it
 * carries; initialize begins a session; a request without an id is served alone too, which is
 * enough for curl. The response is JSON, unless messages precede it or it takes long: then it is an
 * event stream.
 *
 * A client that disconnects before the response cancels its call, unless it has received event ids:
 * then it can resume with a GET and the last of them (event_log.h).
 *
 *   mcp_http.c      classify a POST: era, session, headers
 *   mcp_post.c      one POST until its response
 *   mcp_session.c   sessions: finding, ending
 *   mcp_sessions.c  which of them expire or are evicted
 *   mcp_http_get.c  GET and DELETE: open, resume and end
 *   mcp_sse.c       HTTP+SSE
 */
#ifndef PROTO_MCP_SERVER_MCP_HTTP_H
#define PROTO_MCP_SERVER_MCP_HTTP_H

#include "proto/mcp/server/mcp_server.h"
#include "proto/mcp/server/mcp_sessions.h"
#include "wire/http_server.h"

struct mcp_session;

enum { MCP_SESSION_BUCKETS = 512 };

/* Program lifetime. */
struct mcp_http {
    struct mcp_server *server;
    struct mcp_session *bucket[MCP_SESSION_BUCKETS]; /* by id */
    struct mcp_sessions *all;                        /* shared with the other endpoints */
    size_t living;                                   /* sessions and lone requests not freed yet */
    uint64_t secret;                                 /* of the hash */
    struct post closing;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* `all` is shared by the endpoints of the process. */
void mcp_http_init(struct mcp_http *h, struct mcp_server *server, struct mcp_sessions *all);

/* Clients cannot answer any more: questions to sessions fail. Running calls continue. */
void mcp_http_drain(struct mcp_http *h);

/*
 * End all sessions; done is called when no request is running any more. The HTTP server must have
 * been closed.
 */
void mcp_http_close(struct mcp_http *h, void (*done)(void *ctx), void *ctx);

/* The routes. */
void mcp_http_post(struct mcp_http *h, struct http_req *req);
void mcp_http_get(struct mcp_http *h, struct http_req *req);
void mcp_http_delete(struct mcp_http *h, struct http_req *req);

/* The routes of HTTP+SSE: the stream, and the messages, whose path the stream announces. */
#define MCP_SSE_MESSAGES "/messages"
void mcp_sse_get(struct mcp_http *h, struct http_req *req);
void mcp_sse_post(struct mcp_http *h, struct http_req *req);

#endif
