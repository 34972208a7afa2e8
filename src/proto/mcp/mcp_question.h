/*
 * mcp_question.h - questions and log levels as MCP spells them, for both roles. Pure.
 */
#ifndef PROTO_MCP_MCP_QUESTION_H
#define PROTO_MCP_MCP_QUESTION_H

#include "core/tool/call.h"

/* A question as an MCP request: the method, and the params (in mem, or those of the ask). */
const char *mcp_ask_method(enum ask_kind kind);
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params);

/* Write the question as a member of inputRequests. */
void mcp_write_ask(struct jw *w, struct arena *mem, struct str key, enum ask_kind kind,
                   struct str params);

/* Does an answer have the shape that this kind of question requires? */
bool mcp_answer_fits(enum ask_kind kind, struct json answer);

/* The part of the answer that is used: a client approves one call, never all later ones. In mem. */
struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer);

/* "debug" ... "emergency" */
const char *mcp_level_name(enum call_level level);
bool mcp_level_named(struct str name, enum call_level *out);

#endif
