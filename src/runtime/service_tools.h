/* service_tools.h - the tools of a service, for the command line: what is there, and what a name means. */
#ifndef RUNTIME_SERVICE_TOOLS_H
#define RUNTIME_SERVICE_TOOLS_H

#include "runtime/service.h"

/* The tool of a published name or of "server:tool"; NULL and the reason when there is none. */
const struct tool *service_find_tool(const struct service *s, struct str name, struct err *e);

/* Called for each server that should be connected and is not, with the reason. */
void service_each_unavailable(const struct service *s, void (*fn)(void *ctx, const struct err *e),
                              void *ctx);

/* {"tools":[...],"unavailable":[SENTENCE...]}: the built-in tools and those of servers. */
void service_tools_write(struct jw *w, const struct service *s);

/* The result of a call as in MCP; in call->mem where trefoil made it itself. */
struct str service_call_result(struct call *call, size_t most);

#endif
