/*
 * session_servers.h - MCP servers that belong to one session: given by its client, gone with it.
 *
 * A session has a fleet of its own beside the program's, and an offer in which both are joined:
 * first its own tools, then the built-in ones, then those of the program's servers. A server of
 * the session shadows the program's of the same name as a whole, and a tool of it one of the same
 * published name. All its tools are marked `always`. Nothing is written anywhere.
 *
 * All servers are connected at once. One that fails fails nobody else: the session goes on with
 * what there is, and the reasons can be read.
 */
#ifndef PROTO_MCP_CLIENT_SESSION_SERVERS_H
#define PROTO_MCP_CLIENT_SESSION_SERVERS_H

#include "proto/mcp/client/mcp_upstreams.h"

struct session_servers;

/* All that is pointed to must outlive the session; specs and cwd are copied. */
struct session_servers_opts {
    const struct mcp_client_world *world;
    const struct host *host;
    const char *cwd;                     /* where its children start; NULL: the world's root */
    struct offer_source *const *builtin; /* joined after its own tools */
    size_t builtins;
    struct mcp_upstreams *agent; /* the program's servers; NULL: none */

    /* Once, from the loop: each server has connected or failed. May be NULL. */
    void (*on_connected)(struct session_servers *s, void *ctx);
    void *ctx;
};

struct session_servers *session_servers_open(const struct session_servers_opts *o,
                                             const struct server_spec *spec, size_t specs);

/* What the session may use. */
struct offer *session_servers_offer(struct session_servers *s);

/* One more, or another instead of the one of its name; one less: false when there is none. */
void session_servers_add(struct session_servers *s, const struct server_spec *spec);
bool session_servers_remove(struct session_servers *s, struct str name);

/* Its own servers: walk from NULL to NULL, or by name. */
const struct upstream *session_servers_next(const struct session_servers *s,
                                            const struct upstream *u);
const struct upstream *session_servers_get(const struct session_servers *s, struct str name);

/* Why a server of it is not there; false when it is. */
bool session_servers_failed(const struct upstream *u, struct err *why);

/*
 * The session ends: its offer is empty at once, its servers are asked to leave; done is called from
 * the loop when no process of them is left, and *s is gone then. The program's fleet must not be
 * closed before.
 */
void session_servers_close(struct session_servers *s, void (*done)(void *ctx), void *ctx);

#endif
