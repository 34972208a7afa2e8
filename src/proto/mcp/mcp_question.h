/*
 * mcp_question.h - questions and log levels as MCP spells them, for both roles. Pure.
 */
#ifndef PROTO_MCP_MCP_QUESTION_H
#define PROTO_MCP_MCP_QUESTION_H

#include "core/tool/call.h"

/* How a question is put: the method, and its params (in mem where they are not the ask's own). */
const char *mcp_ask_method(enum ask_kind kind);
struct str mcp_ask_params(struct arena *mem, enum ask_kind kind, struct str params);

/* The member of inputRequests that puts it. */
void mcp_write_ask(struct jw *w, struct arena *mem, struct str key, enum ask_kind kind,
                   struct str params);

/* Does an answer have the shape that this kind of question requires? */
bool mcp_answer_fits(enum ask_kind kind, struct json answer);

/* The part of it that counts: a client approves one call, never all that follow. In mem. */
struct json mcp_answer_taken(struct arena *mem, enum ask_kind kind, struct json answer);

/* "debug" ... "emergency" */
const char *mcp_level_name(enum call_level level);
bool mcp_level_named(struct str name, enum call_level *out);

#endif
