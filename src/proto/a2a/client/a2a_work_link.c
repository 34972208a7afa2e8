/*
 * a2a_work_link.c - the requests of a work, and what their answers mean for it (a2a_work.h).
 *
 * A message is sent only one time, because the agent may already work on it. All that follows may
 * be repeated: subscribing and reading the state of the task.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"
#include "proto/a2a/client/a2a_work.h"

enum { LINGER_MS = 200 };

static const struct limits *limits_of(const struct a2a_work *w)
{
    return w->peer->o.limits;
}

static struct loop *loop_of(const struct a2a_work *w)
{
    return w->peer->o.loop;
}

/* ---- what the agent tells -------------------------------------------------------------------- */

static void on_linger_over(struct timer *t)
{
    struct a2a_work *w = CONTAINER_OF(t, struct a2a_work, timer);

    if (w->exchange)
        op_cancel(&w->exchange->op);
}

/* Nothing more is needed. A connection whose stream ends by itself can be used again. */
static void stop_reading(struct a2a_work *w)
{
    w->settled = true;
    if (!timer_is_set(&w->timer))
        timer_set(loop_of(w), &w->timer, LINGER_MS, on_linger_over);
}

static void learn_context(struct a2a_work *w, struct str context)
{
    struct session *s = w->turn->session;

    if (context.n && !str_eq(context, w->c->context))
        w->c->context = arena_str(&s->mem, context);
}

/* The first task of an answer is the task of this work. False: the update is about another one. */
static bool learn_task(struct a2a_work *w, struct str task, struct str context)
{
    struct session *s = w->turn->session;
    bool first = !w->heard && w->state == A2A_WORK_SENDING;

    if (w->c->task.n && !first)
        return !task.n || str_eq(task, w->c->task);
    learn_context(w, context);
    w->c->open = false;
    if (!task.n || str_eq(task, w->c->task))
        return true;
    w->c->task = arena_str(&s->mem, task);
    turn_checkpoint(w->turn);
    if (w->stopping && w->exchange)
        op_cancel(&w->exchange->op); /* now the task can be cancelled */
    return true;
}

/*
 * After the answer to a question, the agent may first repeat the question: as the first update, or
 * with the same id. If it was a new question, the next request finds it.
 */
static bool is_answered(const struct a2a_work *w, const struct a2a_status *s)
{
    const struct a2a_message *was = w->last.message, *now = s->message;

    if (w->state != A2A_WORK_SENDING || !w->continues)
        return false;
    if (!w->heard)
        return true;
    if (was && now && was->id.n)
        return str_eq(was->id, now->id);
    return !was == !now && w->last.time.n && str_eq(w->last.time, s->time);
}

/*
 * An agent that has not understood the answer repeats the question, and tells nothing after it. If
 * its stream stays open, this ends it, and the next request finds the question.
 */
static void await_change(struct a2a_work *w)
{
    if (!timer_is_set(&w->timer))
        timer_set(loop_of(w), &w->timer, limits_of(w)->a2a_answer_ms, on_linger_over);
}

static void keep_status(struct a2a_work *w, const struct a2a_status *s)
{
    struct a2a_message *m = s->message ? ARENA_NEW(&w->mem, struct a2a_message) : NULL;

    w->last = (struct a2a_status){ .state = s->state,
                                   .message = m,
                                   .time = arena_maybe(&w->mem, s->time) };
    if (!m)
        return;
    m->id = arena_maybe(&w->mem, s->message->id);
    m->parts = blocks_copy(&w->mem, s->message->parts);
}

static void take_status(struct a2a_work *w, const struct a2a_status *s)
{
    bool asks = s->state == TASK_INPUT_REQUIRED || s->state == TASK_AUTH_REQUIRED;

    if (asks && is_answered(w, s)) {
        await_change(w);
        return;
    }
    w->status = s->state;
    if (!asks && !task_state_final(s->state)) {
        a2a_report_status(&w->report, s);
        return;
    }
    keep_status(w, s);
    stop_reading(w);
}

static void take_update(struct a2a_work *w, const struct a2a_update *u)
{
    if (!w->stopping)
        timer_clear(loop_of(w), &w->timer); /* await_change */
    switch (u->kind) {
    case A2A_MESSAGE:
        learn_context(w, u->message.context);
        a2a_report_message(&w->report, &u->message);
        w->messaged = true;
        stop_reading(w);
        break;
    case A2A_TASK:
        if (!learn_task(w, u->task.id, u->task.context))
            return;
        a2a_report_task(&w->report, &u->task);
        take_status(w, &u->task.status);
        break;
    case A2A_STATUS:
        if (learn_task(w, u->task_id, u->context) &&
            !(w->peer->spec.trefoil && a2a_report_work(&w->report, u->metadata)))
            take_status(w, &u->status);
        break;
    case A2A_ARTIFACT:
        if (learn_task(w, u->task_id, u->context))
            a2a_report_artifact(&w->report, &u->artifact, u->append, u->last);
        break;
    }
    w->moved |= w->heard;
    w->heard = true;
}

/* False: the text is no answer; w->why has the reason. */
static bool take_text(struct a2a_work *w, int status, struct str text)
{
    enum a2a_dialect dialect = w->peer->face.dialect;
    AUTO_ARENA mem = { 0 };
    struct a2a_reply reply;
    struct a2a_update u;

    if (!a2a_reply_read(&mem, limits_of(w), w->id, status, text, &reply, &w->why))
        return false;
    if (reply.err.code) {
        w->why = reply.err;
        w->fault = reply.fault;
        return false;
    }
    if (!json_here(reply.result) ||
        !a2a_read_update(&mem, dialect, limits_of(w), reply.result, &u, &w->why))
        return json_here(reply.result) ? false
                                       : fail(&w->why, ERR_INVALID, "the answer has no result");
    take_update(w, &u);
    return true;
}

static void on_event(struct a2a_exchange *x, struct str data)
{
    struct a2a_work *w = x->ctx;

    if (w->released || w->prompt->op.settled || w->settled)
        return;
    if (!take_text(w, 200, data))
        op_cancel(&x->op);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void on_exchanged(struct op *op, const struct err *e, void *ctx);

/* Begin a request. False: this version of A2A does not have it; *e is set. */
static bool begin_request(struct a2a_work *w, const struct a2a_ask *ask, int64_t whole_ms,
                          struct err *e)
{
    struct a2a_peer *p = w->peer;
    struct a2a_request req;
    struct a2a_exchange *x;

    arena_fini(&w->round);
    w->id = ++p->requests;
    if (!a2a_request_write(&w->round, limits_of(w), &p->face, ask, w->id, &req, e))
        return false;
    x = ARENA_NEW(&w->round, struct a2a_exchange);
    *x = (struct a2a_exchange){
        .peer = p,
        .mem = &w->round,
        .method = req.method,
        .url = req.url,
        .body = req.body,
        .version = a2a_version_header(p->face.dialect),
        .streams = a2a_op_streams(ask->op),
        .whole_ms = whole_ms,
        .trace = &w->trace,
        .on_event = on_event,
        .ctx = w,
    };
    w->exchange = x;
    w->heard = w->moved = w->settled = false;
    w->why.code = ERR_NONE;
    w->fault = A2A_ERRORS;
    a2a_exchange_start(x, NULL, on_exchanged, w);
    return true;
}

static bool has_streams(const struct a2a_work *w)
{
    const struct a2a_peer *p = w->peer;

    return p->card.streaming && !w->no_streams && p->face.dialect != A2A_PLAIN;
}

void a2a_work_send(struct a2a_work *w)
{
    bool first = !w->answers;
    char id[ID_TEXT];
    struct a2a_message m = { .context = w->c->context, .parts = w->message };
    const struct a2a_ask ask = { .op = has_streams(w) ? A2A_STREAM : A2A_SEND,
                                 .message = &m,
                                 .history = -1 };
    struct err e;

    id_new(loop_wall(loop_of(w)), id);
    m.id = first ? w->prompt->id : str_of(id);
    w->continues = w->c->task.n && (w->c->open || !first);
    if (w->continues)
        m.task = w->c->task;
    a2a_work_set_state(w, A2A_WORK_SENDING);
    w->status = TASK_SUBMITTED;
    if (!begin_request(w, &ask, has_streams(w) ? FETCH_NEVER : limits_of(w)->turn_ms, &e))
        a2a_work_end(w, TURN_FAILED, &e);
}

static void work_request(struct a2a_work *w, enum a2a_work_state state, enum a2a_op op,
                         int64_t whole_ms)
{
    const struct a2a_ask ask = { .op = op, .task = w->c->task, .history = 0 };
    struct err e;

    a2a_work_set_state(w, state);
    if (!begin_request(w, &ask, whole_ms, &e))
        a2a_work_end(w, state == A2A_WORK_CANCELING ? TURN_CANCELED : TURN_FAILED, &e);
}

void a2a_work_cancel_task(struct a2a_work *w)
{
    work_request(w, A2A_WORK_CANCELING, A2A_CANCEL, limits_of(w)->a2a_cancel_ms);
}

/* ---- following a task ------------------------------------------------------------------------ */

static int64_t pause_of(const struct a2a_work *w)
{
    const struct limits *l = limits_of(w);
    int64_t ms = w->poll_next || !has_streams(w) ? l->a2a_poll_ms : l->a2a_retry_min_ms;

    for (int64_t i = 1; i < w->failures && ms < l->a2a_retry_max_ms; i++)
        ms *= 2;
    return ms < l->a2a_retry_max_ms ? ms : l->a2a_retry_max_ms;
}

static void on_pause_over(struct timer *t)
{
    struct a2a_work *w = CONTAINER_OF(t, struct a2a_work, timer);

    if (w->released || w->prompt->op.settled)
        return;
    if (has_streams(w) && !w->poll_next)
        work_request(w, A2A_WORK_FOLLOWING, A2A_SUBSCRIBE, FETCH_NEVER);
    else
        work_request(w, A2A_WORK_POLLING, A2A_GET, limits_of(w)->a2a_request_ms);
}

void a2a_work_follow(struct a2a_work *w)
{
    const struct err *why = &w->why;

    if (w->failures >= limits_of(w)->a2a_failures) {
        fail_in(&w->why, "the remote agent cannot be reached any more");
        a2a_work_end(w, TURN_FAILED, why);
        return;
    }
    if (w->failures)
        LOG(LOG_INFO, "a2a", "retry", LOG_S("url", w->peer->url.origin), LOG_Z("why", why->text));
    a2a_work_set_state(w, A2A_WORK_WAITING);
    timer_set(loop_of(w), &w->timer, w->failures || w->polled ? pause_of(w) : 1, on_pause_over);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Some agents name no version in their card, or one that they do not speak. */
static bool try_older(struct a2a_work *w)
{
    struct a2a_interface *f = &w->peer->face;

    if (w->fault != A2A_METHOD_NOT_FOUND || f->rest || f->dialect == A2A_PLAIN)
        return false;
    if (f->dialect == A2A_0_1)
        f->dialect = A2A_PLAIN;
    else if (f->dialect == A2A_0_3 &&
             !json_here(json_get(w->peer->card.root, STR("protocolVersion"))))
        f->dialect = A2A_0_1;
    else
        return false;
    return true;
}

/* The agent has refused the message, so it can be sent in another way. */
static bool send_otherwise(struct a2a_work *w)
{
    bool gone = w->fault == A2A_TASK_NOT_FOUND || w->fault == A2A_UNSUPPORTED_OPERATION;

    if (w->c->open && gone) { /* the task has ended meanwhile: begin another one */
        w->c->open = false;
        w->c->task = STR_NONE;
    } else if (has_streams(w) &&
               (w->fault == A2A_UNSUPPORTED_OPERATION || w->fault == A2A_METHOD_NOT_FOUND)) {
        w->no_streams = true;
    } else if (!try_older(w)) {
        return false;
    }
    a2a_work_send(w);
    return true;
}

static void on_sent(struct a2a_work *w, const struct a2a_exchange *x)
{
    if (w->heard) {
        w->poll_next = !x->streamed;
        w->polled = !x->streamed;
        a2a_work_follow(w);
        return;
    }
    if (w->why.code && send_otherwise(w))
        return;
    if (!w->why.code)
        fail(&w->why, ERR_CLOSED, "the remote agent closed the stream without an answer");
    a2a_work_end(w, TURN_FAILED, &w->why);
}

static void on_followed(struct a2a_work *w)
{
    if (w->fault == A2A_METHOD_NOT_FOUND)
        w->no_streams = true;
    w->poll_next = !w->moved;
    w->polled = !w->moved;
    w->failures = w->moved ? 0 : w->failures + !w->heard;
    a2a_work_follow(w);
}

static void on_polled(struct a2a_work *w)
{
    bool lost = w->fault == A2A_TASK_NOT_FOUND || w->why.code == ERR_DENIED;

    if (lost) {
        fail_in(&w->why, "the task " STR_FMT " of the remote agent is lost",
                STR_ARG(str_head(w->c->task, 64)));
        w->c->task = STR_NONE;
        a2a_work_end(w, TURN_FAILED, &w->why);
        return;
    }
    w->poll_next = false;
    w->polled = true;
    w->failures = w->heard ? 0 : w->failures + 1;
    a2a_work_follow(w);
}

static void on_cancel_answered(struct a2a_work *w, const struct err *e)
{
    struct event ev = { .kind = EVENT_NOTICE };

    if (e || (w->why.code && w->fault != A2A_TASK_NOT_CANCELABLE)) {
        ev.notice = (struct event_notice){ NOTICE_WARNING,
                                           STR("the remote agent has not confirmed that it has "
                                               "cancelled the task; it may still work on it") };
        turn_event(w->turn, &ev);
    }
    w->c->task = STR_NONE;
    a2a_work_end(w, TURN_CANCELED, NULL);
}

static void on_settled(struct a2a_work *w)
{
    bool asks = !w->messaged && !task_state_final(w->status);

    if (asks && w->stopping)
        a2a_work_stop(w);
    else if (asks)
        a2a_work_ask(w);
    else
        a2a_work_finish(w);
}

static void on_ended(struct a2a_work *w, const struct a2a_exchange *x)
{
    switch (w->state) {
    case A2A_WORK_SENDING: on_sent(w, x); break;
    case A2A_WORK_FOLLOWING: on_followed(w); break;
    case A2A_WORK_POLLING: on_polled(w); break;
    case A2A_WORK_MEETING:
    case A2A_WORK_WAITING:
    case A2A_WORK_ASKING:
    case A2A_WORK_CANCELING:
    case A2A_WORK_OVER:
    case A2A_WORK_STATES: break;
    }
}

static void on_exchanged(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_work *w = ctx;
    struct a2a_exchange *x = w->exchange;

    (void)op;
    w->exchange = NULL;
    timer_clear(loop_of(w), &w->timer);
    if (w->released) {
        a2a_work_unused(w);
        return;
    }
    if (w->prompt->op.settled)
        return;
    if (!e && !x->streamed)
        take_text(w, x->status, x->text);
    timer_clear(loop_of(w), &w->timer);
    if (e && !w->why.code)
        w->why = *e;
    if (w->state == A2A_WORK_CANCELING)
        on_cancel_answered(w, e);
    else if (w->settled)
        on_settled(w);
    else if (w->stopping)
        a2a_work_stop(w);
    else
        on_ended(w, x);
}

/* ---- cancelling ------------------------------------------------------------------------------ */

/* Without its id the task cannot be cancelled: wait for the id, but not for long. */
static void cancel_sending(struct a2a_work *w)
{
    if (w->c->task.n || w->turn->parked)
        op_cancel(&w->exchange->op);
    else
        timer_set(loop_of(w), &w->timer, limits_of(w)->a2a_cancel_ms, on_linger_over);
}

void a2a_work_cancel(struct a2a_work *w)
{
    w->stopping = true;
    switch (w->state) {
    case A2A_WORK_SENDING:
        if (w->exchange)
            cancel_sending(w);
        break;
    case A2A_WORK_FOLLOWING:
    case A2A_WORK_POLLING:
        if (w->exchange)
            op_cancel(&w->exchange->op);
        break;
    case A2A_WORK_WAITING:
        timer_clear(loop_of(w), &w->timer);
        a2a_work_stop(w);
        break;
    case A2A_WORK_MEETING: /* cancelled with the prompt: their ends follow */
    case A2A_WORK_ASKING:
    case A2A_WORK_CANCELING:
    case A2A_WORK_OVER:
    case A2A_WORK_STATES: break;
    }
}
