/*
 * task_answer.c - the tool with which an MCP client answers a question of a task.
 *
 * Agents do not have this tool, because an agent must not approve its own calls or those of an
 * agent that it has called. A client that is an agent in a chain (its trace has a depth) is refused
 * for the same reason.
 */
#include "tool/task_tools.h"

struct answer_args {
    struct str id, key, action, option, reason;
    struct json content;
};

static const struct pick answer_fields[] = {
    PICK_FIELD("task_id", PICK_STR, struct answer_args, id, PICK_MUST),
    PICK_FIELD("key", PICK_STR, struct answer_args, key, 0),
    PICK_FIELD("action", PICK_STR, struct answer_args, action, 0),
    PICK_FIELD("option", PICK_STR, struct answer_args, option, 0),
    PICK_FIELD("content", PICK_OBJECT, struct answer_args, content, 0),
    PICK_FIELD("reason", PICK_STR, struct answer_args, reason, 0),
};

struct task_answering {
    struct call *call;
    struct task_ask *ask;
};

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct task_answering *a = ctx;
    struct jw w = jw_to(&a->call->structured);
    bool found = a->ask->info.id.n > 0;

    (void)op;
    if (e) {
        task_call_failed(a->call, found ? STR_NONE : a->ask->id, e);
        return;
    }
    jw_object(&w);
    task_write_head(&w, &a->ask->info);
    if (a->ask->info.asks.n)
        jw_kraw(&w, "asks", a->ask->info.asks);
    jw_object_end(&w);
    task_call_done(a->call);
}

/* As struct ask wants it. */
static bool write_answer(struct call *call, const struct answer_args *args, struct json *out)
{
    struct json_opts opts = limits_json(call->host->limits);
    struct buf text;
    struct jw w = jw_to(&text);
    struct err e;

    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "action", args->action);
    jw_kstr(&w, "option", args->option);
    if (json_here(args->content))
        jw_kraw(&w, "content", json_raw(args->content));
    jw_kstr(&w, "reason", args->reason);
    jw_object_end(&w);
    if (!text.full && json_read(call->mem, buf_str(&text), &opts, out, &e))
        return true;
    call_failed(call, "the answer is too large");
    return false;
}

static void answer(struct call *call)
{
    struct answer_args args = { 0 };
    struct task_engine *engine;
    struct task_answering *a;
    struct json text;

    if (!tool_args(call, PICK_TABLE(answer_fields), &args))
        return;
    if (!args.action.p && !args.option.p) {
        call_failed(call, "missing argument \"action\", or \"option\" for a permission question");
        return;
    }
    if (call->caller->trace.depth > 0) {
        call_failed(
            call,
            "only a user can answer the questions of a task, not an agent called by another agent");
        return;
    }
    engine = task_engine_for(call);
    if (!engine || !write_answer(call, &args, &text))
        return;
    a = ARENA_NEW(call->mem, struct task_answering);
    a->call = call;
    a->ask = task_ask_new(call, args.id);
    task_answer(engine, a->ask, args.key, text, &call->op, on_answered, a);
}

static void start_answer(struct call *call)
{
    agent_context_when(call, call->host->context, answer);
}

const struct tool tool_answer_task = {
    .name = "answer_task",
    .title = "Answer a task",
    .description = "Answer an open question of a task with the user's decision, never your own. "
                   "get_task_status lists the questions in `asks`.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{" TASK_ID_SCHEMA ","
        "\"key\":{\"type\":\"string\","
        "\"description\":\"Key of the question, if several are open.\"},"
        "\"action\":{\"type\":\"string\",\"enum\":[\"accept\",\"decline\",\"cancel\"]},"
        "\"option\":{\"type\":\"string\","
        "\"description\":\"Id of the chosen permission option, instead of `action`.\"},"
        "\"content\":{\"type\":\"object\",\"description\":\"Values of a form. For a permission "
        "question, {\\\"always\\\":true} also allows later equal calls.\"},"
        "\"reason\":{\"type\":\"string\",\"description\":\"Why the user declines.\"}},"
        "\"required\":[\"task_id\"]}",
    .kind = TOOL_THINK,
    .messages = true,
    .start = start_answer,
};
