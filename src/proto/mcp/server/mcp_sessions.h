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
    size_t count; /* that can be found */
    size_t idle;  /* of them */
    struct mcp_session_group *groups;
    struct event_pool events; /* of all of them */
    struct timer expiry;      /* set while one is idle */
};

void mcp_sessions_init(struct mcp_sessions *all, struct loop *loop, const struct limits *limits);

/*
 * End a session if there are as many as limits.mcp_sessions. False when none that this principal
 * may evict is idle.
 */
bool mcp_sessions_make_room(struct mcp_sessions *all, const struct principal *principal);

/* A session begins, in use. Its conv.principal is set. Ends: it is in use then, too. */
void mcp_sessions_add(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_remove(struct mcp_sessions *all, struct mcp_session *s);

/* It is not in use any more; it is used again. */
void mcp_sessions_idle(struct mcp_sessions *all, struct mcp_session *s);
void mcp_sessions_busy(struct mcp_sessions *all, struct mcp_session *s);

#endif
