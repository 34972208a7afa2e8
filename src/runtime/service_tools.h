/* service_tools.h - lists and finds the tools of a service, for the command line. */
#ifndef RUNTIME_SERVICE_TOOLS_H
#define RUNTIME_SERVICE_TOOLS_H

#include "runtime/service.h"

/*
 * Find a tool by its published name or "server:tool". If there is no such tool, returns NULL, with
 * the reason in *e.
 */
const struct tool *service_find_tool(const struct service *s, struct str name, struct err *e);

/* Call `fn` with the reason for each server that should be connected and is not. */
void service_each_unavailable(const struct service *s, void (*fn)(void *ctx, const struct err *e),
                              void *ctx);

/*
 * Write {"tools":[...],"unavailable":[SENTENCE...]} with the built-in tools and the tools of
 * servers.
 */
void service_tools_write(struct jw *w, const struct service *s);

/* Return the result of a call in the JSON form of MCP. The text is valid as long as call->mem. */
struct str service_call_result(struct call *call, size_t most);

#endif
