/*
 * mcp_sessions.h - count the MCP sessions over HTTP of all endpoints of this process, end sessions
 * that are idle for too long, and evict an idle session when there is no room for a new one.
 *
 * The sessions of one principal form a group. A new session can evict an idle session of the same
 * group, or of a group that has more sessions. So a principal that begins too many sessions loses
 * its own sessions, but cannot evict a session of a principal that has fewer.
 *
 * In a group, sessions with few requests are evicted first, because all clients without a key are
 * one principal: a client that uses its session should not lose it to clients that only begin
 * sessions. Among sessions with about the same number of requests, the one that is idle for the
 * longest time is evicted first.
 */
#ifndef PROTO_MCP_SERVER_MCP_SESSIONS_H
#define PROTO_MCP_SERVER_MCP_SESSIONS_H

#include "core/principal.h"
#include "loop/loop.h"
#include "rpc/event_log.h"

struct mcp_session;
struct mcp_session_group;

/* The number of classes of sessions, by their number of requests after the first: 0, 1 or 2, 3 to
 * 7, 8 or more. */
enum { MCP_SESSION_USES = 4 };

/* Exists as long as the program. */
struct mcp_sessions {
    struct loop *loop;
    const struct limits *limits;
    size_t count; /* sessions that have not ended */
    size_t idle;  /* sessions that are idle */
    struct mcp_session_group *groups;
    struct event_pool events; /* events of all sessions */
    struct timer expiry;      /* set while a session is idle */
};

void mcp_sessions_init(struct mcp_sessions *all, struct loop *loop, const struct limits *limits);

/*
 * If there are limits.mcp_sessions sessions, evict one. False: there is no idle session that may be
 * evicted for a new session of this principal.
 */
bool mcp_sessions_make_room(struct mcp_sessions *all, const struct principal *principal);

/*
 * mcp_sessions_add adds a new session, which is busy and whose conv.principal is set.
 * mcp_sessions_remove removes a session, which must be busy.
 */
void mcp_sessions_add(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_remove(struct mcp_sessions *all, struct mcp_session *s);

/* Call these when a session becomes idle, and when it becomes busy. */
void mcp_sessions_idle(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_busy(struct mcp_sessions *all, struct mcp_session *s);

#endif
