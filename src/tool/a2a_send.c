/* a2a_send.c - sends a message to a remote A2A agent that is not configured, and waits for the
 * answer. */
#include "core/agent/remote_port.h"
#include "tool/args.h"
#include "tool/tools.h"

static const struct pick arg_fields[] = {
    PICK_FIELD("url", PICK_STR, struct remote_message, url, PICK_MUST),
    PICK_FIELD("message", PICK_STR, struct remote_message, text, PICK_MUST),
    PICK_FIELD("context_id", PICK_STR, struct remote_message, context, 0),
    PICK_FIELD("task_id", PICK_STR, struct remote_message, task, 0),
};

static void start(struct call *call)
{
    struct remote_message m = { 0 };

    if (!tool_args(call, PICK_TABLE(arg_fields), &m))
        return;
    if (!m.text.n)
        call_failed(call, "message: must not be empty");
    else if (call->host->remotes)
        call->host->remotes->send(call->host->remotes, call, &m);
    else
        call_failed(call, "A2A is off; the user can turn it on: [a2a] enabled = true");
}

const struct tool tool_a2a_send = {
    .name = "a2a_send",
    .title = "Ask a remote agent",
    .description = "Send a message to a remote A2A agent and wait for its answer. This may take "
                   "minutes. The agent does not see this conversation: pass everything it needs. "
                   "If the state is input_required, send the answer with the task_id. Only public "
                   "addresses are allowed, unless the user has configured others. For agents of "
                   "this project use agent_send.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{"
        "\"url\":{\"type\":\"string\",\"description\":\"URL of the agent or of its card\"},"
        "\"message\":{\"type\":\"string\",\"description\":\"The message, complete in itself\"},"
        "\"context_id\":{\"type\":\"string\",\"description\":\"Continue this conversation: the "
        "context_id of an earlier answer\"},"
        "\"task_id\":{\"type\":\"string\",\"description\":\"Answer the question of this "
        "task\"}},\"required\":[\"url\",\"message\"]}",
    .kind = TOOL_FETCH,
    .open_world = true,
    .messages = true,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start,
};
