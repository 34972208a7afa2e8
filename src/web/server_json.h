/*
 * server_json.h - writes the MCP servers in use as JSON, for /api/mcp/servers and `servers --json`:
 *
 * {"configured":[{name, transport, timeout_secs, env, ...}],
 *  "connected":[{name, tools_count, tools:[{name, description}], connected, ...}]}
 *
 * "tools_changed" lists the tools whose definitions are not the approved ones, as {name,
 * quarantined}. A quarantined tool is not in "tools".
 *
 * Environment variables are listed by name only; possible secrets in a command or URL are
 * masked.
 */
#ifndef WEB_SERVER_JSON_H
#define WEB_SERVER_JSON_H

#include "proto/mcp/client/mcp_upstreams.h"

/* Write the servers. If `upstreams` is NULL, both lists are empty. */
void servers_write(struct jw *w, struct mcp_upstreams *upstreams);

/* Return "legacy", "modern" or "auto". */
const char *server_era_name(enum server_era era);

/*
 * Return the number of kept lines of the server's stderr, and the i-th of these lines, counted from
 * the oldest.
 */
size_t server_tail_count(const struct upstream *u);
struct str server_tail(const struct upstream *u, size_t i);

#endif
