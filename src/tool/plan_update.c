/*
 * plan_update.c - the tool with which an agent reports its plan: the steps and their status.
 *
 * The tool stores nothing. It returns the plan, which becomes an event (TOOL_TELLS_PLAN).
 */
#include "tool/tool_job.h"
#include "tool/tools.h"

struct plan_step {
    struct str content, status, priority;
};

static const struct pick step_fields[] = {
    PICK_FIELD("content", PICK_STR, struct plan_step, content, PICK_MUST),
    PICK_FIELD("status", PICK_STR, struct plan_step, status, 0),
    PICK_FIELD("priority", PICK_STR, struct plan_step, priority, 0),
};

static const char *const statuses[] = { "pending", "in_progress", "completed" };
static const char *const priorities[] = { "high", "medium", "low" };

static bool one_of(struct json step, const char *key, struct str value, const char *const *names,
                   size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(value, str_of(names[i])))
            return true;
    return json_fail(json_get(step, str_of(key)), e, "expected %s, %s or %s", names[0], names[1],
                     names[2]);
}

static bool write_step(struct call *call, struct json from, struct jw *w, struct err *e)
{
    struct plan_step step = { .status = STR("pending"), .priority = STR("medium") };

    if (!pick(call->mem, from, PICK_TABLE(step_fields), PICK_STRICT, &step, e) ||
        !one_of(from, "status", step.status, statuses, ARRAY_LEN(statuses), e) ||
        !one_of(from, "priority", step.priority, priorities, ARRAY_LEN(priorities), e))
        return false;
    if (!step.content.n)
        return json_fail(json_get(from, STR("content")), e, "must not be empty: describe the step");
    jw_object(w);
    jw_kstr(w, "content", step.content);
    jw_kstr(w, "priority", step.priority);
    jw_kstr(w, "status", step.status);
    jw_object_end(w);
    return true;
}

struct plan_update_args {
    struct json entries;
};

static const struct pick arg_fields[] = {
    PICK_FIELD("entries", PICK_ARRAY, struct plan_update_args, entries, PICK_MUST),
};

static bool write_plan(struct call *call, struct json entries, struct err *e)
{
    struct jw w = jw_to(&call->structured);

    jw_object(&w);
    jw_plain_key(&w, STR("entries"));
    jw_array(&w);
    JSON_EACH(entry, entries)
    {
        if (json_type(entry) != JSON_OBJECT)
            return json_fail(entry, e, "expected an object with content, status and priority");
        if (!write_step(call, entry, &w, e))
            return false;
    }
    jw_array_end(&w);
    jw_object_end(&w);
    return true;
}

static void start(struct call *call)
{
    int64_t most = call->host->limits->plan_entries;
    struct plan_update_args args = { 0 };
    struct err e;

    if (!tool_args(call, PICK_TABLE(arg_fields), &args))
        return;
    if ((int64_t)json_count(args.entries) > most) {
        call_failed(call, "entries: at most %lld (the constant plan_entries)", (long long)most);
        return;
    }
    if (!write_plan(call, args.entries, &e)) {
        call_failed(call, "%s", e.text);
        return;
    }
    call_text(call, buf_str(&call->structured));
    call_done(call);
}

const struct tool tool_plan_update = {
    .name = "plan_update",
    .title = "Update the plan",
    .description = "Show the user your whole plan. It replaces the previous plan.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":\"array\",\"items\":{"
        "\"type\":\"object\",\"properties\":{"
        "\"content\":{\"type\":\"string\",\"description\":\"What to do.\"},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"pending\",\"in_progress\",\"completed\"]},"
        "\"priority\":{\"type\":\"string\",\"enum\":[\"high\",\"medium\",\"low\"]}},"
        "\"required\":[\"content\"]}}},\"required\":[\"entries\"]}",
    .kind = TOOL_THINK,
    .tells = TOOL_TELLS_PLAN,
    .read_only = true,
    .idempotent = true,
    .start = start,
};
