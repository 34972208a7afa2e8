#include "tool/tools.h"

/* clang-format off */
const struct tool *const builtin_tools[] = {
    &tool_file_read,
    &tool_file_list,
    &tool_file_write,
    &tool_file_edit,
    &tool_file_move,
    &tool_file_delete,
    &tool_dir_make,
    &tool_glob,
    &tool_grep,
    &tool_shell_exec,
    &tool_process_start,
    &tool_process_poll,
    &tool_process_write,
    &tool_process_kill,
    &tool_web_fetch,
    &tool_memory,
    &tool_plan_update,
    &tool_system_time,
    &tool_list_agents,
    &tool_agent_send,
    &tool_dispatch_agent,
    &tool_get_task_status,
    &tool_cancel_task,
    &tool_a2a_discover,
    &tool_a2a_send,
    &tool_ask_user,
    &tool_artifact_write,
    &tool_skill,
};

const struct tool *const client_tools[] = {
    &tool_answer_task,
    &tool_list_tasks,
    &tool_get_locks,
};
/* clang-format on */

const size_t builtin_tool_count = ARRAY_LEN(builtin_tools);
const size_t client_tool_count = ARRAY_LEN(client_tools);

bool builtin_needs_a2a(const struct tool *t)
{
    return t == &tool_a2a_discover || t == &tool_a2a_send;
}
