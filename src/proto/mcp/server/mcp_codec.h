/* mcp_codec.h - write core objects as JSON of an MCP version. Pure. */
#ifndef PROTO_MCP_SERVER_MCP_CODEC_H
#define PROTO_MCP_SERVER_MCP_CODEC_H

#include "core/tool/offer.h"
#include "proto/mcp/mcp_question.h"
#include "proto/mcp/server/mcp_server.h"

/* InitializeResult. lasting: there will be notifications of changes. */
void mcp_write_initialize(struct jw *w, const struct mcp_server *server, enum mcp_version v,
                          bool lasting);

/* The members "capabilities" and, under a name, an Implementation. */
void mcp_write_capabilities(struct jw *w, const struct offer *offer, enum mcp_version v,
                            bool lasting);
void mcp_write_server_info(struct jw *w, const char *key, const struct mcp_server *server,
                           enum mcp_version v);

/* Tool, Resource or ResourceTemplate, Prompt. */
void mcp_write_tool(struct jw *w, const struct tool *t, enum mcp_version v);
void mcp_write_resource(struct jw *w, const struct resource *r, enum mcp_version v);
void mcp_write_prompt(struct jw *w, const struct prompt *p, enum mcp_version v);

/* The members of a CallToolResult. */
void mcp_write_result(struct jw *w, const struct call *call, enum mcp_version v);

/* The members of a CallToolResult of a call that we stopped. */
void mcp_write_failure(struct jw *w, const struct err *e);

#endif
