#include "app/approvals_json.h"

#include "base/clock.h"
#include "core/args_brief.h"

static bool step(struct approval_walk *at, struct arena *mem, const struct limits *limits,
                 const struct task_info *t)
{
    struct json_opts opts = limits_json(limits);
    struct err e;

    if (at->begun) {
        at->at = json_next(at->asks, json_value(at->at));
    } else {
        at->begun = true;
        if (!t->asks.n || task_state_final(t->state) ||
            !json_read(mem, t->asks, &opts, &at->asks, &e))
            return false;
        at->at = json_first(at->asks);
    }
    return json_here(at->at);
}

bool approval_next(struct approval_walk *at, struct arena *mem, const struct limits *limits,
                   const struct task_info *t, struct approval *out)
{
    struct json ask;

    if (!step(at, mem, limits, t))
        return false;
    ask = json_value(at->at);
    *out = (struct approval){
        .task = t,
        .key = json_str(mem, at->at),
        .kind = json_str(mem, json_get(ask, STR("kind"))),
        .tool = json_str(mem, json_get(ask, STR("tool"))),
        .args = json_get(ask, STR("args")),
        .params = json_get(ask, STR("params")),
        .cut = json_here(json_get(ask, STR("cut"))),
    };
    out->message = json_str(mem, json_get(out->params, STR("message")));
    json_int(json_get(ask, STR("asked_ms")), &out->asked);
    return true;
}

static void write_raw(struct jw *w, const char *key, struct json v)
{
    if (json_here(v))
        jw_kraw(w, key, json_raw(v));
}

static void write_args(struct jw *w, struct arena *mem, const struct approval *a, bool whole)
{
    bool cut = false;

    jw_kraw(w, "arguments",
            whole && json_here(a->args) ? json_raw(a->args) : args_brief(mem, a->args, &cut));
    if (cut || a->cut)
        jw_kbool(w, "cut", true);
}

static void write_one(struct jw *w, struct arena *mem, const struct approval *a, bool whole,
                      int64_t now)
{
    char time[CLOCK_TEXT];

    clock_text(a->asked, time);
    jw_object(w);
    jw_kstr(w, "task", a->task->id);
    jw_kstr(w, "key", a->key);
    jw_kstr(w, "agent", a->task->agent);
    jw_kstr(w, "owner", a->task->owner);
    jw_kstr(w, "kind", a->kind);
    jw_kstr(w, "tool", a->tool);
    write_args(w, mem, a, whole);
    jw_kstr(w, "message", a->message);
    write_raw(w, "url", json_get(a->params, STR("url")));
    write_raw(w, "schema", json_get(a->params, STR("requestedSchema")));
    jw_kstr(w, "asked", str_of(time));
    jw_kint(w, "waits_seconds", now > a->asked ? (now - a->asked) / 1000 : 0);
    jw_kbool(w, "open", a->task->held);
    jw_object_end(w);
}

void approvals_write(struct jw *w, struct arena *mem, const struct limits *limits,
                     const struct task_info *t, bool whole, int64_t now)
{
    struct approval_walk at = { 0 };
    struct approval a;

    while (approval_next(&at, mem, limits, t, &a))
        write_one(w, mem, &a, whole, now);
}
