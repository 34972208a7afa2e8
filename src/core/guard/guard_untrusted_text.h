/*
 * guard_untrusted_text.h - a result as text for a model.
 *
 * A program (an MCP client, --json) gets a result unchanged. A model gets text: truncated like any
 * result (result_cap.h), with a mark where it was truncated. Untrusted text is enclosed in two
 * lines that call it untrusted and carry a random mark, so that no text can fake its end. Warnings
 * of the guard for the model follow below.
 */
#ifndef CORE_GUARD_GUARD_UNTRUSTED_TEXT_H
#define CORE_GUARD_GUARD_UNTRUSTED_TEXT_H

#include "core/tool/call.h"

/*
 * The text of a call that has settled without error, made in `mem`. Pictures and sounds are only
 * named. Call it before done returns: it reads what the call holds.
 */
struct str guard_text(const struct call *call, struct arena *mem);

#endif
