/*
 * call_description.h - describes a call as text, so that a person can approve it. The text
 * contains:
 *
 *   tool             the name; for a tool of an MCP server also server:tool
 *   working folder   for a built-in tool: the base of relative paths, and where commands run
 *   each argument    on separate lines; further lines of a value are indented, so that none of
 *                    them looks like another argument
 *   changes          if a file would be written: a diff instead of the texts
 *
 * Values whose names look like secrets are masked. Long text is truncated, with a note of how much
 * is missing. A truncated call cannot be approved remotely (check_seen in task_answer.c).
 */
#ifndef CORE_TOOL_CALL_DESCRIPTION_H
#define CORE_TOOL_CALL_DESCRIPTION_H

#include "core/tool/tool.h"

/*
 * Returns at most limits.ask_shown_bytes, in call->mem. `diff` is the result of tool->preview, or
 * STR_NONE. *cut is set if the text was truncated.
 */
struct str call_shown(const struct call *call, const struct tool *tool, struct str diff, bool *cut);

#endif
