/*
 * mcp_trace.h - traces in MCP messages, for the guard against endless chains of agents.
 *
 * A chain of calls carries one trace id and the number of agents behind it, as members of `_meta`
 * and, over HTTP, as headers of the same names:
 *
 *   X-Trefoil-Trace-ID, X-OpenStarry-Trace-ID   the id
 *   X-Trefoil-Depth, X-OpenStarry-Depth         how many agents, as an integer or its digits
 *   traceparent                                 W3C: the same trace id, a new parent id each time
 *   tracestate                                  W3C: `trefoil=DEPTH` before the entries of others
 *
 * Both spellings are read and both are written. A request is rejected if our id has more than
 * MCP_TRACE_BYTES or contains anything but printable ASCII (trace.malformed). An invalid
 * traceparent begins a new trace. An invalid depth counts as too deep: when in doubt, the guard
 * refuses.
 */
#ifndef PROTO_MCP_TRACE_H
#define PROTO_MCP_TRACE_H

#include "base/json.h"
#include "core/tool/caller.h"

enum { MCP_TRACE_BYTES = 256 };

/* One header of a request; STR_NONE: absent. */
typedef struct str mcp_header_fn(const void *ctx, const char *name);

/* Is this the name of one of these members or headers? */
bool mcp_trace_names(struct str name);

/* Absent members leave *t unchanged; texts are borrowed, or in mem. */
void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t);
void mcp_trace_from_headers(struct arena *mem, mcp_header_fn *get, const void *ctx,
                            struct trace *t);

/* Write the members of a `_meta` object that is open. */
void mcp_trace_write_meta(struct jw *w, const struct trace *t);

/* The same as headers; values in mem. Returns how many, at most MCP_TRACE_HEADERS. */
enum { MCP_TRACE_HEADERS = 6 };
struct mcp_trace_header {
    const char *name;
    struct str value;
};
size_t mcp_trace_headers(struct arena *mem, const struct trace *t,
                         struct mcp_trace_header out[MCP_TRACE_HEADERS]);

#endif
