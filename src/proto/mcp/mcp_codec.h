/* mcp_codec.h - what core has, written as MCP has it in a version. Pure. */
#ifndef PROTO_MCP_CODEC_H
#define PROTO_MCP_CODEC_H

#include "core/offer.h"
#include "proto/mcp/mcp_server.h"

/* InitializeResult. */
void mcp_write_initialize(struct jw *w, const struct mcp_server *server, enum mcp_version v);

/* ListToolsResult. */
void mcp_write_tools(struct jw *w, const struct offer *offer, enum mcp_version v);

/* CallToolResult. */
void mcp_write_result(struct jw *w, const struct call *call, enum mcp_version v);

/* CallToolResult of a call that we stopped. */
void mcp_write_failure(struct jw *w, const struct err *e);

#endif
