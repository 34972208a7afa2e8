/* mcp_tasks.c - tasks/get, tasks/update, tasks/cancel. */
#include "proto/mcp/server/mcp_tasks.h"

#include "base/utf8.h"
#include "core/agent/agent_context.h"

/* ---- support ------------------------------------------------------------------------------ */

bool mcp_keeps_tasks(const struct offer *offer)
{
    const struct agent_context *context = offer->host.context;

    return context && (context->tasks || (context->coming && context->coming->open));
}

bool mcp_knows_tasks(const struct rpc_in *in)
{
    struct json meta = in->meta;
    struct json said = json_get(meta, STR(MCP_META "clientCapabilities"));

    return mcp_has(in)->tasks &&
           json_type(json_get(json_get(said, STR("extensions")), STR(MCP_TASKS))) == JSON_OBJECT;
}

void mcp_refuse_taskless(struct rpc_in *in)
{
    rpc_error_data(in, MCP_LACKS_ABILITY,
                   STR("this method needs a client that declares the extension " MCP_TASKS),
                   STR("{\"requiredCapabilities\":{\"extensions\":{\"" MCP_TASKS "\":{}}}}"));
}

struct str mcp_task_owner(const struct rpc_in *in)
{
    return principal_sees(str_of(mcp_conv_of(in)->principal.name));
}

/* The store is opened after the first answer, so an early request may have to wait for it. */
struct task_waiting {
    struct readiness_wait wait; /* first */
    struct rpc_in *in;
    void (*then)(void *ctx, struct task_engine *engine);
    void *ctx;
};

static void on_there(struct op *op, const struct err *e, void *ctx)
{
    struct task_waiting *w = ctx;

    (void)op;
    if (e)
        rpc_error_of(w->in, e);
    else
        w->then(w->ctx, mcp_offer_of(w->in)->host.context->tasks);
}

void mcp_when_tasks(struct rpc_in *in, void (*then)(void *ctx, struct task_engine *engine),
                    void *ctx)
{
    const struct offer *offer = mcp_offer_of(in);
    const struct agent_context *context = offer->host.context;
    struct task_waiting *w;

    if (!context || context->tasks || !context->coming || !context->coming->open) {
        then(ctx, context ? context->tasks : NULL);
        return;
    }
    w = ARENA_NEW(in->mem, struct task_waiting);
    w->in = in;
    w->then = then;
    w->ctx = ctx;
    readiness_wait(context->coming, &w->wait, offer->host.loop, offer->host.limits, &in->op,
                   on_there, w);
}

static void free_mem(void *ptr)
{
    arena_fini(ptr);
}

struct task_ask *mcp_task_ask(struct rpc_in *in, struct str id)
{
    struct task_ask *a = ARENA_NEW(in->mem, struct task_ask);

    a->id = id;
    a->owner = mcp_task_owner(in);
    a->by = mcp_conv_of(in)->principal;
    arena_defer(in->mem, free_mem, &a->mem);
    return a;
}

/* ---- a request about one task --------------------------------------------------------------- */

struct query {
    struct rpc_in *in;
    struct str id;
    struct json responses; /* of tasks/update ... */
    struct json next;      /* ... the key of the next response to handle */
    struct json asks;      /* the open questions */
    struct task_engine *engine;
    struct task_ask *ask;
    void (*begin)(struct query *q);
};

/* tasks/update has both members, the other methods only the first. */
static const struct pick task_fields[] = {
    PICK_FIELD("taskId", PICK_STR, struct query, id, PICK_MUST),
    PICK_FIELD("inputResponses", PICK_OBJECT, struct query, responses, PICK_MUST),
};

static void task_query_refuse(struct query *q, const struct err *e)
{
    if (e->code == ERR_NOT_FOUND)
        rpc_error(q->in, RPC_INVALID_PARAMS, "Unknown task: " STR_FMT,
                  STR_ARG(utf8_head(q->id, 64)));
    else
        rpc_error_of(q->in, e);
}

static void on_engine(void *ctx, struct task_engine *engine)
{
    struct query *q = ctx;

    q->engine = engine;
    if (engine)
        q->begin(q);
    else
        rpc_error(q->in, RPC_METHOD_NOT_FOUND, "no tasks are stored");
}

static void task_query_begin(struct rpc_in *in, size_t fields, void (*then)(struct query *q))
{
    struct query *q = ARENA_NEW(in->mem, struct query);

    if (!mcp_knows_tasks(in)) {
        mcp_refuse_taskless(in);
        return;
    }
    if (!rpc_params(in, task_fields, fields, q))
        return;
    q->in = in;
    q->begin = then;
    mcp_when_tasks(in, on_engine, q);
}

/* ---- tasks/get ------------------------------------------------------------------------------ */

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct query *q = ctx;
    struct rpc_in *in = q->in;

    (void)op;
    if (e) {
        task_query_refuse(q, e);
        return;
    }
    mcp_write_task(mcp_result_begin(in), in->mem, in->peer->rpc->limits, loop_wall(in->op.loop),
                   &q->ask->info, true);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

static void task_query_get(struct query *q)
{
    q->ask = mcp_task_ask(q->in, q->id);
    q->ask->artifacts = true;
    task_get(q->engine, q->ask, &q->in->op, on_got, q);
}

void mcp_on_tasks_get(struct rpc_in *in)
{
    task_query_begin(in, 1, task_query_get);
}

/* ---- tasks/cancel --------------------------------------------------------------------------- */

/* A task that was final already is not an error. */
static void on_cancelled(struct op *op, const struct err *e, void *ctx)
{
    struct query *q = ctx;

    (void)op;
    if (e && e->code != ERR_INVALID)
        task_query_refuse(q, e);
    else
        mcp_result_empty(q->in);
}

static void cancel(struct query *q)
{
    q->ask = mcp_task_ask(q->in, q->id);
    task_cancel(q->engine, q->ask, &q->in->op, on_cancelled, q);
}

void mcp_on_tasks_cancel(struct rpc_in *in)
{
    task_query_begin(in, 1, cancel);
}

/* ---- tasks/update: read the open questions, then answer them in turn ------------------------- */

static void answer_next(struct query *q);

/* Another client may have answered first; that is not a failure either. */
static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct query *q = ctx;

    (void)op;
    if (e && e->code != ERR_NOT_FOUND)
        task_query_refuse(q, e);
    else
        answer_next(q);
}

static void answer_next(struct query *q)
{
    struct json key = q->next;
    enum ask_kind kind;

    while (json_here(key) && !mcp_task_asks(q->in->mem, q->asks, json_str(q->in->mem, key), &kind))
        key = json_next(q->responses, json_value(key));
    if (!json_here(key)) {
        mcp_result_empty(q->in);
        return;
    }
    q->next = json_next(q->responses, json_value(key));
    q->ask = mcp_task_ask(q->in, q->id);
    task_answer(q->engine, q->ask, json_str(q->in->mem, key),
                mcp_answer_taken(q->in->mem, kind, json_value(key)), &q->in->op, on_answered, q);
}

/* Check all responses before the first one is used. */
static bool check_responses(struct query *q)
{
    enum ask_kind kind;

    JSON_MEMBERS(key, q->responses)
    {
        struct str name = json_str(q->in->mem, key);

        if (!mcp_task_asks(q->in->mem, q->asks, name, &kind) ||
            mcp_answer_fits(kind, json_value(key)))
            continue;
        rpc_error(q->in, RPC_INVALID_PARAMS,
                  "params.inputResponses." STR_FMT ": not a valid answer to %s",
                  STR_ARG(utf8_head(name, 64)), mcp_ask_method(kind));
        return false;
    }
    return true;
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct query *q = ctx;

    (void)op;
    if (e) {
        task_query_refuse(q, e);
        return;
    }
    if (q->ask->info.asks.n)
        q->asks = mcp_reread(q->in->mem, q->in->peer->rpc->limits,
                             arena_str(q->in->mem, q->ask->info.asks));
    if (!check_responses(q))
        return;
    q->next = json_first(q->responses);
    answer_next(q);
}

static void update(struct query *q)
{
    q->ask = mcp_task_ask(q->in, q->id);
    task_get(q->engine, q->ask, &q->in->op, on_looked, q);
}

void mcp_on_tasks_update(struct rpc_in *in)
{
    task_query_begin(in, ARRAY_LEN(task_fields), update);
}
