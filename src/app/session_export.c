#include "app/session_export.h"

#include "base/auto.h"
#include "base/clock.h"
#include "base/container.h"
#include "term/render.h"

static void write_time(struct jw *w, const char *key, int64_t ms)
{
    char text[CLOCK_TEXT];

    clock_text(ms, text);
    jw_kstr(w, key, str_of(text));
}

void session_write(struct jw *w, const struct store_session *s)
{
    jw_kstr(w, "id", s->id);
    jw_kstr(w, "title", s->title);
    jw_kstr(w, "agent", s->agent);
    jw_kstr(w, "model", s->model);
    jw_kstr(w, "mode", s->mode);
    jw_kstr(w, "cwd", s->cwd);
    write_time(w, "created", s->created);
    write_time(w, "updated", s->updated);
    jw_kint(w, "records", s->last_seq);
    jw_kint(w, "bytes", s->bytes);
    jw_kstr(w, "owner", s->owner);
    jw_kbool(w, "in_use", s->in_use);
}

static bool check_room(const struct buf *out, struct err *e)
{
    return !out->full ||
           fail(e, ERR_LIMIT, "the session has more than %zu bytes and cannot be exported",
                out->max);
}

/* ---- JSONL ----------------------------------------------------------------------------------- */

static bool put_record(void *ctx, const struct store_event *record, struct err *e)
{
    struct buf *out = ctx;
    struct jw w = jw_to(out);

    jw_object(&w);
    jw_kint(&w, "seq", record->seq);
    write_time(&w, "time", record->at);
    jw_kstr(&w, "kind", record->kind);
    jw_kraw(&w, "body", record->body);
    jw_object_end(&w);
    buf_putc(out, '\n');
    return check_room(out, e);
}

bool session_export_jsonl(struct store_handle *s, const struct store_session *session,
                          struct buf *out, struct err *e)
{
    struct jw w = jw_to(out);

    jw_object(&w);
    jw_kstr(&w, "kind", STR("session"));
    session_write(&w, session);
    jw_object_end(&w);
    buf_putc(out, '\n');
    return store_handle_records(s, session->id, put_record, out, e);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* A client that receives the replayed history and writes it to `out`. */
struct markdown {
    struct work_client client; /* first */
    struct buf *out;
    struct str agent;
    bool speaking; /* the heading of the agent was written */
};

static void begin_agent(struct markdown *m)
{
    if (m->speaking)
        return;
    buf_put(m->out, STR("## "));
    buf_put(m->out, m->agent);
    buf_put(m->out, STR("\n\n"));
    m->speaking = true;
}

static void put_block(struct markdown *m, struct str text)
{
    buf_put(m->out, str_trim(text));
    buf_put(m->out, STR("\n\n"));
}

static void put_prompt(struct markdown *m, const struct block *b)
{
    m->speaking = false;
    buf_put(m->out, STR("## You\n\n"));
    if (b->kind == BLOCK_MEDIA) {
        buf_put(m->out, STR("("));
        buf_put(m->out, b->type);
        buf_put(m->out, STR(")"));
    }
    put_block(m, b->text.p ? b->text : STR(""));
}

/*
 * Write a tool call. Backticks in its label are replaced, because a backtick would end the code
 * span.
 */
static void put_tool(struct markdown *m, const struct event_tool *t)
{
    AUTO_BUF label = { 0 };

    if (t->status == CALLED_PENDING || t->status == CALLED_RUNNING)
        return;
    buf_init(&label, 4096);
    render_tool_label(&label, t->name, t->path, t->args, NULL);
    for (size_t i = 0; i < label.n; i++)
        if (label.p[i] == '`')
            label.p[i] = '\'';
    begin_agent(m);
    buf_put(m->out, STR("- `"));
    buf_put(m->out, buf_str(&label));
    buf_put(m->out, t->status == CALLED_DONE ? STR("` done\n\n") : STR("` failed\n\n"));
}

static void on_event(struct work_client *c, const struct event *ev)
{
    struct markdown *m = CONTAINER_OF(c, struct markdown, client);

    if (ev->kind == EVENT_PROMPT) {
        put_prompt(m, ev->block);
    } else if (ev->kind == EVENT_TEXT) {
        begin_agent(m);
        put_block(m, ev->text);
    } else if (ev->kind == EVENT_TOOL) {
        put_tool(m, &ev->tool);
    } else if (ev->kind == EVENT_END && ev->end.stop != TURN_END) {
        begin_agent(m);
        buf_printf(m->out, "*%s", turn_stop_names[ev->end.stop]);
        buf_put(m->out, ev->end.text.n ? STR(": ") : STR(""));
        buf_put(m->out, ev->end.text);
        buf_put(m->out, STR("*\n\n"));
    }
}

static const struct work_client_kind markdown_kind = { .event = on_event };

bool session_export_markdown(struct store_handle *s, const struct limits *limits,
                             const struct store_session *session, struct buf *out, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct history *h = store_handle_history(s, limits, &mem, session->id, e);
    struct markdown m = { .client = { &markdown_kind }, .out = out, .agent = session->agent };

    if (!h)
        return false;
    buf_put(out, STR("# "));
    put_block(&m, session->title.n ? session->title : session->id);
    history_tell(h, &m.client, NULL, NULL);
    history_free(h);
    return check_room(out, e);
}
