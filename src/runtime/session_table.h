/*
 * session_table.h - sessions by id, each with the MCP servers that its editor supplied.
 *
 * A session is made from the params of session/new: its folder and its servers. It can be used
 * while its servers are still connecting. A server that fails does not affect the others. The tools
 * of the servers are in the session's offer (session_servers.h).
 */
#ifndef RUNTIME_SESSION_TABLE_H
#define RUNTIME_SESSION_TABLE_H

#include "base/id.h"
#include "proto/mcp/client/session_servers.h"

struct session_table;

struct session_entry {
    char id[ID_TEXT];
    const char *cwd;
    struct session_servers *servers;
    struct arena mem;
    struct session_table *table;
    struct session_entry *next;
    void (*ended)(void *ctx);
    void *ended_ctx;
};

/* Program lifetime. `base` is what all sessions have in common; its cwd is ignored. */
struct session_table {
    struct session_servers_opts base;
    const struct limits *limits;
    struct session_entry *first;
    size_t count;
};

/*
 * Make a session of `params` ({"cwd", "mcpServers"}); ERR_INVALID names the member that is wrong,
 * ERR_LIMIT when there are limits.sessions already.
 */
bool session_table_new(struct session_table *t, struct json params, struct session_entry **out,
                       struct err *e);

/* NULL: there is none. */
struct session_entry *session_table_find(const struct session_table *t, struct str id);

/* End it: its servers are closed; then done (may be NULL) is called and *s is freed. */
void session_table_end(struct session_entry *s, void (*done)(void *ctx), void *ctx);

#endif
