/*
 * mcp_http.h - MCP over HTTP (Streamable HTTP).
 *
 * Every POST stands alone: it brings one message (or a batch, where the version has them) and
 * is answered by one JSON body; there are no sessions yet. A GET opens the stream on which a
 * server speaks first; ours has nothing to say yet but keeps it alive.
 *
 * A client that leaves before its answer cancels its call.
 */
#ifndef PROTO_MCP_HTTP_H
#define PROTO_MCP_HTTP_H

#include "proto/mcp/mcp_server.h"
#include "wire/http_server.h"

void mcp_http_post(struct mcp_server *server, struct http_req *req);
void mcp_http_get(struct mcp_server *server, struct http_req *req);

#endif
