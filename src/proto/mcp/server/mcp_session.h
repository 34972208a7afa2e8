/*
 * mcp_session.h - a conversation that goes over many HTTP requests.
 *
 *   IDLE <-> BUSY -> ENDED -> freed
 *     +---------------^
 *
 * IDLE   no request of it is open: it expires after mcp_session_idle_ms, or is evicted earlier when
 *        there are too many sessions (mcp_sessions.h).
 * BUSY   held by a request that is being served, or by a stream.
 * ENDED  deleted, expired or given up: it is not found any more, its work is cancelled. Freed when
 *        the last of it has ended.
 *
 * Whoever holds a session calls mcp_session_release once. A session is found only by the principal
 * it was made for: the id alone is not enough.
 */
#ifndef PROTO_MCP_SERVER_MCP_SESSION_H
#define PROTO_MCP_SERVER_MCP_SESSION_H

#include "proto/mcp/server/mcp_conv.h"
#include "proto/mcp/server/mcp_events.h"
#include "proto/mcp/server/mcp_http.h"

struct mcp_post;

enum mcp_session_kind {
    MCP_SESSION_STREAMABLE,
    MCP_SESSION_SSE, /* HTTP+SSE: lives as long as its stream; no event ids */
};

enum { MCP_SESSION_ID = 33 };
enum {
    MCP_RETRY_MS = 1000
}; /* how long a client that lost its stream waits before it comes back */

struct mcp_session {
    struct mcp_conv conv;
    struct mcp_http *http;
    struct link own;                    /* for messages that belong to no request */
    struct http_req *stream;            /* the open stream for them, or NULL */
    struct mcp_event_stream own_events; /* stream 0 */
    uint64_t own_sent;                  /* the newest of them that went out */
    struct mcp_events events;
    uint32_t streams;       /* numbers given to streams */
    struct mcp_post *posts; /* that may be come back to */
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
 * Send what belongs to no request by this stream from now on. The session is held as long. What is
 * not sent yet, and what came after `from` (if not NULL), goes out first.
 */
void mcp_session_open_stream(struct mcp_session *s, struct http_req *req,
                             const struct mcp_event_stream *from);

/* One of http->living is gone. */
void mcp_http_one_less(struct mcp_http *h);

/* ---- events ------------------------------------------------------------------------------ */

/* One message as an event; id may be STR_NONE. */
void mcp_send_event(struct http_req *req, struct str id, const struct str *piece, size_t n);

/* An empty event that gives the client an id to come back with. */
void mcp_send_priming(struct mcp_session *s, struct http_req *req, struct mcp_event_stream *events,
                      uint32_t retry_ms);

/* All events of a stream that are kept, after `from`. */
void mcp_send_kept(struct mcp_session *s, struct http_req *req, struct mcp_event_stream from);

#endif
