/*
 * agent_send.c - sends a message to an agent and waits for the answer. If the caller can fetch the
 * result later (caller.takes_tasks), the work becomes a task, which survives a restart.
 *
 * A tool that stands for one agent starts in the same way; its `ctx` is the agent's name.
 */
#include "core/agent/agent_call.h"
#include "tool/task_tools.h"

struct agent_send_args {
    struct str agent, message, session, mode;
    struct json parts;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("agent", PICK_STR, struct agent_send_args, agent,
               0), /* first: one agent's own has none */
    PICK_FIELD("message", PICK_STR, struct agent_send_args, message, 0),
    PICK_FIELD("parts", PICK_ARRAY, struct agent_send_args, parts, 0),
    PICK_FIELD("session_id", PICK_STR, struct agent_send_args, session, 0),
    PICK_FIELD("mode", PICK_STR, struct agent_send_args, mode, 0),
};

static void send(struct call *call)
{
    struct agent_send_args args = { 0 };
    enum agent_mode mode = AGENT_READ_WRITE;
    size_t own = call->ctx ? 1 : 0;
    struct blocks message;

    if (!tool_args(call, arg_fields + own, ARRAY_LEN(arg_fields) - own, &args))
        return;
    if (call->ctx)
        args.agent = arena_str(call->mem, str_of(call->ctx));
    if (args.mode.p && !agent_mode_named(args.mode, &mode)) {
        call_failed(call, "mode: expected \"read-only\" or \"read-write\"");
        return;
    }
    if (call->caller->takes_tasks && call->host->context && call->host->context->tasks) {
        task_dispatch_instead(call, &(struct task_errand){ args.agent, args.message, args.session,
                                                           args.mode, args.parts });
        return;
    }
    if (!tool_prompt(call, "message", args.message, args.parts, &message))
        return;
    agent_call(call, &(struct agent_call_opts){
                         .context = call->host->context,
                         .agent = args.agent,
                         .message = message,
                         .session = args.session,
                         .read_only = mode == AGENT_READ_ONLY,
                     });
}

static void start(struct call *call)
{
    agent_context_when(call, call->host->context, send);
}

/* The guard checks each call of the agent, never above its caller: no kind of higher risk. */
const struct tool tool_agent_send = {
    .name = "agent_send",
    .title = "Ask an agent",
    .description = "Call an agent and wait for its answer. This may take minutes. The agent does "
                   "not see this conversation: pass everything it needs.",
    .input_schema = "{\"type\":\"object\",\"properties\":{\"agent\":{\"type\":\"string\","
                    "\"description\":\"Agent to call. Default: `default`.\"}," AGENT_CALL_SCHEMA,
    .kind = TOOL_THINK,
    .messages = true,
    .task = TOOL_TASK_OWN,
    .timeout_ms = CALL_NO_DEADLINE,
    .start = start,
};
