/*
 * remote_discovery.h - reads the cards of remote agents in the background. Part of remote_agents.h.
 *
 *   READING ──> FOUND
 *     ^  │
 *     │  v
 *   WAITING       reading has failed; the next try follows after limits.a2a_discover_ms
 */
#ifndef RUNTIME_REMOTE_DISCOVERY_H
#define RUNTIME_REMOTE_DISCOVERY_H

#include "core/agent/agent_def.h"
#include "proto/a2a/client/a2a_peer.h"

enum discovery_state { DISCOVERY_READING, DISCOVERY_WAITING, DISCOVERY_FOUND };

struct remote_discoveries;

/* The discovery of one agent. */
struct remote_discovery {
    struct remote_discoveries *all;
    char name[AGENT_NAME_MOST + 1];
    struct a2a_peer *peer;
    enum discovery_state state;
    struct a2a_meeting meeting;
    struct timer retry;
    bool wanted; /* the agent is still defined; false: free this when it is not READING */
    bool warned; /* the user was told that the agent cannot be reached */
    struct remote_discovery *next;
};

struct remote_discoveries {
    struct loop *loop;
    const struct limits *limits;
    struct remote_discovery *first;
    void (*on_found)(void *ctx); /* may be NULL */
    void *found_ctx;
    bool closing;
    void (*on_idle)(void *ctx); /* after closing: nothing is READING any more */
    void *idle_ctx;
};

/* Mark all as not wanted; then want those that are defined; then drop the others. */
void discoveries_mark(struct remote_discoveries *all);
void discoveries_want(struct remote_discoveries *all, const char *name, struct a2a_peer *peer);
void discoveries_drop(struct remote_discoveries *all);

/* Stop all, and call on_idle from the loop or before this returns. */
void discoveries_close(struct remote_discoveries *all, void (*on_idle)(void *ctx), void *ctx);

#endif
