/*
 * mcp_client_tasks.c - calls that a server runs as tasks: by io.modelcontextprotocol/tasks, or as
 * in 2025-11-25, where some tools can only be called as tasks.
 *
 *   WAITS   for the poll interval of the server (the op `pause` and a timer)
 *   LOOKS   tasks/get is in flight; the status decides what follows
 *   ASKS    the task needs input: asks are open (mcp_client_rounds.c)
 *   TELLS   tasks/update is in flight, then WAITS
 *   FETCHES tasks/result is in flight (2025-11-25). It ends with the result; until then the
 *           server may send requests for input
 *
 * The caller does not notice the task: it gets the result, questions and progress like those of a
 * call. If the call ends before its task, tasks/cancel is sent to the server, without waiting for
 * the response.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/digits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "proto/mcp/client/mcp_client_headers.h"
#include "proto/mcp/client/mcp_client_work.h"

struct mcp_answered {
    struct str key; /* raw */
    struct mcp_answered *next;
};

static struct loop *task_work_loop(const struct mcp_work *k)
{
    return k->c->world.rpc->loop;
}

static const struct limits *limits_of(const struct mcp_work *k)
{
    return k->c->world.rpc->limits;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void write_params(struct mcp_work *k, struct jw *w, struct str responses)
{
    struct mcp_about about = {
        .call = k->call,
        .token = k->token,
        .tasks = true,
        .trace = k->trace,
    };

    jw_object(w);
    jw_kstr(w, "taskId", k->task);
    jw_kraw(w, "inputResponses", responses);
    mcp_write_meta(k->c, w, &about);
    jw_object_end(w);
}

static void send_task_request(struct mcp_work *k, const char *method, struct str responses,
                              op_done_fn *done)
{
    write_params(k, mcp_req_begin(k->c), responses);
    rpc_out_fini(&k->req.out);
    mcp_work_clock(k);
    mcp_req_send(k->c, &k->req, &k->call->op, method, mcp_work_timeout(k), done, k);
}

/* False: the request failed or was rejected, which ends the call. */
static bool is_answered(struct mcp_work *k, const struct err *e)
{
    if (e)
        mcp_work_fail(k, e);
    else if (json_here(k->req.out.error))
        mcp_work_forward(k, (struct json){ 0 }, k->req.out.error);
    else
        return true;
    return false;
}

/* The headers are the same for all of them. */
static void set_task_headers(struct mcp_work *k, struct arena *mem, struct mcp_req *r)
{
    r->name = mcp_mirror_value(mem, arena_str(mem, k->task));
    mcp_mirror(k->c, mem, STR_NONE, (struct json){ 0 }, &k->trace, r);
}

/* ---- WAITS ----------------------------------------------------------------------------------- */

static void on_looked(struct op *op, const struct err *e, void *ctx);

static void on_waited(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;

    (void)op;
    k->waits = false;
    if (e)
        mcp_work_fail(k, e);
    else if (k->c->step == STEP_CLOSING)
        mcp_work_fail(k, &k->c->why);
    else
        send_task_request(k, "tasks/get", STR_NONE, on_looked);
}

static void cancel_wait(struct op *op)
{
    mcp_task_stop(CONTAINER_OF(op, struct mcp_work, pause),
                  &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind wait_kind = { .name = "task of a server", .cancel = cancel_wait };

static void on_time(struct timer *t)
{
    op_ok(&CONTAINER_OF(t, struct mcp_work, look)->pause);
}

static void wait_for_task(struct mcp_work *k)
{
    struct err late;
    int64_t left = k->task_until - loop_now(task_work_loop(k));

    if (left <= 0) {
        mcp_client_fail(k->c, &late, ERR_LIMIT,
                        "did not finish the task of %s in time (the constant mcp_task_ms)",
                        k->call->what);
        mcp_work_fail(k, &late);
        return;
    }
    op_begin(&k->pause, &wait_kind, task_work_loop(k), &k->call->op, on_waited, k);
    k->waits = true;
    timer_set(task_work_loop(k), &k->look, left < k->poll_ms ? left : k->poll_ms, on_time);
}

/* ---- LOOKS ----------------------------------------------------------------------------------- */

/* The poll interval that the server requests, with a minimum. */
static void note_pace(struct mcp_work *k, struct json task)
{
    int64_t least = limits_of(k)->mcp_task_poll_ms, ms;

    if (!json_int(json_get(task, k->as_task ? STR("pollInterval") : STR("pollIntervalMs")), &ms))
        return;
    k->poll_ms = ms < 10 ? 10 : ms > 60 * least ? 60 * least : ms;
}

static void note_message(struct mcp_work *k, struct json task)
{
    AUTO_ARENA mem = { 0 };
    struct str text = json_str(&mem, json_get(task, STR("statusMessage")));
    struct str head = utf8_head(text, sizeof(k->told) - 1);
    char looks[DIGITS_MOST];

    k->looks++;
    if (!head.n || str_eq(head, str_of(k->told)) || !str_to_c(head, k->told, sizeof(k->told)))
        return;
    call_progress(k->call, &(struct progress){ .message = head,
                                               .done = { looks, digits_put(looks, k->looks) } });
}

static void on_canceled_there(struct mcp_work *k)
{
    struct err e;

    k->task = STR_NONE;
    mcp_client_fail(k->c, &e, ERR_CLOSED, "has cancelled the task of %s", k->call->what);
    mcp_work_fail(k, &e);
}

static bool wants_more(const struct mcp_work *k, struct json requests)
{
    JSON_MEMBERS(key, requests)
    if (!mcp_task_was_told(k, key))
        return true;
    return false;
}

static void on_task(struct mcp_work *k, struct json task)
{
    struct json status = json_get(task, STR("status")), none = { 0 };
    struct json requests = json_get(task, STR("inputRequests"));

    note_pace(k, task);
    if (json_is(status, STR("completed")) &&
        json_type(json_get(task, STR("result"))) == JSON_OBJECT) {
        mcp_work_forward(k, json_get(task, STR("result")), none);
    } else if (json_is(status, STR("failed")) &&
               json_type(json_get(task, STR("error"))) == JSON_OBJECT) {
        mcp_work_forward(k, none, json_get(task, STR("error")));
    } else if (json_is(status, STR("cancelled"))) {
        on_canceled_there(k);
    } else if (json_is(status, STR("input_required")) && wants_more(k, requests)) {
        k->asked_at = loop_now(task_work_loop(k));
        mcp_work_ask(k, requests);
    } else if (json_is(status, STR("working")) || json_is(status, STR("input_required"))) {
        note_message(k, task);
        wait_for_task(k);
    } else {
        mcp_work_wrong(k, "a task with an unknown status or without its result");
    }
}

/* ---- FETCHES --------------------------------------------------------------------------------- */

static void on_fetched(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;

    (void)op;
    if (!is_answered(k, e))
        return;
    if (json_type(k->req.out.result) == JSON_OBJECT)
        mcp_work_forward(k, k->req.out.result, (struct json){ 0 });
    else
        mcp_work_wrong(k, "the result of its task is not an object");
}

static void on_task_2511(struct mcp_work *k, struct json task)
{
    struct json status = json_get(task, STR("status"));

    note_pace(k, task);
    if (json_is(status, STR("completed")) || json_is(status, STR("failed")) ||
        json_is(status, STR("input_required"))) {
        send_task_request(k, "tasks/result", STR_NONE, on_fetched);
    } else if (json_is(status, STR("cancelled"))) {
        on_canceled_there(k);
    } else if (json_is(status, STR("working"))) {
        note_message(k, task);
        wait_for_task(k);
    } else {
        mcp_work_wrong(k, "a task with an unknown status");
    }
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;

    (void)op;
    if (!is_answered(k, e))
        return;
    if (k->as_task)
        on_task_2511(k, k->req.out.result);
    else
        on_task(k, k->req.out.result);
}

/* ---- TELLS ----------------------------------------------------------------------------------- */

bool mcp_task_was_told(const struct mcp_work *k, struct json key)
{
    const struct mcp_answered *a = k->answered;

    while (a && !str_eq(a->key, json_raw(key)))
        a = a->next;
    return a != NULL;
}

static void on_told(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_work *k = ctx;

    (void)op;
    if (is_answered(k, e))
        wait_for_task(k);
}

void mcp_task_update(struct mcp_work *k)
{
    for (size_t i = 0; i < k->inputs; i++) {
        struct mcp_answered *a = ARENA_NEW(k->call->mem, struct mcp_answered);

        *a = (struct mcp_answered){ k->input[i].key, k->answered };
        k->answered = a;
    }
    k->inputs = 0;
    k->task_until += loop_now(task_work_loop(k)) - k->asked_at;
    send_task_request(k, "tasks/update", k->responses, on_told);
}

/* ---- the end --------------------------------------------------------------------------------- */

struct dropping {
    struct mcp_req req; /* first */
    struct arena mem;
};

static void on_dropped(struct op *op, const struct err *e, void *ctx)
{
    struct dropping *d = ctx;

    (void)op;
    (void)e;
    rpc_out_fini(&d->req.out);
    arena_fini(&d->mem);
    mem_free(d);
}

void mcp_task_drop(struct mcp_work *k)
{
    struct mcp_client *c = k->c;
    struct dropping *d;

    if (!k->task.p || c->step != STEP_READY)
        return;
    d = MEM_NEW(struct dropping);
    set_task_headers(k, &d->mem, &d->req);
    write_params(k, mcp_req_begin(c), STR_NONE);
    mcp_req_send(c, &d->req, NULL, "tasks/cancel", mcp_work_timeout(k), on_dropped, d);
    k->task = STR_NONE;
}

void mcp_task_stop(struct mcp_work *k, const struct err *why)
{
    if (!k->waits || k->pause.settled)
        return;
    timer_clear(task_work_loop(k), &k->look); /* the timer would settle it again */
    op_fail(&k->pause, why);
}

/* ---- the beginning --------------------------------------------------------------------------- */

void mcp_task_begin(struct mcp_work *k, struct json result)
{
    struct str id = json_str(k->call->mem, json_get(result, STR("taskId")));

    if (!id.n) {
        mcp_work_wrong(k, "a task without a taskId");
        return;
    }
    k->task = arena_str(k->call->mem, id);
    k->poll_ms = limits_of(k)->mcp_task_poll_ms;
    k->task_until = loop_now(task_work_loop(k)) + limits_of(k)->mcp_task_ms;
    set_task_headers(k, k->call->mem, &k->req);
    note_pace(k, result);
    note_message(k, result);
    wait_for_task(k);
}
