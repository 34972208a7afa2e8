/*
 * mcp_client_headers.h - HTTP headers that repeat parts of a request.
 *
 * In 2026-07-28 the headers of every request repeat its method and its subject (such as the name of
 * the tool), so that a proxy can route without reading bodies. A tool may mark arguments
 * (x-mcp-header in its inputSchema); these are also sent as headers. If the marks of a tool are
 * invalid, the tool is not used over HTTP.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_HEADERS_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_HEADERS_H

#include "proto/mcp/client/mcp_client_parts.h"

/* Do headers repeat the body on this connection? */
bool mcp_client_mirrors(const struct mcp_client *c);

/* Are the marks in a schema valid? The ERR_INVALID message names the invalid one. */
bool mcp_mirror_check(struct arena *mem, struct json schema, struct err *e);

/* The subject of a request: its tool, or the name or uri in its params. */
struct str mcp_mirror_name(struct arena *mem, const char *method, struct str tool,
                           struct json params);

/* Set r->header to the headers of a call: its trace, and the arguments that its tool marks. */
void mcp_mirror(struct mcp_client *c, struct arena *mem, struct str tool, struct json args,
                const struct trace *trace, struct mcp_req *r);

/* Encode a value for a header. A value that a header cannot hold becomes =?base64?...?=. */
struct str mcp_mirror_value(struct arena *mem, struct str value);

#endif
