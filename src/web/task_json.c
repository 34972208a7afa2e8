#include "web/task_json.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "base/version.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes of what is to be done that a list has. */
enum { ASKED_SHOWN = 200 };

static void write_time(struct jw *w, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT];

    if (!ms)
        return;
    clock_text(ms, text);
    jw_kstr(w, key, str_of(text));
}

static void write_text(struct jw *w, const char *key, struct str s)
{
    if (s.n)
        jw_kstr(w, key, s);
}

void task_write(struct jw *w, const struct task_info *t, bool whole)
{
    jw_object(w);
    jw_kstr(w, "id", t->id);
    write_text(w, "agent", t->agent);
    jw_kstr(w, "state", str_of(task_state_names[t->state]));
    if (task_interrupted(t))
        jw_kint(w, "interrupted", task_interrupted(t));
    write_text(w, "text", t->text);
    write_text(w, "task", whole ? t->asked : utf8_head(t->asked, ASKED_SHOWN));
    write_text(w, "context", t->context);
    write_text(w, "session", t->session);
    write_text(w, "model", t->model);
    write_text(w, "mode", t->mode);
    write_text(w, "mode_reason", t->mode_reason);
    write_text(w, "owner", t->owner);
    write_time(w, "created", t->created);
    write_time(w, "updated", t->updated);
    write_time(w, "ended", t->ended);
    jw_kint(w, "version", t->version);
    jw_kint(w, "events", t->last_seq);
    if (whole) {
        jw_kraw(w, "parts", t->parts);
        jw_kraw(w, "asks", t->asks);
        jw_kraw(w, "artifacts", t->artifacts);
        jw_kraw(w, "result", t->result);
    }
    jw_object_end(w);
}

static void write_event(struct jw *w, int64_t seq, int64_t at, struct str kind, struct str body)
{
    jw_kint(w, "seq", seq);
    write_time(w, "time", at);
    jw_kstr(w, "kind", kind);
    jw_kraw(w, "body", body);
}

void task_event_write(struct jw *w, int64_t seq, int64_t at, struct str kind, struct str body)
{
    jw_object(w);
    write_event(w, seq, at, kind, body);
    jw_object_end(w);
}

void task_feed_write(struct jw *w, const struct store_feed_event *ev)
{
    jw_object(w);
    jw_kstr(w, "task", ev->task);
    jw_kstr(w, "agent", ev->agent);
    jw_kstr(w, "context", ev->context);
    write_event(w, ev->event.seq, ev->event.at, ev->event.kind, ev->event.body);
    jw_object_end(w);
}

void task_lock_write(struct jw *w, const struct lock_info *l)
{
    jw_object(w);
    jw_kstr(w, "task", l->task);
    write_text(w, "agent", l->agent);
    jw_kraw(w, "paths", l->paths);
    jw_kstr(w, "mode", str_of(l->mode));
    write_time(w, "acquired", l->acquired);
    jw_object_end(w);
}

/* ---- results --------------------------------------------------------------------------------- */

static struct str result_text(struct arena *mem, const struct limits *limits, struct str result,
                              struct str key)
{
    struct json_opts opts = limits_json(limits);
    struct json v;
    struct err e;

    if (!result.n || !json_read(mem, result, &opts, &v, &e))
        return STR_NONE;
    return json_str(mem, json_get(v, key));
}

struct str task_response(struct arena *mem, const struct limits *limits, struct str result)
{
    return result_text(mem, limits, result, STR("response"));
}

struct str task_stop(struct arena *mem, const struct limits *limits, struct str result)
{
    return result_text(mem, limits, result, STR("stop"));
}

/* ---- cursors --------------------------------------------------------------------------------- */

void task_cursor_write(struct jw *w, const struct store_cursor *c)
{
    char text[48];
    int n = snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64, c->updated, c->n);

    jw_str(w, (struct str){ text, (size_t)n });
}

bool task_cursor_read(struct str word, struct store_cursor *out)
{
    struct str time = str_cut(&word, '-');
    uint64_t updated, n;

    if (!word.p || !str_uint(time, 0, INT64_MAX, &updated) || !str_uint(word, 0, INT64_MAX, &n))
        return false;
    *out = (struct store_cursor){ (int64_t)updated, (int64_t)n };
    return true;
}
