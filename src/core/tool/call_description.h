/*
 * call_description.h - what a call would run, as text for the person who is asked to approve it.
 *
 *   tool             its name; for a tool of an MCP server also server:tool
 *   working folder   of a built-in tool: the base of relative paths and of commands
 *   each argument    on separate lines; further lines of a text are indented, so that none of
 *                    them looks like another argument
 *   changes          of a file that would be written: a diff instead of the texts
 *
 * Values whose names look like secrets are masked. Long text is truncated, and the text says by how
 * much: a truncated call cannot be approved remotely (check_seen in task_answer.c).
 */
#ifndef CORE_TOOL_CALL_DESCRIPTION_H
#define CORE_TOOL_CALL_DESCRIPTION_H

#include "core/tool/tool.h"

/*
 * At most limits.ask_shown_bytes, in the memory of the call. `diff` is the result of tool->preview,
 * or STR_NONE. *cut: the text was truncated.
 */
struct str call_shown(const struct call *call, const struct tool *tool, struct str diff, bool *cut);

#endif
