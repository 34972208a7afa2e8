/* a2a_push.c - set, get, list and delete the push configurations of a task. */
#include "core/session/session.h"
#include "proto/a2a/server/a2a_call.h"
#include "proto/a2a/server/a2a_proxy.h"
#include "proto/a2a/server/a2a_webhook.h"

struct push_work {
    struct a2a_call *call;
    struct a2a_push_setup setup;
    struct store_ask ask;
    struct store_step step;
    void (*then)(struct a2a_call *c); /* after a configuration of a new task is stored */
};

static void push_store(struct push_work *k, op_done_fn *done)
{
    if (!a2a_call_goes_on(k->call))
        return;
    k->ask = (struct store_ask){ .step = &k->step, .steps = 1, .durability = STORE_POWER };
    store_start(k->call->server->agents->world->store, &k->ask, NULL, done, k);
}

/* Webhooks of 0.3 get the same objects, whichever binding their configuration came over. */
static struct a2a_push_setup setup_of(const struct a2a_call *c)
{
    return (struct a2a_push_setup){ .push = c->params.push,
                                    .dialect = c->dialect == A2A_0_3_REST ? A2A_0_3 : c->dialect,
                                    .loopback = a2a_client_is_local(c->server->setup, c->req) };
}

static struct push_work *push_work_new(struct a2a_call *c)
{
    struct push_work *k = ARENA_NEW(&c->req->mem, struct push_work);

    k->call = c;
    return k;
}

/* ---- set ------------------------------------------------------------------------------------- */

bool a2a_push_prepare(struct a2a_call *c, struct err *e)
{
    const struct a2a_push_setup setup = setup_of(c);

    return a2a_push_check(c->server, &setup, e);
}

static void on_set(struct op *op, const struct err *e, void *ctx)
{
    struct push_work *k = ctx;
    struct a2a_call *c = k->call;

    (void)op;
    store_ask_fini(&k->ask);
    if (e && e->code == ERR_LIMIT) {
        a2a_refuse(c, A2A_INVALID_PARAMS, "%s", e->text);
    } else if (e) {
        a2a_refuse_err(c, e);
    } else {
        a2a_webhook_begin(c->server, &k->step.push);
        k->then(c);
    }
}

void a2a_push_set(struct a2a_call *c, int64_t sent, void (*then)(struct a2a_call *c))
{
    struct push_work *k = push_work_new(c);
    const struct limits *limits = c->server->limits;
    struct a2a_push *p = &c->params.push;
    char id[ID_TEXT];
    struct str setup;
    struct err e;

    if (!p->id.n && c->dialect != A2A_1_0)
        p->id = STR("default"); /* 0.3: clients may get it without naming it */
    if (!p->id.n) {
        id_new(loop_wall(c->server->loop), id);
        p->id = arena_str(&c->req->mem, str_of(id));
    }
    p->task = c->params.id;
    k->then = then;
    k->setup = setup_of(c);
    if (!a2a_push_setup_write(&c->req->mem, limits, &k->setup, &setup, &e)) {
        a2a_refuse_err(c, &e);
        return;
    }
    k->step = (struct store_step){ .what = STORE_PUSH_PUT,
                                   .push = { .task = p->task,
                                             .id = p->id,
                                             .owner = str_of(c->principal.name),
                                             .setup = setup,
                                             .sent = sent,
                                             .most = limits->pushes,
                                             .total = limits->pushes_total } };
    push_store(k, on_set);
}

static void answer_push(struct a2a_call *c)
{
    a2a_write_push(a2a_result_begin(c), c->dialect, &c->params.push);
    a2a_result_end(c);
}

/* ---- get, list, delete ----------------------------------------------------------------------- */

static bool push_of(struct a2a_call *c, const struct store_push *row, struct a2a_push *out)
{
    struct a2a_push_setup setup;

    if (!a2a_push_setup_read(&c->req->mem, arena_str(&c->req->mem, row->setup), &setup))
        return false;
    *out = setup.push;
    out->id = row->id;
    out->task = row->task;
    return true;
}

static void answer_list(struct a2a_call *c, const struct store_push_page *p)
{
    struct jw *w = a2a_result_begin(c);
    bool bare = c->dialect != A2A_1_0 && c->binding == A2A_JSONRPC;
    struct a2a_push push;

    if (!bare) {
        jw_object(w);
        jw_plain_key(w, STR("configs"));
    }
    jw_array(w);
    for (size_t i = 0; i < p->n; i++)
        if (push_of(c, &p->v[i], &push))
            a2a_write_push(w, c->dialect, &push);
    jw_array_end(w);
    if (!bare)
        jw_object_end(w);
    a2a_result_end(c);
}

/* 0.3 may name no configuration: the first one then. */
static void answer_one(struct a2a_call *c, const struct store_push_page *p)
{
    for (size_t i = 0; i < p->n; i++) {
        if (c->params.push_id.n && !str_eq(c->params.push_id, p->v[i].id))
            continue;
        if (push_of(c, &p->v[i], &c->params.push)) {
            answer_push(c);
            return;
        }
    }
    a2a_refuse(c, A2A_TASK_NOT_FOUND, "the task has no such push configuration");
}

static void on_pushes(struct op *op, const struct err *e, void *ctx)
{
    struct push_work *k = ctx;
    struct a2a_call *c = k->call;
    struct arena rows = k->ask.mem;

    (void)op;
    if (e)
        a2a_refuse_err(c, e);
    else if (c->op == A2A_PUSH_LIST)
        answer_list(c, &k->step.pushes);
    else
        answer_one(c, &k->step.pushes);
    arena_fini(&rows);
}

static void on_deleted(struct op *op, const struct err *e, void *ctx)
{
    struct push_work *k = ctx;
    struct a2a_call *c = k->call;

    (void)op;
    store_ask_fini(&k->ask);
    if (e) {
        a2a_refuse_err(c, e);
        return;
    }
    a2a_webhook_stop(c->server, c->params.id, c->params.push_id);
    if (c->binding == A2A_REST) {
        a2a_answer_nothing(c);
    } else {
        jw_null(a2a_result_begin(c));
        a2a_result_end(c);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void push_go_on(struct a2a_call *c)
{
    struct push_work *k = push_work_new(c);

    if (c->op == A2A_PUSH_DELETE) {
        k->step = (struct store_step){ .what = STORE_PUSH_DELETE,
                                       .push = { .task = c->params.id, .id = c->params.push_id } };
        push_store(k, on_deleted);
        return;
    }
    k->step = (struct store_step){ .what = STORE_PUSHES, .pushes = { .task = c->params.id } };
    push_store(k, on_pushes);
}

/* Only the tasks of the client have configurations that it can see. */
static void on_task_known(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_call *c = ctx;
    struct err bad;

    (void)op;
    c->asked = true;
    if (e)
        a2a_refuse_err(c, e);
    else if (c->op != A2A_PUSH_SET)
        push_go_on(c);
    else if (!a2a_push_prepare(c, &bad))
        a2a_refuse(c, A2A_INVALID_PARAMS, "%s", bad.text);
    else
        a2a_push_set(c, c->ask.info.last_seq, answer_push);
}

void a2a_op_push(struct a2a_call *c)
{
    if (!c->server->setup->push) {
        a2a_refuse(c, A2A_PUSH_NOT_SUPPORTED, "push notifications are off: [a2a] push = false");
        return;
    }
    if (c->op == A2A_PUSH_DELETE && !c->params.push_id.n) {
        a2a_refuse(c, A2A_INVALID_PARAMS, "missing the id of the push configuration");
        return;
    }
    c->ask = (struct task_ask){ .id = c->params.id, .owner = a2a_call_sees(c) };
    task_get(c->server->agents->tasks, &c->ask, NULL, on_task_known, c);
}
