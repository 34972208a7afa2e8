/* mcp_codec.h - write objects of src/core as the JSON of an MCP version. Pure. */
#ifndef PROTO_MCP_SERVER_MCP_CODEC_H
#define PROTO_MCP_SERVER_MCP_CODEC_H

#include "core/tool/offer.h"
#include "proto/mcp/mcp_question.h"
#include "proto/mcp/server/mcp_server.h"

/* Write an InitializeResult. lasting: the client can be notified of changes. */
void mcp_write_initialize(struct jw *w, const struct mcp_server *server, enum mcp_version v,
                          bool lasting);

/* mcp_write_capabilities writes the member "capabilities". mcp_write_server_info writes the member
 * `key`, whose value is an Implementation. */
void mcp_write_capabilities(struct jw *w, const struct offer *offer, enum mcp_version v,
                            bool lasting);
void mcp_write_server_info(struct jw *w, const char *key, const struct mcp_server *server,
                           enum mcp_version v);

/* Write an object of the type Tool, of Resource or ResourceTemplate, or of Prompt. */
void mcp_write_tool(struct jw *w, const struct tool *t, enum mcp_version v);
void mcp_write_resource(struct jw *w, const struct resource *r, enum mcp_version v);
void mcp_write_prompt(struct jw *w, const struct prompt *p, enum mcp_version v);

/* Write the members of a CallToolResult. */
void mcp_write_result(struct jw *w, const struct call *call, enum mcp_version v);

/* Write the members of a CallToolResult for a call that we stopped. */
void mcp_write_failure(struct jw *w, const struct err *e);

#endif
