/*
 * result_cap.h - limits the length of a tool's result.
 *
 * The text of all blocks together may have at most limits.tool_result_chars characters. For the
 * tools of an MCP server, the user can set another limit (max_result_chars). Longer text is
 * truncated and marked. Images, audio and blobs do not count and are never truncated. Structured
 * content cannot be truncated: a result that is too long is replaced by an error with a link to the
 * whole result (linked_results.h).
 */
#ifndef CORE_TOOL_RESULT_CAP_H
#define CORE_TOOL_RESULT_CAP_H

#include "core/tool/call.h"

/* Return the maximum number of characters in the result of this call. */
size_t result_cap(const struct call *call);

/*
 * Limit the result of a forwarded call (call_forward). A result that is too long is rewritten like
 * the result of a local call, and raw_result is set to STR_NONE. `links`: the caller can read kept
 * results.
 */
void result_cap_forwarded(struct call *call, bool links);

#endif
