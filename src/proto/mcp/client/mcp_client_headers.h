/*
 * mcp_client_headers.h - the parts of a request that its HTTP headers repeat.
 *
 * In 2026-07-28 every request names its method and its subject in headers, and a tool may mark
 * arguments (x-mcp-header in its inputSchema) that are repeated in separate headers, so that a
 * proxy can route without reading bodies. A tool that marks arguments wrongly is not used over HTTP
 * at all.
 */
#ifndef PROTO_MCP_CLIENT_MCP_CLIENT_HEADERS_H
#define PROTO_MCP_CLIENT_MCP_CLIENT_HEADERS_H

#include "proto/mcp/client/mcp_client_in.h"

/* Do headers repeat the body on this connection? */
bool mcp_client_mirrors(const struct mcp_client *c);

/* Are the marks in a schema correct? The ERR_INVALID message names the wrong one. */
bool mcp_mirror_check(struct arena *mem, struct json schema, struct err *e);

/* The subject of a request: its tool, or the name or uri in its params. */
struct str mcp_mirror_name(struct arena *mem, const char *method, struct str tool,
                           struct json params);

/* Set r->header to the headers of a call: its trace, and the arguments that its tool marks. */
void mcp_mirror(struct mcp_client *c, struct arena *mem, struct str tool, struct json args,
                const struct trace *trace, struct mcp_req *r);

/* A value as a header can carry it: itself, or its base64 between =?base64? and ?=. */
struct str mcp_mirror_value(struct arena *mem, struct str value);

#endif
