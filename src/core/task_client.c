/*
 * task_client.c - a task as the client of its turn: what the agent tells becomes events, what it
 * asks stays open until somebody answers. A question is named by a key that no other question of
 * the task has had.
 */
#include "core/task_parts.h"

#include "base/container.h"
#include "core/call.h"
#include "core/record.h"

static struct task_run *run_of(struct work_client *c)
{
    return CONTAINER_OF(c, struct task_run, client);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Questions are told under their keys; how it ended is told by its state. */
static void on_event(struct work_client *c, const struct event *ev)
{
    struct task_run *r = run_of(c);

    if (ev->kind == EVENT_ASK || ev->kind == EVENT_SESSION || ev->kind == EVENT_END ||
        ev->kind == EVENT_PROMPT)
        return;
    if (ev->kind == EVENT_TOOL)
        task_run_made(r, &ev->tool);
    task_log_event(r, ev);
}

/* ---- questions ------------------------------------------------------------------------------- */

struct str task_run_asks(const struct task_run *r, struct arena *mem)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!r->asks)
        return STR("");
    buf_init_in(&out, mem, RECORD_MOST);
    jw_object(&w);
    for (const struct task_question *q = r->asks; q; q = q->next) {
        jw_key(&w, q->key);
        jw_object(&w);
        jw_kstr(&w, "kind", str_of(ask_names[q->ask->kind]));
        jw_kraw(&w, "params", q->ask->params);
        jw_kstr(&w, "tool", str_of(q->ask->call->what));
        jw_object_end(&w);
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

static void tell_answered(struct task_run *r, struct str key, struct str by)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1 << 12);
    jw_object(&w);
    jw_kstr(&w, "key", key);
    jw_kstr(&w, "by", str_head(by, 256));
    jw_object_end(&w);
    task_log_add(r, "answered", buf_str(&out), true);
}

/* It is closed: answered by somebody, or taken back. */
static void close_question(struct task_question *q, struct str by)
{
    struct task_run *r = q->run;
    struct task_question **at = &r->asks;

    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    tell_answered(r, q->key, by);
    if (!r->asks && !r->cancel)
        task_log_state(r, TASK_WORKING, STR_NONE);
    op_ok(&q->op);
}

static void cancel_question(struct op *op)
{
    struct task_question *q = CONTAINER_OF(op, struct task_question, op);

    ask_refuse(q->ask, &(struct err){ ERR_CANCELED, "canceled" });
    close_question(q, STR("nobody"));
}

static const struct op_kind question_kind = { .name = "question", .cancel = cancel_question };

static void on_closed(struct op *op, const struct err *e, void *who)
{
    (void)op;
    (void)e;
    (void)who;
}

static bool can_ask(const struct work_client *c, enum ask_kind kind)
{
    (void)c;
    return kind == ASK_FORM || kind == ASK_URL || kind == ASK_PERMISSION;
}

/* The sentence that says what is asked, for who looks at the task. */
static struct str sentence_of(struct task_run *r, const struct ask *ask)
{
    struct json_opts opts = limits_json(r->engine->limits);
    struct json params;
    struct err e;

    if (!json_read(ask->call->mem, ask->params, &opts, &params, &e))
        return STR_NONE;
    return str_head(json_str(ask->call->mem, json_get(params, STR("message"))), 1 << 12);
}

void task_run_ask(struct task_run *r, struct ask *ask)
{
    struct task_question *q = ARENA_NEW(ask->call->mem, struct task_question);
    struct task_question **end = &r->asks;

    q->run = r;
    q->ask = ask;
    q->key = arena_printf(ask->call->mem, "ask_%zu", ++r->asked);
    while (*end)
        end = &(*end)->next;
    *end = q;
    op_begin(&q->op, &question_kind, r->op.loop, &ask->op, on_closed, q);
    tell_question(r, q);
    task_log_state(r, TASK_INPUT_REQUIRED, sentence_of(r, ask));
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

static bool check_answer(enum ask_kind kind, struct json answer, struct err *e)
{
    struct json action = json_get(answer, STR("action"));

    if (kind == ASK_SAMPLE || kind == ASK_ROOTS) /* of whose shape their asker knows */
        return json_type(answer) == JSON_OBJECT ||
               fail(e, ERR_INVALID, "an answer to %s is an object", ask_names[kind]);
    if (json_is(action, STR("accept")) || json_is(action, STR("decline")) ||
        json_is(action, STR("cancel")))
        return true;
    return fail(e, ERR_INVALID,
                "an answer is an object with an action, which is accept, decline or cancel");
}

bool task_run_answer(struct task_run *r, struct str key, struct json answer, struct str by,
                     struct err *e)
{
    struct json_opts opts = limits_json(r->engine->limits);
    struct task_question *q = r->asks;
    struct json own;

    while (q && !str_eq(q->key, key))
        q = q->next;
    if (!q)
        return fail(e, ERR_NOT_FOUND, "task %s has no open question " STR_FMT, r->id,
                    STR_ARG(str_head(key, 40)));
    if (!check_answer(q->ask->kind, answer, e) ||
        !json_read(q->ask->call->mem, arena_str(q->ask->call->mem, json_raw(answer)), &opts, &own,
                   e))
        return false;
    ask_answer(q->ask, own);
    close_question(q, by.n ? by : STR("local"));
    return true;
}
