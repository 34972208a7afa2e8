/*
 * guard_untrusted_text.h - a result as a model gets to read it.
 *
 * Towards a program (an MCP client, --json) a result goes as it came. Towards a model it is text:
 * cut like any result (result_cap.h) and the cut marked; what is not trusted stands
 * between two lines that say so and carry a mark nobody could know before, so that no text can
 * pretend to be past its end. What the guard has to tell the model stands below.
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
