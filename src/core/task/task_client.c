/*
 * task_client.c - the task acts as the client of its turn: events of the agent become events of the
 * task, and questions of the agent stay open until they are answered or limits.task_ask_ms has
 * passed.
 *
 * The key of a question is unique in the task, also across processes, so that a late answer cannot
 * reach another question.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/utf8.h"
#include "core/task/task_engine.h"
#include "core/task/task_question.h"
#include "core/task/task_result.h"
#include "core/tool/args_summary.h"
#include "core/tool/call.h"

static struct task_run *run_of(struct work_client *c)
{
    return CONTAINER_OF(c, struct task_run, client);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Questions are reported under their keys by this file, and the end of the turn as a state. */
static void on_event(struct work_client *c, const struct event *ev)
{
    struct task_run *r = run_of(c);

    if (ev->kind == EVENT_ASK || ev->kind == EVENT_SESSION || ev->kind == EVENT_END ||
        ev->kind == EVENT_PROMPT)
        return;
    task_run_made(r, ev);
    task_log_event(r, ev);
}

/* ---- questions ------------------------------------------------------------------------------- */

/*
 * Write the stored form of the question, in the memory of its call. False: it is longer than one
 * question of a task may be. The length must be checked before anything is stored: a value that is
 * too large for the store would be retried forever.
 */
static bool write_question(struct task_question *q, struct err *e)
{
    const struct limits *limits = q->run->engine->limits;
    struct arena *mem = q->ask->call->mem;
    struct buf out;
    struct jw w = jw_to(&out);
    bool cut;

    buf_init_in(&out, mem, (size_t)limits->task_ask_bytes);
    jw_object(&w);
    jw_kstr(&w, "kind", str_of(ask_names[q->ask->kind]));
    jw_kraw(&w, "params", q->ask->params);
    jw_kstr(&w, "tool", str_of(q->ask->about->what));
    jw_kraw(&w, "args", args_whole(mem, q->ask->about->args, limits, &cut));
    if (cut || q->ask->about->pass.cut)
        jw_kbool(&w, "cut", true);
    jw_kint(&w, "asked_ms", q->asked);
    jw_object_end(&w);
    q->json = buf_str(&out);
    return !out.full || fail(e, ERR_LIMIT,
                             "the question is too large for a task: it has %zu bytes, and at most "
                             "%lld are stored with its arguments (limits.task_ask_bytes)",
                             q->ask->params.n, (long long)limits->task_ask_bytes);
}

enum { QUESTION_FRAME = 4 }; /* "key":question, */

static size_t stored_bytes(const struct task_question *q)
{
    return q->key.n + QUESTION_FRAME + q->json.n;
}

/* All open questions are stored as one value. */
static size_t open_bytes(const struct task_run *r)
{
    size_t n = 2;

    for (const struct task_question *q = r->asks; q; q = q->next)
        n += stored_bytes(q);
    return n;
}

static bool check_total(const struct task_run *r, const struct task_question *q, struct err *e)
{
    const struct limits *l = r->engine->limits;
    int64_t most =
        l->task_asks_bytes < l->store_value_bytes ? l->task_asks_bytes : l->store_value_bytes;
    size_t all = open_bytes(r) + stored_bytes(q);

    return (int64_t)all <= most ||
           fail(e, ERR_LIMIT,
                "the open questions of the task would have %zu bytes; at most %lld are stored "
                "(the constant task_asks_bytes)",
                all, (long long)most);
}

struct str task_run_asks(const struct task_run *r, struct arena *mem)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!r->asks)
        return STR("");
    buf_init_in(&out, mem, open_bytes(r));
    jw_object(&w);
    for (const struct task_question *q = r->asks; q; q = q->next) {
        jw_key(&w, q->key);
        jw_raw(&w, q->json);
    }
    jw_object_end(&w);
    return buf_str(&out);
}

static void tell_question(struct task_run *r, const struct task_question *q)
{
    struct event ev = { .kind = EVENT_ASK };

    ev.ask = (struct event_ask){
        .id = r->call ? str_of(r->id) : turn_call_id(q->ask),
        .key = q->key,
        .kind = q->ask->kind,
        .params = q->ask->params,
        .open = true,
    };
    task_log_event(r, &ev);
}

static void tell_answered(struct task_run *r, struct str key, struct str by, struct str text,
                          struct str client)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, client.n + (1 << 12));
    jw_object(&w);
    jw_kstr(&w, "key", key);
    jw_kstr(&w, "by", utf8_head(by, 256));
    jw_kstr(&w, "text", text);
    jw_kraw(&w, "client", client);
    jw_object_end(&w);
    task_log_add(r, "answered", buf_str(&out), false);
}

/* The message of the question, as the text of the task. */
static struct str sentence_of(struct task_run *r, const struct ask *ask)
{
    struct json_opts opts = limits_json(r->engine->limits);
    struct json params;
    struct err e;

    if (!json_read(ask->call->mem, ask->params, &opts, &params, &e))
        return STR_NONE;
    return utf8_head(json_str(ask->call->mem, json_get(params, STR("message"))), 1 << 12);
}

static enum task_state asking_state(const struct task_run *r)
{
    for (const struct task_question *q = r->asks; q; q = q->next)
        if (q->ask->kind != ASK_URL)
            return TASK_INPUT_REQUIRED;
    return r->asks ? TASK_AUTH_REQUIRED : TASK_WORKING;
}

/* Set the state and its text from the open questions; stored together with their events. */
static void show_state(struct task_run *r)
{
    struct str text = r->asks ? sentence_of(r, r->asks->ask) : STR_NONE;

    if (r->halt != HALT_CANCELED && !task_log_state(r, asking_state(r), text))
        r->text = text.n ? arena_str(&r->mem, text) : STR_NONE;
    task_log_hurry(r);
}

/* Close a question: it was answered or withdrawn, or has expired. */
static void close_question(struct task_question *q, struct str by, struct str text,
                           struct str client)
{
    struct task_run *r = q->run;

    LIST_UNLINK(r->asks, q, next);
    timer_clear(r->op.loop, &q->timer);
    tell_answered(r, q->key, by, text, client);
    show_state(r);
    op_ok(&q->op);
}

static void cancel_question(struct op *op)
{
    struct task_question *q = CONTAINER_OF(op, struct task_question, op);

    ask_refuse(q->ask, &(struct err){ ERR_CANCELED, "cancelled" });
    close_question(q, STR("nobody"), STR_NONE, STR_NONE);
}

static void on_time(struct timer *t)
{
    struct task_question *q = CONTAINER_OF(t, struct task_question, timer);
    struct err e;

    fail(&e, ERR_TIMEOUT, "no answer within %lld s (limits.task_ask_ms)",
         (long long)q->run->engine->limits->task_ask_ms / 1000);
    ask_refuse(q->ask, &e);
    close_question(q, STR("nobody"), str_of(e.text), STR_NONE);
}

static const struct op_kind question_kind = { .name = "question", .cancel = cancel_question };

static void on_closed(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    (void)ctx;
}

static bool can_ask(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    return kind == ASK_FORM || kind == ASK_URL || kind == ASK_PERMISSION;
}

/* A unique key. Later processes put their fencing token into it. */
static struct str new_key(struct task_run *r, struct arena *mem)
{
    r->asked++;
    return r->fence > 1 ? arena_printf(mem, "ask%lld_%zu", (long long)r->fence, r->asked)
                        : arena_printf(mem, "ask_%zu", r->asked);
}

/* Refuse the question, with a notice that tells the followers of the task why. */
static void refuse_question(struct task_run *r, struct ask *ask, const struct err *e)
{
    task_log_event(
        r, &(struct event){ .kind = EVENT_NOTICE, .notice = { NOTICE_WARNING, str_of(e->text) } });
    ask_refuse(ask, e);
}

void task_run_ask(struct task_run *r, struct ask *ask)
{
    struct task_question *q = ARENA_NEW(ask->call->mem, struct task_question);
    struct task_question **end = &r->asks;
    struct err e;

    q->run = r;
    q->ask = ask;
    q->key = new_key(r, ask->call->mem);
    q->asked = loop_wall(r->op.loop);
    if (!write_question(q, &e) || !check_total(r, q, &e)) {
        refuse_question(r, ask, &e);
        return;
    }
    while (*end)
        end = &(*end)->next;
    *end = q;
    op_begin(&q->op, &question_kind, r->op.loop, &ask->op, on_closed, q);
    timer_set(r->op.loop, &q->timer, r->engine->limits->task_ask_ms, on_time);
    tell_question(r, q);
    show_state(r);
}

static void on_ask(struct work_client *c, struct ask *ask)
{
    task_run_ask(run_of(c), ask);
}

const struct work_client_kind task_client_kind = {
    .event = on_event,
    .can = can_ask,
    .ask = on_ask,
};

/* ---- answers --------------------------------------------------------------------------------- */

bool task_run_answer(struct task_run *r, struct str key, struct str answer, struct str by)
{
    struct json_opts opts = limits_json(r->engine->limits);
    struct task_question *q = r->asks;
    struct json own, client;
    struct err e;

    while (q && !str_eq(q->key, key))
        q = q->next;
    if (!q || !json_read(q->ask->call->mem, arena_str(q->ask->call->mem, answer), &opts, &own, &e))
        return false;
    client = json_get(own, STR("client"));
    ask_answer(q->ask, own);
    close_question(q, by, STR_NONE, json_type(client) == JSON_OBJECT ? json_raw(client) : STR_NONE);
    return true;
}

void task_run_take_answers(struct task_run *r, const struct store_answer_page *p)
{
    for (size_t i = 0; i < p->n; i++) {
        r->answers_seen = p->v[i].n;
        task_run_answer(r, p->v[i].key, p->v[i].answer, p->v[i].by);
    }
}
