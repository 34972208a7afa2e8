/*
 * mcp_trace.h - the guard against agents that call each other without end, on the wire.
 *
 * A chain of calls carries one trace id and the number of agents behind it, as members of `_meta`
 * and, over HTTP, as headers of the same names:
 *
 *   X-Trefoil-Trace-ID, X-OpenStarry-Trace-ID   the id
 *   X-Trefoil-Depth, X-OpenStarry-Depth         how many agents, as an integer or its digits
 *   traceparent                                 W3C: the same trace id, a new parent id each time
 *   tracestate                                  W3C: `trefoil=DEPTH` before what others say
 *
 * Both spellings are read and both are written. An id of ours of more than MCP_TRACE_BYTES, or with
 * other than printable ASCII in it, makes the request one to refuse (trace.malformed); a traceparent
 * that is none begins a new trace. A depth that cannot be read counts as too deep: a guard that fails
 * is not passed.
 */
#ifndef PROTO_MCP_TRACE_H
#define PROTO_MCP_TRACE_H

#include "base/json.h"
#include "core/tool/caller.h"

enum { MCP_TRACE_BYTES = 256 };

/* One header of a request; STR_NONE: absent. */
typedef struct str mcp_header_fn(const void *ctx, const char *name);

/* Is it the name of one of these? */
bool mcp_trace_names(struct str name);

/* What is absent leaves *t as it was; texts are borrowed, or in mem. */
void mcp_trace_from_meta(struct arena *mem, struct json meta, struct trace *t);
void mcp_trace_from_headers(struct arena *mem, mcp_header_fn *get, const void *ctx,
                            struct trace *t);

/* Write the members of a `_meta` object that is open. */
void mcp_trace_write_meta(struct jw *w, const struct trace *t);

/* The headers that say the same; values in mem. Returns how many, at most MCP_TRACE_HEADERS. */
enum { MCP_TRACE_HEADERS = 6 };
struct mcp_trace_header {
    const char *name;
    struct str value;
};
size_t mcp_trace_headers(struct arena *mem, const struct trace *t,
                         struct mcp_trace_header out[MCP_TRACE_HEADERS]);

#endif
