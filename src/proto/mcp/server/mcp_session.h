/*
 * mcp_session.h - an MCP session over HTTP: a conversation that spans many requests.
 *
 *   IDLE <-> BUSY -> ENDED -> freed
 *     +---------------^
 *
 *   IDLE   no request or stream uses the session: it expires after mcp_session_idle_ms, or is
 *          evicted earlier when there are too many sessions (mcp_sessions.h).
 *   BUSY   a request that is being served, or a stream, uses ("holds") the session.
 *   ENDED  deleted, expired or evicted: the session cannot be found any more, and its work is
 *          cancelled. It is freed when its last call and stream have ended.
 *
 * Functions that return a session hold it for the caller, which must call mcp_session_release once.
 * Only the principal that created a session can find it: the id alone is not enough.
 */
#ifndef PROTO_MCP_SERVER_MCP_SESSION_H
#define PROTO_MCP_SERVER_MCP_SESSION_H

#include "proto/mcp/server/mcp_conversation.h"
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
    struct event_log events; /* the events of all its streams */
    struct mcp_post *posts;  /* POSTs in progress, which the client may resume */
    struct mcp_session *chain;
    struct mcp_session *older, *newer; /* list of idle sessions */
    int64_t idle_since;
    struct mcp_session_group *group; /* the sessions of its principal; NULL: ended */
    uint32_t uses;                   /* number of requests after the first */
    size_t holds;
    struct post bye;
    enum mcp_session_kind kind;
    bool ended;
    char id[MCP_SESSION_ID];
};

/*
 * Create a session for the client of a request, and hold it. NULL: there are too many sessions, and
 * none may be evicted for this principal.
 */
struct mcp_session *mcp_session_new(struct mcp_http *h, enum mcp_session_kind kind,
                                    const struct http_req *req);

/*
 * Find the session with this id, and hold it. NULL: the principal of this request has no such
 * session.
 */
struct mcp_session *mcp_session_find(struct mcp_http *h, enum mcp_session_kind kind, struct str id,
                                     const struct http_req *req);

void mcp_session_release(struct mcp_session *s);

/* End the session: cancel its work and end its streams. */
void mcp_session_end(struct mcp_session *s);

/*
 * From now on, send messages that belong to no request over this stream, which holds the session.
 * First, unsent messages are sent, or, if `from` is not NULL, all kept messages after it.
 */
void mcp_session_open_stream(struct mcp_session *s, struct http_req *req,
                             const struct event_stream *from);

/* A session or single request was freed: decrement h->living. */
void mcp_http_one_less(struct mcp_http *h);

#endif
