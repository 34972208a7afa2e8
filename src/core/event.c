/* event.c - writes events as JSON. */
#include "core/event.h"

#include "core/artifact.h"
#include "core/guard/guard_check.h"
#include "core/session/history_record.h"

const char *const event_names[EVENT_KINDS] = {
    [EVENT_PROMPT] = "prompt",     [EVENT_TEXT] = "text",     [EVENT_THOUGHT] = "thought",
    [EVENT_TOOL] = "tool",         [EVENT_PLAN] = "plan",     [EVENT_ASK] = "ask",
    [EVENT_USAGE] = "usage",       [EVENT_NOTICE] = "notice", [EVENT_SESSION] = "session",
    [EVENT_ARTIFACT] = "artifact", [EVENT_END] = "end",
};

const char *const turn_stop_names[TURN_STOPS] = {
    [TURN_END] = "end",           [TURN_LENGTH] = "length",     [TURN_REQUESTS] = "requests",
    [TURN_BUDGET] = "budget",     [TURN_TOKENS] = "tokens",     [TURN_TIME] = "time",
    [TURN_CONTEXT] = "context",   [TURN_STUCK] = "stuck",       [TURN_REFUSED] = "refused",
    [TURN_NO_MODEL] = "no_model", [TURN_CANCELED] = "canceled", [TURN_FAILED] = "failed",
};

const char *const called_names[CALLED_STATES] = {
    [CALLED_PENDING] = "pending", [CALLED_RUNNING] = "running",   [CALLED_DONE] = "done",
    [CALLED_FAILED] = "failed",   [CALLED_CANCELED] = "canceled",
};

const char *const notice_names[NOTICE_KINDS] = {
    [NOTICE_RETRY] = "retry",
    [NOTICE_FALLBACK] = "fallback",
    [NOTICE_COMPACTING] = "compacting",
    [NOTICE_COMPACTED] = "compacted",
    [NOTICE_COMPACT_FAILED] = "compact_failed",
    [NOTICE_RESUMED] = "resumed",
    [NOTICE_WARNING] = "warning",
};

const char *const ask_names[ASK_KINDS] = {
    [ASK_FORM] = "form",   [ASK_URL] = "url",       [ASK_PERMISSION] = "permission",
    [ASK_ROOTS] = "roots", [ASK_SAMPLE] = "sample",
};

bool ask_kind_named(struct str name, enum ask_kind *out)
{
    for (size_t i = 0; i < ASK_KINDS; i++)
        if (str_eq(name, str_of(ask_names[i]))) {
            *out = (enum ask_kind)i;
            return true;
        }
    return false;
}

static void write_prompt(struct jw *w, const struct event *ev)
{
    const struct block *b = ev->block;

    jw_kstr(w, "message", ev->message);
    jw_kstr(w, "text", b->text);
    jw_kstr(w, "uri", b->uri);
    jw_kstr(w, "name", b->name);
    jw_kstr(w, "media_type", b->type);
    jw_kstr(w, "data", b->data);
}

static void write_text(struct jw *w, const struct event *ev)
{
    jw_kstr(w, "message", ev->message);
    jw_kstr(w, "text", ev->text);
}

static void write_tool(struct jw *w, const struct event *ev)
{
    const struct event_tool *t = &ev->tool;

    jw_kstr(w, "id", t->id);
    jw_kstr(w, "name", t->name);
    jw_kstr(w, "title", t->title);
    if (t->kind < TOOL_KINDS)
        jw_kstr(w, "kind", str_of(guard_kind_names[t->kind]));
    jw_kstr(w, "status", str_of(called_names[t->status]));
    jw_kraw(w, "args", t->args);
    jw_kstr(w, "path", t->path);
    if (t->line)
        jw_kint(w, "line", t->line);
    jw_kstr(w, "text", t->text);
    jw_kstr(w, "old_text", t->old_text);
    jw_kstr(w, "new_text", t->new_text);
    jw_kraw(w, "done", t->done);
    jw_kraw(w, "total", t->total);
    jw_kstr(w, "trust", str_of(t->trust));
    jw_kstr(w, "from", t->from);
    jw_kstr(w, "session", t->session);
}

static void write_plan(struct jw *w, const struct event *ev)
{
    jw_kraw(w, "entries", ev->plan);
}

static void write_ask(struct jw *w, const struct event *ev)
{
    jw_kstr(w, "id", ev->ask.id);
    jw_kstr(w, "key", ev->ask.key);
    jw_kstr(w, "kind", str_of(ask_names[ev->ask.kind]));
    jw_kbool(w, "open", ev->ask.open);
    jw_kraw(w, "params", ev->ask.params);
}

static void write_usage(struct jw *w, const struct event *ev)
{
    jw_plain_key(w, STR("turn"));
    usage_write(w, &ev->usage.turn);
    jw_kint(w, "used", ev->usage.used);
    if (ev->usage.size)
        jw_kint(w, "size", ev->usage.size);
    if (ev->usage.cost_usd >= 0) {
        jw_plain_key(w, STR("cost_usd"));
        jw_double(w, ev->usage.cost_usd);
    }
}

static void write_artifact(struct jw *w, const struct event *ev)
{
    artifact_piece_write(w, &ev->artifact);
}

static void write_notice(struct jw *w, const struct event *ev)
{
    jw_kstr(w, "kind", str_of(notice_names[ev->notice.kind]));
    jw_kstr(w, "text", ev->notice.text);
}

static void write_session(struct jw *w, const struct event *ev)
{
    jw_kstr(w, "title", ev->session.title);
    jw_kstr(w, "mode", ev->session.mode);
    jw_kstr(w, "model", ev->session.model);
}

static void write_end(struct jw *w, const struct event *ev)
{
    jw_kstr(w, "stop", str_of(turn_stop_names[ev->end.stop]));
    if (ev->end.code)
        jw_kstr(w, "code", str_of(err_code_name(ev->end.code)));
    jw_kstr(w, "text", ev->end.text);
}

static void (*const writers[EVENT_KINDS])(struct jw *w, const struct event *ev) = {
    [EVENT_PROMPT] = write_prompt, [EVENT_TEXT] = write_text,
    [EVENT_THOUGHT] = write_text,  [EVENT_TOOL] = write_tool,
    [EVENT_PLAN] = write_plan,     [EVENT_ASK] = write_ask,
    [EVENT_USAGE] = write_usage,   [EVENT_ARTIFACT] = write_artifact,
    [EVENT_NOTICE] = write_notice, [EVENT_SESSION] = write_session,
    [EVENT_END] = write_end,
};

void event_write(struct jw *w, const struct event *ev)
{
    jw_object(w);
    jw_kstr(w, "type", str_of(event_names[ev->kind]));
    writers[ev->kind](w, ev);
    jw_object_end(w);
}
