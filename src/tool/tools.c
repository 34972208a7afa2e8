#include "tool/tools.h"

const struct tool *const builtin_tools[] = {
    &tool_file_read,
    &tool_system_time,
};

const size_t builtin_tool_count = ARRAY_LEN(builtin_tools);
