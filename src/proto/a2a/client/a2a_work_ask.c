/*
 * a2a_work_ask.c - questions of a remote agent: its task waits for input or for a login.
 *
 * If the client of the turn can be asked, the answer is the next message to the task. If not, the
 * question is the agent's answer to this prompt, and the next prompt of the session is the next
 * message to the task.
 */
#include "base/container.h"
#include "proto/a2a/client/a2a_work.h"

enum { PARAMS_EXTRA = 1024 };

static const char text_schema[] =
    "{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\",\"title\":\"Answer\"}},"
    "\"required\":[\"answer\"]}";

/* ---- the question ---------------------------------------------------------------------------- */

/* A data part that is a JSON schema of an object describes a form. */
static struct str schema_of(struct a2a_work *w, struct blocks parts)
{
    const struct json_opts opts = limits_json(w->peer->o.limits);
    struct json v;
    struct err e;

    for (size_t i = 0; i < parts.n; i++) {
        if (!parts.v[i].is_data || !json_read(&w->mem, parts.v[i].text, &opts, &v, &e))
            continue;
        if (json_is(json_get(v, STR("type")), STR("object")) &&
            json_type(json_get(v, STR("properties"))) == JSON_OBJECT)
            return parts.v[i].text;
    }
    return STR_NONE;
}

/* The first word of a text that is a URL. */
static struct str url_in(struct str text)
{
    ptrdiff_t at = str_find(text, STR("https://"));
    size_t n = 0;

    if (at < 0)
        at = str_find(text, STR("http://"));
    if (at < 0)
        return STR_NONE;
    text = str_skip(text, (size_t)at);
    while (n < text.n && (unsigned char)text.p[n] > ' ' && !strchr("\"'<>)", text.p[n]))
        n++;
    return str_head(text, n);
}

/* The page to visit for a login: a link, or a URL in the text. */
static struct str url_of(struct blocks parts)
{
    struct str url = STR_NONE;

    for (size_t i = 0; i < parts.n && !url.n; i++) {
        const struct block *b = &parts.v[i];

        url = b->uri.p ? url_in(b->uri) : b->is_data ? STR_NONE : url_in(b->text);
    }
    return url;
}

static void write_params(const struct a2a_work *w, struct jw *jw, struct str text, struct str url,
                         struct str schema)
{
    jw_object(jw);
    if (url.n)
        jw_kplain(jw, "mode", STR("url"));
    jw_kstr(jw, "message", text);
    if (url.n) {
        jw_kstr(jw, "url", url);
        jw_kstr(jw, "elicitationId", w->c->task);
    } else {
        jw_kraw(jw, "requestedSchema", schema.p ? schema : str_of(text_schema));
    }
    jw_object_end(jw);
}

static struct str question_of(struct a2a_work *w, struct str text, enum ask_kind *kind)
{
    struct blocks parts = w->last.message ? w->last.message->parts : (struct blocks){ NULL, 0 };
    bool login = w->last.state == TASK_AUTH_REQUIRED;
    struct str url = login ? url_of(parts) : STR_NONE, schema = schema_of(w, parts);
    struct buf out;
    struct jw jw = jw_to(&out);

    *kind = url.n ? ASK_URL : ASK_FORM;
    w->own_form = !schema.p;
    buf_init_in(&out, &w->mem, 6 * (text.n + url.n + w->c->task.n) + schema.n + PARAMS_EXTRA);
    write_params(w, &jw, text, url, schema);
    return buf_str(&out);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void answer_with(struct a2a_work *w, struct block part)
{
    struct block *one = ARENA_NEW(&w->mem, struct block);

    *one = part;
    w->message = (struct blocks){ one, 1 };
    w->answers = true;
    a2a_work_send(w);
}

static void answer_text(struct a2a_work *w, struct str text)
{
    answer_with(w, (struct block){ .kind = BLOCK_TEXT, .text = arena_str(&w->mem, text) });
}

static void answer_accepted(struct a2a_work *w)
{
    struct json content = json_get(w->question.answer, STR("content"));
    struct str text = json_str(&w->mem, json_get(content, STR("answer")));

    if (w->question.kind == ASK_URL)
        answer_text(w, STR("yes"));
    else if (w->own_form && text.p)
        answer_text(w, text);
    else
        answer_with(w, (struct block){ .kind = BLOCK_TEXT,
                                       .text = json_here(content)
                                                   ? arena_str(&w->mem, json_raw(content))
                                                   : STR("{}"),
                                       .is_data = true });
}

/* No one can be asked: the question is the answer to the prompt. */
static void end_with_question(struct a2a_work *w)
{
    const struct event ev = { .kind = EVENT_TEXT, .text = w->question_text };

    w->c->open = true;
    turn_event(w->turn, &ev);
    turn_checkpoint(w->turn);
    a2a_work_end(w, TURN_END, NULL);
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_work *w = ctx;
    struct json action = json_get(w->question.answer, STR("action"));

    (void)op;
    if (w->prompt->op.settled)
        return;
    if (w->stopping) {
        a2a_work_stop(w);
    } else if (e && e->code == ERR_DENIED) {
        end_with_question(w);
    } else if (e) {
        w->c->open = true;
        a2a_work_end(w, TURN_FAILED, e);
    } else if (json_is(action, STR("accept"))) {
        answer_accepted(w);
    } else if (json_is(action, STR("decline"))) {
        answer_text(w, STR("decline"));
    } else {
        a2a_work_stop(w);
    }
}

void a2a_work_ask(struct a2a_work *w)
{
    struct str text = w->last.message ? a2a_text_of(&w->mem, w->last.message->parts) : STR("");
    enum ask_kind kind;

    if (!text.n)
        text = w->last.state == TASK_AUTH_REQUIRED ? STR("The remote agent needs a login.")
                                                   : STR("The remote agent asks for input.");
    w->question_text = text;
    if (w->asked)
        turn_question_fini(&w->question);
    w->asked = true;
    w->question = (struct turn_question){ .params = question_of(w, text, &kind) };
    w->question.kind = kind;
    w->question.id = w->c->task;
    a2a_work_set_state(w, A2A_WORK_ASKING);
    turn_ask(&w->question, w->turn, turn_agent(w->turn)->def->name, on_answered, w);
}
