/* a2a_tasks.c - get, cancel and subscribe to a task. */
#include "proto/a2a/server/a2a_call.h"
#include "wire/http_server.h"

static void ask_for(struct a2a_call *c)
{
    c->ask = (struct task_ask){ .id = c->params.id, .owner = a2a_call_sees(c) };
}

/*
 * 0.1 and 0.3 have these methods in common. A client of 0.1 is known by its task, unless it names a
 * version.
 */
static void use_dialect_of_task(struct a2a_call *c)
{
    struct str version = a2a_stored_version(&c->req->mem, c->ask.info.client);

    if (c->binding == A2A_JSONRPC && c->dialect == A2A_0_3 &&
        !http_req_header(c->req, A2A_VERSION_HEADER).n &&
        str_eq(version, str_of(a2a_dialects[A2A_0_1].version)))
        c->dialect = A2A_0_1;
}

/* ---- get ------------------------------------------------------------------------------------- */

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;

    (void)op;
    c->asked = true;
    use_dialect_of_task(c);
    if (e)
        a2a_refuse_err(c, e);
    else
        a2a_answer_when(c, &c->ask.info, c->ask.info.last_seq);
}

void a2a_op_get(struct a2a_call *c)
{
    ask_for(c);
    task_get(c->server->agents->tasks, &c->ask, NULL, on_got, c);
}

/* ---- cancel ---------------------------------------------------------------------------------- */

/* Cancelling a cancelled task again changes nothing. */
static void on_canceled(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;
    enum task_state state = c->ask.info.state;

    (void)op;
    c->asked = true;
    use_dialect_of_task(c);
    if (!e || (e->code == ERR_INVALID && state == TASK_CANCELED && c->dialect == A2A_1_0))
        a2a_answer_when(c, &c->ask.info, c->ask.info.last_seq);
    else if (e->code == ERR_INVALID)
        a2a_refuse(c, A2A_TASK_NOT_CANCELABLE, "the task has already ended; its state is %s",
                   a2a_dialects[c->dialect].state[state]);
    else
        a2a_refuse_err(c, e);
}

void a2a_op_cancel(struct a2a_call *c)
{
    ask_for(c);
    task_cancel(c->server->agents->tasks, &c->ask, NULL, on_canceled, c);
}

/* ---- subscribe ------------------------------------------------------------------------------- */

/* The number of the last event that the client has; -1: unknown, so it gets the task first. */
static bool last_event(struct a2a_call *c, int64_t *out)
{
    struct str last = http_req_header(c->req, "last-event-id");
    uint64_t n;

    *out = -1;
    if (!last.n)
        return true;
    if (!str_uint(last, 0, INT64_MAX, &n)) {
        a2a_refuse(c, A2A_INVALID_PARAMS, "Last-Event-ID: expected the id of an event of the task");
        return false;
    }
    *out = (int64_t)n;
    return true;
}

static void on_found(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;
    int64_t after;

    (void)op;
    c->asked = true;
    if (e) {
        a2a_refuse_err(c, e);
        return;
    }
    use_dialect_of_task(c);
    if (!last_event(c, &after))
        return;
    if (task_state_final(c->ask.info.state) && (after < 0 || after >= c->ask.info.last_seq))
        a2a_refuse(c, A2A_UNSUPPORTED_OPERATION,
                   "the task has ended (%s), so there are no further updates; get the task instead",
                   a2a_dialects[c->dialect].state[c->ask.info.state]);
    else
        a2a_stream_begin(c, &c->ask.info, after);
}

void a2a_op_subscribe(struct a2a_call *c)
{
    ask_for(c);
    task_get(c->server->agents->tasks, &c->ask, NULL, on_found, c);
}
