/*
 * question.c - questions as lines.
 *
 * A question is a child op of its ask, in the memory of the call, so that cancelling the call
 * withdraws it. A form is asked property by property (`at`); each answer adds a member to
 * `content`. A permission or a page needs only one line.
 */
#include "term/question.h"

#include "base/container.h"
#include "base/display.h"
#include "base/list.h"
#include "base/utf8.h"
#include "core/guard/permission_option.h"
#include "term/form_input.h"

enum { SHOW_MOST = 8 << 20, VALUE_SHOWN = 256 << 10, CONTENT_MOST = 1 << 20 };

struct shown_question {
    struct op op; /* first */
    struct ask *ask;
    struct asking *asking;
    struct shown_question *next;
    struct json params;
    struct json fields, at; /* of a form: its properties, and the key of the one asked for */
    struct buf content;
    struct jw w;
    struct json answer;
};

static void question_begin(struct shown_question *q);

/* ---- showing --------------------------------------------------------------------------------- */

static struct arena *memory(const struct shown_question *q)
{
    return q->ask->call->mem;
}

static void show_buf(struct shown_question *q, struct buf *b)
{
    q->asking->kind->show(q->asking, buf_str(b));
}

static void put_value(struct buf *out, struct str text)
{
    struct str head = utf8_head(text, VALUE_SHOWN);

    show_lines(out, head);
    if (head.n < text.n)
        buf_printf(out, "... (%zu bytes more)", text.n - head.n);
    buf_putc(out, '\n');
}

static void show_message(struct shown_question *q)
{
    AUTO_BUF out;

    buf_init(&out, SHOW_MOST);
    put_value(&out, json_str(memory(q), json_get(q->params, STR("message"))));
    show_buf(q, &out);
}

static void show_url(struct shown_question *q)
{
    AUTO_BUF out;

    buf_init(&out, SHOW_MOST);
    buf_put(&out, STR("  "));
    put_value(&out, json_str(memory(q), json_get(q->params, STR("url"))));
    show_buf(q, &out);
}

/* ---- answering ------------------------------------------------------------------------------- */

static void read_answer(struct shown_question *q, struct str text)
{
    struct json_opts opts = limits_json(q->ask->call->host->limits);
    struct err e;

    if (json_read(memory(q), text, &opts, &q->answer, &e))
        op_ok(&q->op);
    else
        op_fail(&q->op, &e);
}

/* It is answered: the next one is asked. */
static void question_leave(struct shown_question *q)
{
    struct asking *a = q->asking;
    bool was_first = a->first == q;

    LIST_UNLINK(a->first, q, next);
    if (was_first && a->first)
        question_begin(a->first);
}

static void question_take_answer(struct shown_question *q, const char *action)
{
    struct buf out;

    buf_init_in(&out, memory(q), CONTENT_MOST * 2);
    buf_printf(&out, "{\"action\":\"%s\"", action);
    if (q->content.n) {
        buf_put(&out, STR(",\"content\":"));
        buf_put(&out, buf_str(&q->content));
    }
    buf_putc(&out, '}');
    read_answer(q, buf_str(&out));
    question_leave(q);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct shown_question *q = ctx;

    (void)op;
    if (e)
        ask_refuse(q->ask, e);
    else
        ask_answer(q->ask, q->answer);
}

static void on_cancel(struct op *op)
{
    struct shown_question *q = CONTAINER_OF(op, struct shown_question, op);

    if (op->settled)
        return;
    if (q->asking->first == q)
        q->asking->kind->unwant(q->asking);
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
    question_leave(q);
}

static const struct op_kind question_kind = { .name = "question", .cancel = on_cancel };

/* ---- permission and page --------------------------------------------------------------------- */

static struct json options_of(const struct shown_question *q)
{
    return json_get(q->params, STR("options"));
}

/* The key of an option: a letter for ours, its number for those of another agent. 0: none. */
static char option_key(const struct shown_question *q, struct json option, size_t number)
{
    enum permission_option known;

    if (permission_option_named(json_str(memory(q), json_get(option, STR("id"))), &known))
        return permission_options[known].key;
    return number < 10 ? (char)('0' + number) : 0;
}

/* The option that a line chooses; missing: none. */
static struct json option_typed(const struct shown_question *q, struct str line)
{
    size_t n = 0;

    JSON_EACH(option, options_of(q))
    {
        char key = option_key(q, option, ++n);

        if (key && form_says(line, key))
            return option;
    }
    return (struct json){ 0 };
}

static void choose_option(struct shown_question *q, struct json option)
{
    read_answer(q, arena_printf(memory(q), "{\"option\":" STR_FMT "}",
                                STR_ARG(json_raw(json_get(option, STR("id"))))));
    question_leave(q);
}

/* A question without options, which an earlier version has stored. */
static bool has_always(const struct shown_question *q)
{
    struct json schema = json_get(q->params, STR("requestedSchema"));

    return !json_here(options_of(q)) &&
           json_here(json_get(json_get(schema, STR("properties")), STR("always")));
}

static void on_permission(struct shown_question *q, struct str line)
{
    struct json option = option_typed(q, line);

    if (json_here(option)) {
        choose_option(q, option);
        return;
    }
    if (form_says(line, 'a') && has_always(q)) {
        buf_put(&q->content, STR("{\"always\":true}"));
        question_take_answer(q, "accept");
    } else {
        question_take_answer(q, form_says(line, 'y') ? "accept" : "decline");
    }
}

static bool offers_key(const struct shown_question *q, char key)
{
    size_t n = 0;

    JSON_EACH(option, options_of(q))
    if (option_key(q, option, ++n) == key)
        return true;
    return false;
}

/* The options that y, n and a do not name, each with its key. */
static void show_options(struct shown_question *q)
{
    AUTO_BUF out;
    size_t n = 0;

    buf_init(&out, SHOW_MOST);
    JSON_EACH(option, options_of(q))
    {
        char key = option_key(q, option, ++n);

        if (!key || key == 'y' || key == 'n' || key == 'a')
            continue;
        buf_printf(&out, "  %c  ", key);
        put_value(&out, json_str(memory(q), json_get(option, STR("name"))));
    }
    if (out.n)
        show_buf(q, &out);
}

static void begin_permission(struct shown_question *q)
{
    show_options(q);
    if (json_here(options_of(q)) && !offers_key(q, 'y'))
        q->asking->kind->want(q->asking, STR("Which one? [none: reject] "));
    else
        q->asking->kind->want(q->asking, offers_key(q, 'a') || has_always(q)
                                             ? STR("Allow it? [y/N/a(lways)] ")
                                             : STR("Allow it? [y/N] "));
}

static void on_url(struct shown_question *q, struct str line)
{
    question_take_answer(q, form_says(line, 'y') ? "accept" : "decline");
}

/* ---- forms ----------------------------------------------------------------------------------- */

static bool is_required(const struct shown_question *q)
{
    struct str name = json_str(memory(q), q->at);

    JSON_EACH(item, json_get(json_get(q->params, STR("requestedSchema")), STR("required")))
    if (json_is(item, name))
        return true;
    return false;
}

static void put_choices(struct shown_question *q, struct buf *out, struct json field)
{
    struct str member;
    struct json list = form_choices(field, &member);
    bool first = true;

    JSON_EACH(item, list)
    {
        buf_put(out, first ? STR(" (") : STR(", "));
        show_text(out, form_choice(memory(q), item, member));
        first = false;
    }
    if (!first)
        buf_putc(out, ')');
}

static void put_field(struct shown_question *q, struct buf *out)
{
    struct json field = json_value(q->at);
    struct str title = json_str(memory(q), json_get(field, STR("title")));
    struct json preset = json_get(field, STR("default"));

    show_text(out, title.n ? title : json_str(memory(q), q->at));
    put_choices(q, out, field);
    if (json_is(json_get(field, STR("type")), STR("boolean")))
        buf_put(out, STR(" (y/n)"));
    if (json_is(json_get(field, STR("type")), STR("array")))
        buf_put(out, STR(", several with commas"));
    if (json_here(preset)) {
        buf_put(out, STR(" ["));
        show_text(out, json_raw(preset));
        buf_putc(out, ']');
    } else if (!is_required(q)) {
        buf_put(out, STR(" [none]"));
    }
    buf_put(out, STR(": "));
}

/* False: what was typed does not fit. */
static bool write_value(struct shown_question *q, struct str word)
{
    return form_write(&q->w, memory(q), q->at, word);
}

static void ask_field(struct shown_question *q)
{
    AUTO_BUF out = { 0 };

    if (!json_here(q->at)) {
        jw_object_end(&q->w);
        question_take_answer(q, q->content.full ? "cancel" : "accept");
        return;
    }
    buf_init(&out, SHOW_MOST);
    put_field(q, &out);
    q->asking->kind->want(q->asking, buf_str(&out));
}

/* Nothing typed: what is preset, or no member at all; unless there must be one. */
static bool take_nothing(struct shown_question *q)
{
    struct json preset = json_get(json_value(q->at), STR("default"));

    if (!json_here(preset))
        return !is_required(q);
    jw_key(&q->w, json_str(memory(q), q->at));
    jw_raw(&q->w, json_raw(preset));
    return true;
}

static void on_field(struct shown_question *q, struct str line)
{
    struct str word = str_trim(line);

    if (word.n ? write_value(q, word) : take_nothing(q))
        q->at = json_next(q->fields, json_value(q->at));
    else
        q->asking->kind->show(q->asking, word.n ? STR("invalid value; try again:\n")
                                                : STR("a value is required; Ctrl-D declines:\n"));
    ask_field(q);
}

/* ---- from question to question --------------------------------------------------------------- */

static void begin_form(struct shown_question *q)
{
    q->fields = json_get(json_get(q->params, STR("requestedSchema")), STR("properties"));
    q->at = json_first(q->fields);
    q->w = jw_to(&q->content);
    jw_object(&q->w);
    if (json_here(q->at)) {
        ask_field(q);
        return;
    }
    q->content.n = 0;
    q->asking->kind->want(q->asking, STR("Accept? [y/N] "));
}

static void question_begin(struct shown_question *q)
{
    show_message(q);
    if (q->ask->kind == ASK_FORM) {
        begin_form(q);
    } else if (q->ask->kind == ASK_URL) {
        show_url(q);
        q->asking->kind->want(q->asking, STR("Did you open it? [y/N] "));
    } else {
        begin_permission(q);
    }
}

bool asking_can(enum ask_kind kind)
{
    return kind == ASK_FORM || kind == ASK_URL || kind == ASK_PERMISSION;
}

void asking_put(struct asking *a, struct ask *ask)
{
    struct json_opts opts = limits_json(ask->call->host->limits);
    struct shown_question *q = ARENA_NEW(ask->call->mem, struct shown_question), **end = &a->first;
    struct err e;

    if (!json_read(ask->call->mem, ask->params, &opts, &q->params, &e)) {
        ask_refuse(ask, &e);
        return;
    }
    q->ask = ask;
    q->asking = a;
    buf_init_in(&q->content, ask->call->mem, CONTENT_MOST);
    op_begin(&q->op, &question_kind, ask->op.loop, &ask->op, on_done, q);
    while (*end)
        end = &(*end)->next;
    *end = q;
    if (a->first == q)
        question_begin(q);
}

void asking_allow(struct ask *ask)
{
    struct json_opts opts = limits_json(ask->call->host->limits);
    struct json yes;
    struct err e;

    if (json_read(ask->call->mem, STR("{\"action\":\"accept\"}"), &opts, &yes, &e))
        ask_answer(ask, yes);
    else
        ask_refuse(ask, &e);
}

void asking_line(struct asking *a, struct str line)
{
    struct shown_question *q = a->first;

    if (!q)
        return;
    if (!line.p) {
        q->content.n = 0;
        question_take_answer(q, q->ask->kind == ASK_PERMISSION ? "decline" : "cancel");
    } else if (q->ask->kind == ASK_PERMISSION) {
        on_permission(q, line);
    } else if (q->ask->kind == ASK_URL || !json_here(q->at)) {
        on_url(q, line);
    } else {
        on_field(q, line);
    }
}
