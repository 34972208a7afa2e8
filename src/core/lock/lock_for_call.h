/*
 * lock_for_call.h - starts a tool call; a call that writes waits for its turn first.
 *
 * The guard starts every call that it has allowed with this function. A call of a built-in tool
 * that edits, deletes or moves files waits here until no other call writes into the same locked
 * path (lock.h). The turn ends when the call ends.
 */
#ifndef CORE_LOCK_LOCK_FOR_CALL_H
#define CORE_LOCK_LOCK_FOR_CALL_H

#include "core/tool/tool.h"

/*
 * Start the tool now, or when it is the call's turn. *tool may be freed after this function
 * returns.
 */
void write_turn_begin(struct call *call, const struct tool *tool);

#endif
