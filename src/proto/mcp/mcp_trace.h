/*
 * mcp_trace.h - traces in MCP messages, which let the guard stop endless chains of agents.
 *
 * All calls of a chain have the same trace id, and a depth: the number of agents that the call came
 * through. Both are members of `_meta` and, over HTTP, headers of the same names:
 *
 *   X-Trefoil-Trace-ID, X-OpenStarry-Trace-ID   the id
 *   X-Trefoil-Depth, X-OpenStarry-Depth         how many agents, as an integer or its digits
 *   traceparent                                 W3C: the same trace id, a new parent id each time
 *   tracestate                                  W3C: `trefoil=DEPTH` before the entries of others
 *
 * Both names of the first two headers are read and written. A request is rejected if the id has
 * more than MCP_TRACE_BYTES or contains anything but printable ASCII (trace.malformed). An invalid
 * traceparent begins a new trace. An invalid depth counts as too deep, so the guard denies the
 * call.
 */
#ifndef PROTO_MCP_MCP_TRACE_H
#define PROTO_MCP_MCP_TRACE_H

#include "base/json.h"
#include "core/tool/caller.h"

enum { MCP_TRACE_BYTES = 256 };

/* One header of a request; STR_NONE: absent. */
typedef struct str mcp_header_fn(const void *ctx, const char *name);

/* Is this the name of one of the members or headers above? */
bool mcp_trace_names(struct str name);

/* Read a trace. Absent members or headers leave *t unchanged; texts are borrowed, or in mem. */
void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t);
void mcp_trace_from_headers(struct arena *mem, mcp_header_fn *get, const void *ctx,
                            struct trace *t);

/* Write the members; the caller has begun the `_meta` object. */
void mcp_trace_write_meta(struct jw *w, const struct trace *t);

/* Fill in the headers, with values in mem. Returns their number, at most MCP_TRACE_HEADERS. */
enum { MCP_TRACE_HEADERS = 6 };
struct mcp_trace_header {
    const char *name;
    struct str value;
};
size_t mcp_trace_headers(struct arena *mem, const struct trace *t,
                         struct mcp_trace_header out[MCP_TRACE_HEADERS]);

#endif
