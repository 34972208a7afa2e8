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
 * Of a call that was forwarded: leave it alone when its result is short enough. Else its content
 * is written anew, as of a call of our own, and raw_result is STR_NONE. `links`: its caller can
 * read what is kept.
 */
void result_cap_forwarded(struct call *call, bool links);

#endif
