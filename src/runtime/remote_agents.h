/*
 * remote_agents.h - the remote A2A agents of a root: one peer for each address and its credentials,
 * shared by all sessions, with its card and its access token.
 */
#ifndef RUNTIME_REMOTE_AGENTS_H
#define RUNTIME_REMOTE_AGENTS_H

#include "config/agent_files.h"
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

/*
 * From now on, read the cards of all remote agents of the list in the background, so that lists of
 * agents have their descriptions, and the user learns which agents cannot be reached. A failure is
 * logged as a warning one time, and tried again after limits.a2a_discover_ms. `on_found` (may be
 * NULL) is called when a card was read. Call it again when the list has changed; it is used during
 * the call only.
 */
void remote_agents_discover(struct remote_agents *r, const struct agent_list *list,
                            void (*on_found)(void *ctx), void *ctx);

/* Return the description in the card of an agent; STR_NONE: its card is not known. */
struct str remote_agents_description(struct remote_agents *r, const struct remote_spec *spec);

/* Close the HTTP client and free everything; `done` is called from the loop. */
void remote_agents_close(struct remote_agents *r, void (*done)(void *ctx), void *ctx);

#endif
