/*
 * call_description.h - what a call would run, as text for the person who is asked about it.
 *
 *   tool             its name; of an MCP server's also server:tool
 *   working folder   of a built-in tool: from where its paths are meant and commands run
 *   each argument    on lines of its own; further lines of a text are indented, so that none of
 *                    them looks like another argument
 *   changes          of a file that would be written: a diff instead of the texts
 *
 * Values whose names are those of secrets are masked. What is too long is cut and says by how
 * much: what is not shown cannot be agreed to from afar (check_seen in task_answer.c).
 */
#ifndef CORE_TOOL_CALL_DESCRIPTION_H
#define CORE_TOOL_CALL_DESCRIPTION_H

#include "core/tool/tool.h"

/*
 * At most limits.ask_shown_bytes, in the memory of the call. `diff` is what tool->preview found
 * out, or STR_NONE. *cut: there is more.
 */
struct str call_shown(const struct call *call, const struct tool *tool, struct str diff, bool *cut);

#endif
