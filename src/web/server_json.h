/*
 * server_json.h - the MCP servers in use as JSON: GET /api/mcp/servers, `servers --json`.
 *
 * {"configured":[{name, transport, timeout_secs, env, ...}],
 *  "connected":[{name, tools_count, tools:[{name, description}], connected, ...}]}
 *
 * Environment variables are listed by name only; possible secrets in a command or URL are
 * masked.
 */
#ifndef WEB_SERVER_JSON_H
#define WEB_SERVER_JSON_H

#include "proto/mcp/client/mcp_upstreams.h"

/* upstreams NULL: all lists are empty. */
void servers_write(struct jw *w, struct mcp_upstreams *upstreams);

/* "legacy", "modern" or "auto". */
const char *server_era_name(enum server_era era);

/* The i-th of the last lines of its stderr, from the oldest; how many there are. */
size_t server_tail_count(const struct upstream *u);
struct str server_tail(const struct upstream *u, size_t i);

#endif
