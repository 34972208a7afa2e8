/*
 * mcp_question.h - convert questions and log levels to and from MCP; for client and server. Pure.
 */
#ifndef PROTO_MCP_MCP_QUESTION_H
#define PROTO_MCP_MCP_QUESTION_H

#include "core/tool/call.h"

/*
 * mcp_ask_method returns the method of the MCP request for a question. mcp_ask_params returns its
 * params, which are in mem or are the params of the ask itself.
 */
const char *mcp_ask_method(enum ask_kind kind);
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params);

/* Write the question as a member of inputRequests. */
void mcp_write_ask(struct jw *w, struct arena *mem, struct str key, enum ask_kind kind,
                   struct str params);

/* Does an answer have the shape that this kind of question requires? */
bool mcp_answer_fits(enum ask_kind kind, struct json answer);

/*
 * Return the answer to use, in mem. If the client's answer also approves all later calls, the
 * returned answer approves only this call.
 */
struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer);

/* "debug" ... "emergency" */
const char *mcp_level_name(enum call_level level);
bool mcp_level_named(struct str name, enum call_level *out);

#endif
