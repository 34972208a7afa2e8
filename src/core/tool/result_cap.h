/*
 * result_cap.h - limit the length of a tool's result.
 *
 * The text of all blocks counts, in characters, up to limits.tool_result_chars or the limit that
 * the user set for the server of the tool (max_result_chars). Images, audio and blobs do not count
 * and are never truncated. A longer text is truncated and marked. Structured content cannot be
 * truncated: such a result is replaced by an error with a link to the whole (linked_results.h).
 */
#ifndef CORE_TOOL_RESULT_CAP_H
#define CORE_TOOL_RESULT_CAP_H

#include "core/tool/call.h"

/* The cap of this call, in characters. */
size_t result_cap(const struct call *call);

/*
 * Of a forwarded call: do nothing if its result is short enough. Otherwise rewrite its content
 * like that of a local call, and set raw_result to STR_NONE. `links`: the caller can read kept
 * results.
 */
void result_cap_forwarded(struct call *call, bool links);

#endif
