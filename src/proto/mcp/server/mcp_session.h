/*
 * mcp_session.h - an MCP conversation over many HTTP requests.
 *
 *   IDLE <-> BUSY -> ENDED -> freed
 *     +---------------^
 *
 * IDLE   no request of it is open: it expires after mcp_session_idle_ms, or is evicted earlier when
 *        there are too many sessions (mcp_sessions.h).
 * BUSY   held by a request that is being served, or by a stream.
 * ENDED  deleted, expired or evicted: it is not found any more, its work is canceled. Freed when
 *        the last of it has ended.
 *
 * Each holder of a session calls mcp_session_release once. A session is found only by the principal
 * it was made for: the id alone is not enough.
 */
#ifndef PROTO_MCP_SERVER_MCP_SESSION_H
#define PROTO_MCP_SERVER_MCP_SESSION_H

#include "proto/mcp/server/mcp_conv.h"
#include "proto/mcp/server/mcp_http.h"
#include "rpc/sse_link.h"

struct mcp_post;

enum mcp_session_kind {
    MCP_SESSION_STREAMABLE,
    MCP_SESSION_SSE, /* HTTP+SSE: exists as long as its stream; no event ids */
};

enum { MCP_SESSION_ID = 33 };

struct mcp_session {
    struct mcp_conv conv;
    struct mcp_http *http;
    struct sse_link own;     /* for messages that belong to no request */
    struct event_log events; /* of all its streams */
    struct mcp_post *posts;  /* in progress, which the client may resume */
    struct mcp_session *chain;
    struct mcp_session *older, *newer; /* while idle */
    int64_t idle_since;
    struct mcp_session_group *group; /* of its principal; NULL: ended */
    uint32_t uses;                   /* requests after the first */
    size_t holds;
    struct post bye;
    enum mcp_session_kind kind;
    bool ended;
    char id[MCP_SESSION_ID];
};

/*
 * A new session for the client of a request, held; NULL when there are too many and none may be
 * evicted for it.
 */
struct mcp_session *mcp_session_new(struct mcp_http *h, enum mcp_session_kind kind,
                                    const struct http_req *req);

/* The session of this id, held; NULL when the principal of this request has no such session. */
struct mcp_session *mcp_session_find(struct mcp_http *h, enum mcp_session_kind kind, struct str id,
                                     const struct http_req *req);

void mcp_session_release(struct mcp_session *s);

/* Its work is cancelled, its streams end. */
void mcp_session_end(struct mcp_session *s);

/*
 * From now on this stream carries the messages that belong to no request. The stream holds the
 * session. Unsent messages, and those after `from` (if not NULL), are sent first.
 */
void mcp_session_open_stream(struct mcp_session *s, struct http_req *req,
                             const struct event_stream *from);

/* One of http->living was freed. */
void mcp_http_one_less(struct mcp_http *h);

#endif
