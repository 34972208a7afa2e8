/*
 * mcp_sessions.h - all MCP sessions over HTTP of this process, at every endpoint: how many there
 * are, which idle ones expire, and which one is evicted to make room for a new one.
 *
 * Sessions are grouped by principal. A new session evicts one of its own group, or of a group that
 * has more sessions than its own: a client that begins sessions without end evicts its own
 * sessions and never those of a principal with fewer. All clients without a key are one
 * principal, so inside a group the sessions with the fewest requests are evicted first, the
 * oldest of them first: an unused session is evicted before a used one.
 */
#ifndef PROTO_MCP_SERVER_MCP_SESSIONS_H
#define PROTO_MCP_SERVER_MCP_SESSIONS_H

#include "core/principal.h"
#include "loop/loop.h"
#include "rpc/event_log.h"

struct mcp_session;
struct mcp_session_group;

/* How much a session was used, by the requests after its first: 0, 1 or 2, 3 to 7, 8 or more. */
enum { MCP_SESSION_USES = 4 };

/* Program lifetime. */
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
 * Evict a session if there are limits.mcp_sessions of them. False: no idle session may be evicted
 * for this principal.
 */
bool mcp_sessions_make_room(struct mcp_sessions *all, const struct principal *principal);

/*
 * Add a new session, which is busy and has conv.principal set; remove a session, which must be
 * busy.
 */
void mcp_sessions_add(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_remove(struct mcp_sessions *all, struct mcp_session *s);

/* A session becomes idle; a session becomes busy. */
void mcp_sessions_idle(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_busy(struct mcp_sessions *all, struct mcp_session *s);

#endif
