/*
 * not_yet.c - tools whose names and arguments stand, and whose work is not there yet.
 *
 * They say so, so that a definition that lists them is right today and works tomorrow.
 */
#include "tool/tools.h"

static void no_tasks(struct call *call)
{
    call_failed(call,
                "%s is not available yet: tasks that go on by themselves are not there. "
                "agent_send does the work and waits for it",
                call->what);
}

static void no_a2a(struct call *call)
{
    call_failed(call, "%s is not available yet: the A2A protocol is not there", call->what);
}

#define TASK_ID                                                                                    \
    "{\"type\":\"object\",\"properties\":{\"task_id\":{\"type\":\"string\",\"minLength\":1,"       \
    "\"description\":\"From agent_dispatch.\"}},"                                                  \
    "\"required\":[\"task_id\"],\"additionalProperties\":false}"

const struct tool tool_agent_dispatch = {
    .name = "agent_dispatch",
    .title = "Dispatch an agent",
    .description = "Gives an agent something to do and returns at once with a task_id; task_get "
                   "tells how far it is. Not available yet.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{"
        "\"agent\":{\"type\":\"string\",\"description\":\"Its name, from agent_list.\"},"
        "\"message\":{\"type\":\"string\",\"minLength\":1,"
        "\"description\":\"What it is to do, and all it needs to know.\"},"
        "\"mode\":{\"type\":\"string\",\"enum\":[\"read-only\",\"read-write\"]}},"
        "\"required\":[\"message\"],\"additionalProperties\":false}",
    .kind = TOOL_THINK,
    .start = no_tasks,
};

const struct tool tool_task_get = {
    .name = "task_get",
    .title = "Look at a task",
    .description = "How far a dispatched task is, and what came of it. Not available yet.",
    .input_schema = TASK_ID,
    .kind = TOOL_READ,
    .read_only = true,
    .polls = true,
    .start = no_tasks,
};

const struct tool tool_task_cancel = {
    .name = "task_cancel",
    .title = "Cancel a task",
    .description = "Stops a dispatched task. Not available yet.",
    .input_schema = TASK_ID,
    .kind = TOOL_THINK,
    .idempotent = true,
    .start = no_tasks,
};

const struct tool tool_a2a_discover = {
    .name = "a2a_discover",
    .title = "Look up a remote agent",
    .description = "Fetches the card of an agent on another machine. Not available yet.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"url\":{\"type\":\"string\",\"minLength\":1}},"
                    "\"required\":[\"url\"],\"additionalProperties\":false}",
    .kind = TOOL_FETCH,
    .read_only = true,
    .open_world = true,
    .start = no_a2a,
};

const struct tool tool_a2a_send = {
    .name = "a2a_send",
    .title = "Ask a remote agent",
    .description = "Sends a message to an agent on another machine and waits for its answer. Not "
                   "available yet.",
    .input_schema = "{\"type\":\"object\",\"properties\":{"
                    "\"url\":{\"type\":\"string\",\"minLength\":1},"
                    "\"message\":{\"type\":\"string\",\"minLength\":1},"
                    "\"task_id\":{\"type\":\"string\","
                    "\"description\":\"Of a task that waits for this message.\"}},"
                    "\"required\":[\"url\",\"message\"],\"additionalProperties\":false}",
    .kind = TOOL_FETCH,
    .open_world = true,
    .start = no_a2a,
};
