/*
 * guard_untrusted_text.h - the result of a tool call as text for a model.
 *
 * A program (an MCP client, --json) gets a result unchanged. A model gets a text, which may be
 * truncated (result_cap.h). One line before and one line after an untrusted text say that it is
 * untrusted. Both lines contain the same random number, so that the text cannot fake its end.
 * Warnings of the guard for the model follow the text.
 */
#ifndef CORE_GUARD_GUARD_UNTRUSTED_TEXT_H
#define CORE_GUARD_GUARD_UNTRUSTED_TEXT_H

#include "core/tool/call.h"

/*
 * Return the text of a call whose op has succeeded, in mem. Images and audio are only mentioned.
 * Call this function before the `done` callback of the call returns, because it reads data of the
 * call.
 */
struct str guard_text(const struct call *call, struct arena *mem);

#endif
