/* tools.h - the built-in tools. Each tool is one file in this folder and one row in tools.c. */
#ifndef TOOL_TOOLS_H
#define TOOL_TOOLS_H

#include "core/tool/tool.h"

extern const struct tool tool_file_read;
extern const struct tool tool_file_list;
extern const struct tool tool_file_write;
extern const struct tool tool_file_edit;
extern const struct tool tool_file_move;
extern const struct tool tool_file_delete;
extern const struct tool tool_dir_make;
extern const struct tool tool_glob;
extern const struct tool tool_grep;
extern const struct tool tool_shell_exec;
extern const struct tool tool_process_start;
extern const struct tool tool_process_poll;
extern const struct tool tool_process_write;
extern const struct tool tool_process_kill;
extern const struct tool tool_web_fetch;
extern const struct tool tool_memory;
extern const struct tool tool_plan_update;
extern const struct tool tool_system_time;
/* The tool `skill` is useful only if host->skills is not empty. */
extern const struct tool tool_skill;
extern const struct tool tool_list_agents;
extern const struct tool tool_agent_send;
extern const struct tool tool_dispatch_agent;
extern const struct tool tool_get_task_status;
extern const struct tool tool_cancel_task;
extern const struct tool tool_a2a_discover; /* useful only if host->remotes is set */
extern const struct tool tool_a2a_send;     /* the same */
extern const struct tool tool_ask_user;
extern const struct tool tool_artifact_write;

extern const struct tool tool_answer_task;
extern const struct tool tool_list_tasks;
extern const struct tool tool_get_locks;

/* Is the tool offered only if A2A is on? */
bool builtin_needs_a2a(const struct tool *t);

/* All built-in tools, in the order in which they are listed. */
extern const struct tool *const builtin_tools[];
extern const size_t builtin_tool_count;

/* Tools for MCP clients that dispatch agents. Agents do not have these tools. */
extern const struct tool *const client_tools[];
extern const size_t client_tool_count;

#endif
