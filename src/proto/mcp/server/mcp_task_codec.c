/* mcp_task_codec.c - writes tasks and their results as JSON of MCP. Pure. */
#include "base/clock.h"
#include "core/event.h"
#include "proto/mcp/server/mcp_tasks.h"

/* The poll interval grows with the age of the task. */
enum { POLL_LEAST_MS = 100, POLL_MOST_MS = 2000, POLL_PART = 4 };

/* ---- how a call ended ---------------------------------------------------------------------- */

static void write_error(struct jw *w, int code, struct str message, struct str data)
{
    jw_plain_key(w, STR("error"));
    jw_object(w);
    jw_kint(w, "code", code);
    jw_kstr(w, "message", message);
    jw_kraw(w, "data", data);
    jw_object_end(w);
}

static void write_result(struct jw *w, const struct call *call, const struct err *e)
{
    jw_plain_key(w, STR("result"));
    jw_object(w);
    jw_kstr(w, "resultType", STR("complete"));
    if (e)
        mcp_write_failure(w, e);
    else
        mcp_write_result(w, call, MCP_LAST);
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    mcp_write_marks(w, call);
    jw_object_end(w);
    jw_object_end(w);
}

/* As in an answer: the model should learn why a tool was stopped. */
void mcp_write_outcome(struct jw *w, const struct call *call, const struct err *e)
{
    jw_object(w);
    if (e && e->code == ERR_DENIED && call->lacking)
        write_error(w, MCP_LACKS_ABILITY, str_of(e->text), mcp_required[call->lacked]);
    else if (!e && call->raw_error.p)
        jw_kraw(w, "error", call->raw_error);
    else if (!e && call->raw_result.p)
        jw_kraw(w, "result", call->raw_result);
    else
        write_result(w, call, e);
    jw_object_end(w);
}

/* ---- the question -------------------------------------------------------------------------- */

bool mcp_task_asks(struct arena *mem, struct json asks, struct str key, enum ask_kind *kind)
{
    return ask_kind_named(json_str(mem, json_get(json_get(asks, key), STR("kind"))), kind);
}

static void write_asks(struct jw *w, struct arena *mem, struct json asks)
{
    enum ask_kind kind;

    jw_plain_key(w, STR("inputRequests"));
    jw_object(w);
    JSON_MEMBERS(key, asks)
    {
        struct json ask = json_value(key);

        if (ask_kind_named(json_str(mem, json_get(ask, STR("kind"))), &kind))
            mcp_write_ask(w, mem, json_str(mem, key), kind, json_raw(json_get(ask, STR("params"))));
    }
    jw_object_end(w);
}

/* ---- a task -------------------------------------------------------------------------------- */

/* The outcome of the call of a task; missing: no call, or it did not end. */
static struct json outcome(struct json result, struct str part)
{
    return json_get(json_get(result, STR("call")), part);
}

/*
 * Does the task have a result for the model? A tool that was stopped or denied, and an agent that
 * failed, have one, whatever the state of the task. All else would have been an error of the
 * request.
 */
static bool has_result(const struct task_info *info, struct json result)
{
    return json_here(outcome(result, STR("result"))) ||
           (info->session.n && json_here(json_get(result, STR("response"))));
}

static struct str status_of(const struct task_info *info, struct json result)
{
    if (info->state == TASK_FAILED && has_result(info, result))
        return task_status(TASK_COMPLETED);
    if (info->state == TASK_COMPLETED && !json_here(result)) /* too large to parse */
        return task_status(TASK_FAILED);
    return task_status(info->state);
}

static void write_time(struct jw *w, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT];

    clock_text(ms, text);
    jw_kstr(w, key, str_of(text));
}

/* The time from its creation for which the task is certainly kept. */
static int64_t ttl(const struct limits *limits, int64_t now, const struct task_info *info)
{
    int64_t age = (info->ended ? info->ended : now) - info->created;

    return (age > 0 ? age : 0) + limits->task_keep_ms;
}

static int64_t poll_ms(int64_t age)
{
    int64_t ms = age / POLL_PART;

    return ms < POLL_LEAST_MS ? POLL_LEAST_MS : ms > POLL_MOST_MS ? POLL_MOST_MS : ms;
}

static void write_text(struct jw *w, struct str text)
{
    jw_object(w);
    jw_kstr(w, "type", STR("text"));
    jw_kstr(w, "text", text);
    jw_object_end(w);
}

/* The structured result of an agent, as in core/agent/agent_call.h. */
static void write_structured(struct jw *w, const struct task_info *info, struct json result,
                             struct str answer)
{
    struct json stop = json_get(result, STR("stop")), usage = json_get(result, STR("usage"));

    jw_plain_key(w, STR("structuredContent"));
    jw_object(w);
    jw_kstr(w, "answer", answer);
    jw_kstr(w, "session_id", info->session);
    jw_kraw(w, "stop", json_here(stop) ? json_raw(stop) : STR_NONE);
    jw_kraw(w, "usage", json_here(usage) ? json_raw(usage) : STR_NONE);
    jw_object_end(w);
}

/* ---- artifacts as content ------------------------------------------------------------------ */

static void write_embedded(struct jw *w, struct str uri, struct json type, const char *key,
                           struct str raw)
{
    jw_object(w);
    jw_kplain(w, "type", STR("resource"));
    jw_plain_key(w, STR("resource"));
    jw_object(w);
    jw_kstr(w, "uri", uri);
    jw_kraw(w, "mimeType", json_here(type) ? json_raw(type) : STR_NONE);
    jw_kraw(w, key, raw);
    jw_object_end(w);
    jw_object_end(w);
}

/* Most parts are valid MCP content; text, files and data become resources. */
static void write_part(struct jw *w, struct json part, struct str uri)
{
    struct json kind = json_get(part, STR("type")), type = json_get(part, STR("mimeType"));
    struct json text = json_get(part, STR("text")), data = json_get(part, STR("data"));

    if (json_is(kind, STR("text"))) {
        write_embedded(w, uri, type, "text", json_raw(text));
    } else if (json_is(kind, STR("file"))) {
        write_embedded(w, uri, type, "blob", json_raw(data));
    } else if (json_is(kind, STR("data"))) {
        jw_object(w);
        jw_kplain(w, "type", STR("resource"));
        jw_plain_key(w, STR("resource"));
        jw_object(w);
        jw_kstr(w, "uri", uri);
        jw_kplain(w, "mimeType", STR("application/json"));
        jw_kstr(w, "text", json_raw(data));
        jw_object_end(w);
        jw_object_end(w);
    } else {
        jw_raw(w, json_raw(part));
    }
}

static void write_artifact(struct jw *w, struct arena *mem, struct str task, struct json artifact)
{
    struct str id = json_str(mem, json_get(artifact, STR("id")));
    size_t n = 0;

    JSON_EACH(part, json_get(artifact, STR("parts")))
    {
        struct str uri =
            arena_printf(mem, "artifact://" STR_FMT "/" STR_FMT, STR_ARG(task), STR_ARG(id));

        if (n)
            uri = arena_printf(mem, STR_FMT "#%zu", STR_ARG(uri), n);
        write_part(w, part, uri);
        n++;
    }
}

static void write_artifacts(struct jw *w, struct arena *mem, const struct limits *limits,
                            const struct task_info *info)
{
    struct json all = { 0 };

    if (info->artifacts.n)
        all = mcp_reread(mem, limits, info->artifacts);
    if (!json_here(all)) /* none, or too large to parse */
        return;
    JSON_EACH(artifact, all)
    {
        write_artifact(w, mem, info->id, artifact);
    }
}

/* The answer and artifacts of an agent, and why it failed. */
static void write_response(struct jw *w, struct arena *mem, const struct limits *limits,
                           const struct task_info *info, struct json result)
{
    struct str answer = json_str(mem, json_get(result, STR("response")));
    bool cut = json_is(json_get(result, STR("stop")), str_of(turn_stop_names[TURN_LENGTH]));
    bool failed = info->state != TASK_COMPLETED;

    answer = answer.p ? answer : STR("");
    jw_plain_key(w, STR("result"));
    jw_object(w);
    jw_kstr(w, "resultType", STR("complete"));
    jw_plain_key(w, STR("content"));
    jw_array(w);
    if (answer.n || !failed)
        write_text(w, answer);
    write_artifacts(w, mem, limits, info);
    if (failed)
        write_text(w, info->text.n ? info->text : STR("it failed"));
    jw_array_end(w);
    write_structured(w, info, result, answer);
    if (failed && !cut) /* a truncated answer is not a failure */
        jw_kbool(w, "isError", true);
    jw_object_end(w);
}

static void write_end(struct jw *w, struct arena *mem, const struct limits *limits,
                      const struct task_info *info, struct json result, bool completed)
{
    struct json call_result = outcome(result, STR("result")),
                call_error = outcome(result, STR("error"));

    if (completed && json_here(call_result))
        jw_kraw(w, "result", json_raw(call_result));
    else if (completed)
        write_response(w, mem, limits, info, result);
    else if (json_here(call_error))
        jw_kraw(w, "error", json_raw(call_error));
    else
        write_error(w, RPC_INTERNAL_ERROR,
                    info->text.n ? info->text : STR("the stored result is malformed"), STR_NONE);
}

void mcp_write_task(struct jw *w, struct arena *mem, const struct limits *limits, int64_t now,
                    const struct task_info *info, bool whole)
{
    struct json result = { 0 };
    struct str status;

    if (info->result.n)
        result = mcp_reread(mem, limits, info->result);
    status = status_of(info, result);
    jw_kstr(w, "taskId", info->id);
    jw_kstr(w, "status", status);
    if (info->text.n)
        jw_kstr(w, "statusMessage", info->text);
    write_time(w, "createdAt", info->created);
    write_time(w, "lastUpdatedAt", info->updated);
    jw_kint(w, "ttlMs", ttl(limits, now, info));
    jw_kint(w, "pollIntervalMs", poll_ms(now - info->created));
    if (!whole)
        return;
    if (str_eq(status, STR("input_required")))
        write_asks(w, mem, mcp_reread(mem, limits, info->asks.n ? info->asks : STR("{}")));
    else if (str_eq(status, STR("completed")) || str_eq(status, STR("failed")))
        write_end(w, mem, limits, info, result, str_eq(status, STR("completed")));
}
