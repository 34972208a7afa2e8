/*
 * mcp_upstream_reader.h - the second process of an MCP server, for callers in read-only mode.
 *
 * A sandbox applies to a whole process, which either may or may not write to the root folder. So a
 * server that runs in a sandbox has two processes: one for callers that may write, and a second one
 * that may not write. The first call of a caller in read-only mode starts the second process.
 * `share = true` of the server switches this off.
 *
 * In read-only mode a tool runs without approval if it declares that it only reads. Such a call
 * runs in the second process, so the kernel enforces the declaration. A call of any other tool was
 * approved, so it runs in the first process and may write.
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAM_READER_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAM_READER_H

#include "proto/mcp/client/mcp_upstream.h"

/*
 * Return the upstream that must run the call: u or its reader. only_reads: the tool declares that
 * it only reads.
 */
struct upstream *upstream_for_call(struct upstream *u, const struct call *call, bool only_reads);

/* Close the reader, if there is one. When it is closed, u->reader becomes NULL, and waiting calls
 * of u are started. */
void upstream_close_reader(struct upstream *u);

#endif
