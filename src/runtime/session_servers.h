/*
 * session_servers.h - the MCP servers that an ACP client has named for one session (acp_root.h).
 *
 * They are connected at once, all at the same time, and their processes run in the folder of the
 * session. Their tools are always offered. They live as long as the session and are never stored.
 * If a configured server has the same name, the session gets the client's server only, and a
 * warning is logged.
 */
#ifndef RUNTIME_SESSION_SERVERS_H
#define RUNTIME_SESSION_SERVERS_H

#include "proto/acp/agent/acp_root.h"
#include "runtime/runtime.h"

/* As in struct acp_roots_kind; the root of opts is that of `runtime`. */
struct acp_servers *session_servers_open(struct runtime *runtime,
                                         const struct acp_servers_opts *opts, struct err *e);
bool session_servers_add(struct acp_servers *s, struct json entry, struct err *e);
bool session_servers_remove(struct acp_servers *s, struct str name, struct err *e);
void session_servers_close(struct acp_servers *s, void (*done)(void *ctx), void *ctx);

#endif
