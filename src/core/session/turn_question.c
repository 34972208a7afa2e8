/*
 * turn_question.c - questions that the agent itself (and not one of its tools) asks the client.
 *
 * Clients expect that every question belongs to a call. So each question runs as a call that only
 * asks, with a caller that acts for the turn.
 */
#include "base/container.h"
#include "core/guard/taint_label.h"
#include "core/session/turn_parts.h"

/* ---- the caller ------------------------------------------------------------------------------ */

void turn_fill_caller(const struct turn *t, struct caller *c)
{
    struct session *s = t->session;
    const struct session_opts *o = &s->opts;

    *c = (struct caller){
        .kind = c->kind,
        .name = turn_agent(t)->def->name,
        .trace = o->trace,
        .work = str_of(s->id),
        .client = o->client,
        .origin = o->origin,
        .principal = o->principal,
        .remote = o->remote,
        .scope = &s->scope,
        .history = &s->calls,
        .grants = &s->grants,
        .taint = taint_join(&s->mem, history_taint(s->history), o->taint),
    };
}

static const struct turn_question *of_caller(const struct caller *c)
{
    return CONTAINER_OF(c, const struct turn_question, caller);
}

static bool question_can(const struct caller *c, enum ask_kind kind)
{
    struct work_client *client = of_caller(c)->turn->client;

    return client->kind->can(client, kind);
}

static void question_tell(const struct turn_question *q, const struct ask *ask, bool open)
{
    struct event ev = { .kind = EVENT_ASK };

    ev.ask = (struct event_ask){
        .id = q->id, .key = ask->key, .kind = ask->kind, .params = ask->params, .open = open
    };
    turn_tell(q->turn, &ev);
}

static void question_ask(struct caller *c, struct ask *ask)
{
    struct turn *t = of_caller(c)->turn;

    turn_wall_stop(t);
    question_tell(of_caller(c), ask, true);
    t->client->kind->ask(t->client, ask);
}

static void question_asked(struct caller *c, struct ask *ask)
{
    const struct turn_question *q = of_caller(c);

    if (!question_can(c, ask->kind))
        return;
    turn_wall_go_on(q->turn);
    if (!q->turn->op.settled)
        question_tell(q, ask, false);
}

static struct str question_call_id(const struct caller *c)
{
    return of_caller(c)->id;
}

static void question_progress(struct caller *c, const struct progress *p)
{
    (void)c;
    (void)p;
}

static void question_log(struct caller *c, enum call_level level, struct str logger,
                         struct str data)
{
    (void)c;
    (void)level;
    (void)logger;
    (void)data;
}

static const struct caller_kind question_caller = {
    .can = question_can,
    .ask = question_ask,
    .asked = question_asked,
    .call_id = question_call_id,
    .progress = question_progress,
    .log = question_log,
};

struct str turn_call_id(const struct ask *ask)
{
    const struct caller *c = ask->call->caller;

    return c->kind->call_id ? c->kind->call_id(c) : STR_NONE;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct turn_question *q = ctx;

    (void)op;
    if (e) {
        call_broke(&q->call, e);
        return;
    }
    q->answer = q->ask.answer;
    call_done(&q->call);
}

static void question_start(struct call *call)
{
    struct turn_question *q = call->ctx;

    call_ask(call, &q->ask, q->kind, STR("question"), q->params, on_answered, q);
}

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct turn_question *q = ctx;

    (void)op;
    if (e && !q->decided) /* a rejected permission is an answer */
        op_fail(&q->op, e);
    else
        op_ok(&q->op);
}

static void leave_waiting(struct turn_question *q)
{
    struct turn_question **at = &q->turn->work->question;

    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    q->waits = false;
}

/* Cancelling the op also cancels the call below it, whose end settles this op. */
static void question_cancel(struct op *op)
{
    struct turn_question *q = CONTAINER_OF(op, struct turn_question, op);

    if (!q->waits)
        return;
    leave_waiting(q);
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind question_kind = { .name = "question", .cancel = question_cancel };

static void ask_now(struct turn_question *q)
{
    struct call_about about = { .what = q->name, .ctx = q, .timeout_ms = CALL_NO_DEADLINE };
    bool permission = q->kind == ASK_PERMISSION;

    turn_fill_caller(q->turn, &q->caller);
    if (permission)
        turn_permission_describe(q, &about);
    call_run(&q->call, &q->turn->session->host, &q->caller, &q->mem, &about,
             permission ? turn_permission_start : question_start, &q->op, on_called, q);
}

void turn_ask_waiting(struct turn *t)
{
    struct turn_question *q;

    while ((q = t->work->question)) {
        leave_waiting(q);
        ask_now(q);
    }
}

void turn_ask(struct turn_question *q, struct turn *t, const char *name, op_done_fn *done,
              void *ctx)
{
    struct turn_question **end = &t->work->question;

    q->turn = t;
    q->name = name;
    q->caller.kind = &question_caller;
    op_begin(&q->op, &question_kind, t->op.loop, &t->prompt.op, done, ctx);
    if (turn_record_flush(t) || q->op.settled) {
        if (!q->op.settled)
            ask_now(q);
        return;
    }
    while (*end)
        end = &(*end)->next;
    *end = q;
    q->waits = true;
}

void turn_question_fini(struct turn_question *q)
{
    arena_fini(&q->mem);
}
