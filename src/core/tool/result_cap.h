/*
 * result_cap.h - how long the result of a tool may be, for whoever called it.
 *
 * The text of all its blocks counts, in characters, up to limits.tool_result_chars, or what the
 * user allows the server of the tool (max_result_chars). Pictures, sound and blobs do not count
 * and are never cut. A longer text is cut and the cut is marked. Structured content cannot be cut:
 * a result that has some is replaced by an error with a link to the whole (linked_results.h).
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
