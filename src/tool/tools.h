/* tools.h - the built-in tools. A tool is one file here and one row in tools.c. */
#ifndef TOOL_TOOLS_H
#define TOOL_TOOLS_H

#include "core/tool.h"

extern const struct tool tool_file_read;
extern const struct tool tool_system_time;

/* All of them, in the order they are listed. */
extern const struct tool *const builtin_tools[];
extern const size_t builtin_tool_count;

#endif
