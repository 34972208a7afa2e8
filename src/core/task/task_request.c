/*
 * task_request.c - the requests get, wait, cancel and answer.
 *
 * Each request begins and ends by reading the task from the store. A request that waits reads the
 * task again when the run of the task has stored something; if another process works on the task,
 * it reads every limits.task_look_ms.
 *
 * Every answer goes through the store, which accepts the first answer to each question. The process
 * that works on the task reads the answer from the store; this process does so without delay.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "core/task/task_engine.h"
#include "core/task/task_isolated.h"
#include "core/task/task_pieces.h"
#include "core/task/task_question.h"
#include "core/task/task_recover.h"

enum request_kind {
    GET,
    WAIT,     /* until it is final */
    CANCEL,   /* cancellation not stored yet; then STOPPING */
    STOPPING, /* until the task is final */
    ANSWER,   /* answer not stored yet; then CLOSED */
    CLOSED,   /* until the question is closed */
    GATHER,   /* get or wait: only the artifacts are still to be read */
};

struct task_request {
    struct task_ask *ask;
    struct task_engine *engine;
    struct task_request *next;
    enum request_kind kind;
    char id[ID_TEXT];
    char key[TASK_KEY_TEXT];
    struct str by;
    struct json answer;
    int64_t since;            /* the last event before the answer; GATHER: the last piece read */
    struct artifact_set made; /* GATHER */
    int64_t until;            /* STOPPING: when the wait ends, in loop time */
    struct store_ask store;
    struct store_step step[2];
    bool asking; /* a store request is in flight */
    struct timer look;
};

/* ---- the end --------------------------------------------------------------------------------- */

static void request_settle(struct task_request *q, const struct err *e)
{
    struct task_ask *a = q->ask;
    struct task_engine *g = q->engine;

    LIST_UNLINK(g->requests, q, next);
    timer_clear(g->loop, &q->look);
    a->state = NULL;
    mem_free(q);
    if (e)
        op_fail(&a->op, e);
    else
        op_ok(&a->op);
    task_engine_settled(g);
}

static void settle_as(struct task_request *q, enum err_code code, const char *why)
{
    struct err e;

    fail(&e, code, "%s", why);
    request_settle(q, &e);
}

static void cancel_request(struct op *op)
{
    struct task_request *q = CONTAINER_OF(op, struct task_ask, op)->state;

    if (q && !q->asking) /* else the request in flight looks when it ends */
        settle_as(q, ERR_CANCELED, "cancelled");
}

static const struct op_kind request_kind = { .name = "task request", .cancel = cancel_request };

/* ---- looking --------------------------------------------------------------------------------- */

static void request_look(struct task_request *q);

static void on_look(struct timer *t)
{
    request_look(CONTAINER_OF(t, struct task_request, look));
}

static void settle_with_artifacts(struct task_request *q);

static void settle_stopped(struct task_request *q)
{
    settle_as(q, ERR_CLOSED,
              q->kind == CLOSED ? "trefoil is shutting down; the answer is stored; if the task has "
                                  "not received it yet, the task asks again when it resumes"
                                : "trefoil is shutting down; the task remains stored");
}

/* The work was cancelled but has not ended in time: fail with the reason. */
static void settle_overdue(struct task_request *q)
{
    struct task_run *r = task_engine_find(q->engine, str_of(q->id));
    struct err e;

    if (r && r->log.why.code)
        fail(&e, ERR_TIMEOUT, "task %s is being cancelled, but that cannot be stored yet: %s",
             q->id, r->log.why.text);
    else
        fail(&e, ERR_TIMEOUT,
             "task %s is being cancelled, but has not ended within %lld ms (limits.task_cancel_ms)",
             q->id, (long long)q->engine->limits->task_cancel_ms);
    request_settle(q, &e);
}

static void wait(struct task_request *q)
{
    if (q->engine->closing)
        settle_stopped(q);
    else if (q->kind == STOPPING && loop_now(q->engine->loop) >= q->until)
        settle_overdue(q);
    else
        timer_set(q->engine->loop, &q->look, q->engine->limits->task_look_ms, on_look);
}

static void store_steps(struct task_request *q, size_t steps, op_done_fn *done)
{
    q->store = (struct store_ask){ .step = q->step, .steps = steps };
    q->asking = true;
    store_start(q->engine->store, &q->store, &q->ask->op, done, q);
}

static void store_do(struct task_request *q, enum store_what what, op_done_fn *done)
{
    q->step[0] = (struct store_step){ .what = what, .task = { .id = str_of(q->id) } };
    store_steps(q, 1, done);
}

/*
 * The cancellation is stored before the work stops, so that work that was stopped halfway does not
 * resume after a restart. A run of this process is cancelled even if that could not be stored. If
 * no process works on the task, this process takes it first.
 */
static void on_cancel_stored(struct op *op, const struct err *e, void *ctx)
{
    struct task_request *q = ctx;
    struct task_run *r = task_engine_find(q->engine, str_of(q->id));
    bool in_use = q->step[0].task.in_use;

    (void)op;
    q->asking = false;
    store_ask_fini(&q->store);
    if (r) {
        task_run_cancel(r);
        /* ERR_INVALID: the task is final, which the next read shows */
    } else if (e && e->code != ERR_INVALID) {
        request_settle(q, e);
        return;
    } else if (!e && !in_use) {
        task_recover_one(q->engine, str_of(q->id));
    } else if (!e) {
        task_away_cancel(q->engine, str_of(q->id));
    }
    q->kind = STOPPING;
    q->until = loop_now(q->engine->loop) + q->engine->limits->task_cancel_ms;
    request_look(q);
}

static void on_answer_stored(struct op *op, const struct err *e, void *ctx)
{
    struct task_request *q = ctx;
    struct task_run *r = task_engine_find(q->engine, str_of(q->id));

    (void)op;
    q->asking = false;
    store_ask_fini(&q->store);
    if (e) {
        request_settle(q, e);
        return;
    }
    q->kind = CLOSED;
    if (r)
        task_run_answer(r, str_of(q->key), json_raw(q->answer), q->by);
    request_look(q);
}

static bool may_agree(const struct task_request *q, struct err *e)
{
    const struct task_info *info = &q->ask->info;

    if (q->ask->by.origin != ORIGIN_STDIO || !origin_is_terminal(info->origin) ||
        !json_is(json_get(q->answer, STR("action")), STR("accept")))
        return true;
    return fail(e, ERR_DENIED,
                "task %s was started at the command line and has more rights than MCP clients: "
                "approve the call there with `trefoil approvals allow`",
                q->id);
}

static void give_answer(struct task_request *q)
{
    const struct task_info *info = &q->ask->info;
    struct err e;

    if (!may_agree(q, &e) || !task_answer_check(q->ask, q->engine->limits, q->answer, q->key, &e)) {
        request_settle(q, &e);
        return;
    }
    q->since = info->last_seq;
    q->step[0] = (struct store_step){ .what = STORE_TASK_ANSWER,
                                      .answer = { .task = str_of(q->id),
                                                  .key = str_of(q->key),
                                                  .answer = json_raw(q->answer),
                                                  .by = q->by } };
    store_steps(q, 1, on_answer_stored);
}

/* Is the question closed, and by our answer? `more`: there are more events to read. */
static void judge_answer(struct task_request *q, struct str by, bool more)
{
    const struct task_info *info = &q->ask->info;
    struct err e;

    if (!by.p && more) {
        request_look(q);
        return;
    }
    if (!by.p && info->held &&
        task_answer_check(q->ask, q->engine->limits, q->answer, q->key, &e)) {
        wait(q);
        return;
    }
    if (by.p && !str_eq(by, STR("nobody"))) {
        settle_with_artifacts(q);
        return;
    }
    fail(&e, ERR_NOT_FOUND,
         by.p ? "question %s was withdrawn before the answer arrived"
              : "the process that worked on the task ended before it received the answer to %s; "
                "when the task resumes, its questions have new keys",
         q->key);
    request_settle(q, &e);
}

static void settle_over(struct task_request *q)
{
    struct err e;

    fail(&e, ERR_INVALID, "task %s has already ended; its state is %s", q->id,
         task_state_names[q->ask->info.state]);
    request_settle(q, &e);
}

/* ---- artifacts ------------------------------------------------------------------------------- */

static void read_pieces(struct task_request *q);

static void on_pieces(struct op *op, const struct err *e, void *ctx)
{
    struct task_request *q = ctx;
    bool more = !e && q->step[0].events.more;

    (void)op;
    q->asking = false;
    if (!e)
        q->since = task_pieces_add(&q->made, q->engine->limits, &q->step[0].events, q->since);
    store_ask_fini(&q->store);
    if (q->ask->op.canceled) {
        settle_as(q, ERR_CANCELED, "cancelled");
    } else if (e) {
        request_settle(q, e);
    } else if (more) {
        read_pieces(q);
    } else {
        q->ask->info.artifacts = task_pieces_json(&q->made);
        request_settle(q, NULL);
    }
}

static void read_pieces(struct task_request *q)
{
    q->step[0] = task_pieces_step(str_of(q->id), q->since);
    store_steps(q, 1, on_pieces);
}

static void settle_with_artifacts(struct task_request *q)
{
    if (!q->ask->artifacts) {
        request_settle(q, NULL);
        return;
    }
    q->kind = GATHER;
    q->since = 0;
    q->made = (struct artifact_set){ .mem = &q->ask->mem,
                                     .most = (size_t)q->engine->limits->artifact_bytes };
    read_pieces(q);
}

/* Decide by the state that was read whether the request is done. */
static void judge(struct task_request *q)
{
    bool final = task_state_final(q->ask->info.state);

    switch (q->kind) {
    case GET: settle_with_artifacts(q); return;
    case GATHER:
    case CLOSED: break; /* judge_answer */
    case WAIT:
        if (final)
            settle_with_artifacts(q);
        else
            wait(q);
        return;
    case CANCEL:
        if (final)
            settle_over(q);
        else
            store_do(q, STORE_TASK_CANCEL, on_cancel_stored);
        return;
    case STOPPING:
        if (!final)
            wait(q);
        else if (q->ask->info.state == TASK_CANCELED)
            settle_with_artifacts(q);
        else
            settle_over(q);
        return;
    case ANSWER: give_answer(q); return;
    }
}

/* The principal that closed the question, according to the events of this read; STR_NONE: none. */
static struct str closed_by(struct task_request *q, bool *more)
{
    const struct store_event_page *p = &q->step[1].events;
    struct str by = task_answered_by(&q->ask->mem, q->engine->limits, p, str_of(q->key));

    *more = p->more;
    if (p->n)
        q->since = p->v[p->n - 1].seq;
    return by.p ? arena_str(&q->ask->mem, by) : STR_NONE;
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct task_request *q = ctx;
    struct str by = STR_NONE;
    bool more = false;
    struct err bad;

    (void)op;
    q->asking = false;
    if (e || !task_visible(q->engine, &q->step[0].task, q->ask->owner, &bad)) {
        bad = e ? *e : bad;
        store_ask_fini(&q->store);
        request_settle(q, &bad);
        return;
    }
    arena_reset(&q->ask->mem);
    q->ask->info = task_info_of(&q->ask->mem, &q->step[0].task);
    if (q->kind == CLOSED)
        by = closed_by(q, &more);
    store_ask_fini(&q->store);
    if (q->ask->op.canceled)
        settle_as(q, ERR_CANCELED, "cancelled");
    else if (q->kind == CLOSED)
        judge_answer(q, by, more);
    else
        judge(q);
}

static void request_look(struct task_request *q)
{
    q->step[0] = (struct store_step){ .what = STORE_TASK_LOAD, .task = { .id = str_of(q->id) } };
    q->step[1] = (struct store_step){
        .what = STORE_TASK_EVENTS,
        .events = { .session = str_of(q->id), .kind = STR("answered"), .after = q->since }
    };
    store_steps(q, q->kind == CLOSED ? 2 : 1, on_looked);
}

/* A run has stored all its events, or is over. */
void task_requests_hear(struct task_run *r)
{
    for (struct task_request *q = r->engine->requests; q; q = q->next) {
        bool waits = !q->asking && (q->kind == CLOSED || task_state_final(r->state) ||
                                    r->op.settled || task_run_is_lost(r));

        if (waits && str_eq(str_of(q->id), str_of(r->id))) {
            timer_clear(q->engine->loop, &q->look);
            request_look(q);
        }
    }
}

void task_requests_close(struct task_engine *g)
{
    struct task_request *next;

    for (struct task_request *q = g->requests; q; q = next) {
        next = q->next;
        if (!q->asking && q->kind != CANCEL)
            settle_stopped(q);
    }
}

static struct task_request *request_begin(struct task_engine *g, struct task_ask *a,
                                          enum request_kind kind, struct op *parent,
                                          op_done_fn *done, void *ctx)
{
    struct task_request *q = MEM_NEW(struct task_request);

    q->ask = a;
    q->engine = g;
    q->kind = kind;
    q->next = g->requests;
    g->requests = q;
    a->engine = g;
    a->state = q;
    op_begin(&a->op, &request_kind, g->loop, parent, done, ctx);
    if (g->closing)
        settle_as(q, ERR_CLOSED, "trefoil is shutting down");
    else if (!str_to_c(a->id, q->id, sizeof(q->id)))
        settle_as(q, ERR_NOT_FOUND, "there is no such task");
    else
        request_look(q);
    return a->state; /* NULL: settled */
}

void task_get(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
              void *ctx)
{
    request_begin(g, a, GET, parent, done, ctx);
}

void task_wait(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
               void *ctx)
{
    request_begin(g, a, WAIT, parent, done, ctx);
}

void task_cancel(struct task_engine *g, struct task_ask *a, struct op *parent, op_done_fn *done,
                 void *ctx)
{
    request_begin(g, a, CANCEL, parent, done, ctx);
}

void task_answer(struct task_engine *g, struct task_ask *a, struct str key, struct json answer,
                 struct op *parent, op_done_fn *done, void *ctx)
{
    struct task_request *q = request_begin(g, a, ANSWER, parent, done, ctx);

    if (!q)
        return;
    q->answer = answer;
    q->by = str_of(a->by.name);
    if (!str_to_c(str_head(key, sizeof(q->key) - 1), q->key, sizeof(q->key)))
        q->key[0] = '?'; /* a key with a NUL byte matches no question */
}
