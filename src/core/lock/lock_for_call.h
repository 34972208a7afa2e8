/*
 * lock_for_call.h - a call begins, and before that takes its turn when it writes.
 *
 * The one place that every tool call comes through after it was let in: from agents, MCP clients
 * and the command line. Calls of built-in tools that edit, delete or move wait here until no other
 * call writes into the same locked path (lock.h). The turn ends as the call settles.
 */
#ifndef CORE_LOCK_LOCK_FOR_CALL_H
#define CORE_LOCK_LOCK_FOR_CALL_H

#include "core/tool/tool.h"

/* Start the tool, now or when it is the call's turn. *tool may go as soon as this returns. */
void write_turn_begin(struct call *call, const struct tool *tool);

#endif
