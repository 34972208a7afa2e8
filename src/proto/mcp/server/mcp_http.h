/*
 * mcp_http.h - MCP over HTTP: Streamable HTTP of both eras, and HTTP+SSE of 2024-11-05.
 *
 * A POST has one message, or a batch if the version allows it. The body determines the era
 * (mcp_era.h). A modern request needs no session. A legacy request belongs to the session whose id
 * is in its header, and initialize begins a session. A legacy request without a session id is
 * served alone, so curl can be used without a session. The response is JSON; if messages must be
 * sent before it, or it takes long, it is an event stream.
 *
 * If a client disconnects before the response, its call is cancelled, unless it has received event
 * ids: then it can resume with a GET and the last id (event_log.h).
 *
 *   mcp_http.c      classify a POST: era, session, headers
 *   mcp_post.c      one POST until its response
 *   mcp_session.c   find and end sessions
 *   mcp_sessions.c  decide which sessions expire or are evicted
 *   mcp_http_get.c  GET and DELETE: open, resume and end a stream or session
 *   mcp_sse.c       HTTP+SSE
 */
#ifndef PROTO_MCP_SERVER_MCP_HTTP_H
#define PROTO_MCP_SERVER_MCP_HTTP_H

#include "proto/mcp/server/mcp_server.h"
#include "proto/mcp/server/mcp_sessions.h"
#include "wire/http_server.h"

struct mcp_session;

enum { MCP_SESSION_BUCKETS = 512 };

/* One endpoint. Exists as long as the program. */
struct mcp_http {
    struct mcp_server *server;
    struct mcp_session *bucket[MCP_SESSION_BUCKETS]; /* sessions by id */
    struct mcp_sessions *all;                        /* shared with the other endpoints */
    size_t living;                                   /* sessions and single requests that exist */
    uint64_t secret;                                 /* secret of the hash */
    struct post closing;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* `all` is shared by the endpoints of the process. */
void mcp_http_init(struct mcp_http *h, struct mcp_server *server, struct mcp_sessions *all);

/* The server is shutting down: fail questions to clients. Running calls continue. */
void mcp_http_drain(struct mcp_http *h);

/*
 * End all sessions. done is called when no request is running any more. Close the HTTP server
 * before you call this.
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
