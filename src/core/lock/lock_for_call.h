/*
 * lock_for_call.h - start a call; a call that writes first waits for its turn.
 *
 * Every tool call that the guard allowed passes here: from agents, MCP clients and the command
 * line. Calls of built-in tools that edit, delete or move wait here until no other call writes into
 * the same locked path (lock.h). The turn ends as the call settles.
 */
#ifndef CORE_LOCK_LOCK_FOR_CALL_H
#define CORE_LOCK_LOCK_FOR_CALL_H

#include "core/tool/tool.h"

/* Start the tool, now or when it is the call's turn. *tool may be freed as soon as this returns. */
void write_turn_begin(struct call *call, const struct tool *tool);

#endif
