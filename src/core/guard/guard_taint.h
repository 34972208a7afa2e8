/*
 * guard_taint.h - the check of calls by agents that have read untrusted data.
 *
 * The data may contain instructions that the agent follows. So a call needs approval if it could
 * carry data away or change something that the sandbox does not confine (a sink):
 *
 *   - it leaves the sandbox, or reaches the network
 *   - it writes outside the root folder
 *   - it sends a message to another agent
 *   - it sends arguments to an MCP server that is not the source of the data
 *   - it runs code or a tool with side effects, and the data is suspicious (taint_label.h)
 *
 * [guard] taint sets the verdict. If the data is suspicious, "auto" still asks.
 */
#ifndef CORE_GUARD_GUARD_TAINT_H
#define CORE_GUARD_GUARD_TAINT_H

#include "core/tool/tool.h"

struct guard_check_finding;
struct guard_facts;

/* Do the arguments of the call show that it would write a file outside the root folder? */
bool guard_writes_outside(const struct host *host, const struct tool *tool, struct json args);

/*
 * Search an untrusted result for attacks on the model that reads it. If the result looks like an
 * attack, mark its source in call->from as suspicious, and add a warning for the model.
 */
void guard_suspect(struct call *call);

void guard_check_taint(const struct guard_facts *f, struct guard_check_finding *to);

#endif
