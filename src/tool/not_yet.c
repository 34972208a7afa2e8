/*
 * not_yet.c - tools whose names and arguments stand, and whose work is not there yet.
 *
 * They say so, so that a definition that lists them is right today and works tomorrow.
 */
#include "tool/tools.h"

static void no_a2a(struct call *call)
{
    call_failed(call, "%s is not available yet: the A2A protocol is not there", call->what);
}

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
