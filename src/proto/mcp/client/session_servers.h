/*
 * session_servers.h - MCP servers that belong to one session: its client adds them, and they end
 * with it.
 *
 * A session has upstreams beside those of the program, and an offer that joins both: first the
 * tools of its servers, then the built-in ones, then those of the program's servers. A server of
 * the session replaces a program's server of the same name, and its tool replaces one of the same
 * published name. All its tools are marked `always`. Nothing is stored.
 *
 * All servers are connected at once. A failing server does not affect the others: the session
 * continues with the rest, and the reasons can be read.
 */
#ifndef PROTO_MCP_CLIENT_SESSION_SERVERS_H
#define PROTO_MCP_CLIENT_SESSION_SERVERS_H

#include "proto/mcp/client/mcp_upstreams.h"

struct session_servers;

/* All pointers must stay valid as long as the session; specs and cwd are copied. */
struct session_servers_opts {
    const struct mcp_client_world *world;
    const struct host *host;
    const char *cwd;                     /* where its children start; NULL: the world's root */
    struct offer_source *const *builtin; /* joined after the tools of its servers */
    size_t builtins;
    struct mcp_upstreams *agent; /* the program's servers; NULL: none */

    /* Once, from the loop: each server has connected or failed. May be NULL. */
    void (*on_connected)(struct session_servers *s, void *ctx);
    void *ctx;
};

struct session_servers *session_servers_open(const struct session_servers_opts *o,
                                             const struct server_spec *spec, size_t specs);

/* The tools that the session may use. */
struct offer *session_servers_offer(struct session_servers *s);

/* Add a server, or replace the one with its name; remove one: false when there is none. */
void session_servers_add(struct session_servers *s, const struct server_spec *spec);
bool session_servers_remove(struct session_servers *s, struct str name);

/* The servers of the session: iterate from NULL to NULL, or find one by name. */
const struct upstream *session_servers_next(const struct session_servers *s,
                                            const struct upstream *u);
const struct upstream *session_servers_get(const struct session_servers *s, struct str name);

/* Why a server of the session is not connected. False: it is. */
bool session_servers_failed(const struct upstream *u, struct err *why);

/*
 * The session ends: its offer is empty at once, and its servers are asked to exit. done is called
 * from the loop when none of their processes is left, and *s is freed then. The program's upstreams
 * must not be closed before.
 */
void session_servers_close(struct session_servers *s, void (*done)(void *ctx), void *ctx);

#endif
