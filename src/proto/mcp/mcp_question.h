/*
 * mcp_question.h - convert questions and log levels to and from MCP; for client and server. Pure.
 */
#ifndef PROTO_MCP_MCP_QUESTION_H
#define PROTO_MCP_MCP_QUESTION_H

#include "core/tool/call.h"

/* The MCP request for a question: its method, and its params (in mem, or those of the ask). */
const char *mcp_ask_method(enum ask_kind kind);
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params);

/* Write the question as a member of inputRequests. */
void mcp_write_ask(struct jw *w, struct arena *mem, struct str key, enum ask_kind kind,
                   struct str params);

/* Does an answer have the shape that this kind of question requires? */
bool mcp_answer_fits(enum ask_kind kind, struct json answer);

/* The answer to use, in mem. If the client approves all later calls, too, only this call is
 * approved. */
struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer);

/* "debug" ... "emergency" */
const char *mcp_level_name(enum call_level level);
bool mcp_level_named(struct str name, enum call_level *out);

#endif
