/*
 * remote_agents.h - the remote A2A agents of a root: one peer for each address and its credentials,
 * shared by all sessions, with its card and its access token.
 */
#ifndef RUNTIME_REMOTE_AGENTS_H
#define RUNTIME_REMOTE_AGENTS_H

#include "config/config.h"
#include "proto/a2a/client/a2a_agent.h"

struct remote_agents;

struct remote_agents *remote_agents_new(struct loop *loop, const struct limits *limits,
                                        const char *root);

/*
 * Return the peer for a spec, with a reference that the caller must drop (a2a_peer_drop). Blocks,
 * because it may read a secret from a file. NULL: the URL is not valid, or a secret is missing.
 */
struct a2a_peer *remote_agents_peer(struct remote_agents *r, const struct remote_spec *spec,
                                    struct err *e);

/* Close the HTTP client and free everything; `done` is called from the loop. */
void remote_agents_close(struct remote_agents *r, void (*done)(void *ctx), void *ctx);

#endif
