#include "web/approval_json.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "core/tool/args_summary.h"

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

/* In lists a question is as long as a person reads; what is longer is cut, or left out. */
enum { MESSAGE_MOST = 4 << 10, FORM_MOST = 64 << 10 };

struct writing {
    struct jw *w;
    struct arena *mem;
    bool whole;
    bool cut; /* something of the question is not written */
    int64_t now;
};

static void write_raw(struct writing *x, const char *key, struct json v)
{
    bool fits = !json_here(v) || x->whole || json_raw(v).n <= FORM_MOST;

    if (fits && json_here(v))
        jw_kraw(x->w, key, json_raw(v));
    x->cut |= !fits;
}

static void write_params(struct writing *x, const struct approval *a)
{
    struct str message = x->whole ? a->message : utf8_head(a->message, MESSAGE_MOST);

    jw_kstr(x->w, "message", message);
    x->cut |= message.n < a->message.n;
    write_raw(x, "url", json_get(a->params, STR("url")));
    write_raw(x, "schema", json_get(a->params, STR("requestedSchema")));
    write_raw(x, "options", json_get(a->params, STR("options")));
}

static void write_args(struct writing *x, const struct approval *a)
{
    bool cut = false;

    jw_kraw(x->w, "arguments",
            x->whole && json_here(a->args) ? json_raw(a->args) : args_brief(x->mem, a->args, &cut));
    x->cut |= cut || a->cut;
}

static void write_times(struct jw *w, const struct approval *a, int64_t now)
{
    char time[CLOCK_TEXT];

    clock_text(a->asked, time);
    jw_kstr(w, "asked", str_of(time));
    jw_kint(w, "waits_seconds", now > a->asked ? (now - a->asked) / 1000 : 0);
    jw_kbool(w, "open", a->task->held);
}

/* names_only: nothing whose length the asking side has chosen. */
static void write_one(struct writing *x, const struct approval *a, bool names_only)
{
    struct jw *w = x->w;

    x->cut = names_only;
    jw_object(w);
    jw_kstr(w, "task", a->task->id);
    jw_kstr(w, "key", a->key);
    jw_kstr(w, "agent", a->task->agent);
    jw_kstr(w, "owner", a->task->owner);
    jw_kstr(w, "kind", a->kind);
    jw_kstr(w, "tool", a->tool);
    if (!names_only) {
        write_args(x, a);
        write_params(x, a);
    }
    if (x->cut)
        jw_kbool(w, "cut", true);
    write_times(w, a, x->now);
    jw_object_end(w);
}

/* A question that the answer has no room for must not hide the others: it is named only. */
static void write_or_name(struct writing *x, const struct approval *a)
{
    struct buf *out = x->w->out;
    struct jw before = *x->w;
    size_t n = out->n;

    if (out->full)
        return;
    write_one(x, a, false);
    if (!out->full)
        return;
    *x->w = before;
    out->n = n;
    out->full = false;
    write_one(x, a, true);
}

void approvals_write(struct jw *w, struct arena *mem, const struct limits *limits,
                     const struct task_info *t, bool whole, int64_t now)
{
    struct writing x = { .w = w, .mem = mem, .whole = whole, .now = now };
    struct approval_walk at = { 0 };
    struct approval a;

    while (approval_next(&at, mem, limits, t, &a))
        write_or_name(&x, &a);
}
