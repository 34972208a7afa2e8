/*
 * task_create.c - creates a task: checks the spec, stores the task as SUBMITTED, starts the work.
 */
#include "core/task/task_create.h"

#include "core/agent/agent_context.h"
#include "core/task/task_engine.h"
#include "core/task/task_isolated.h"
#include "core/task/task_spec.h"

/* The store carries out a request that was started; its end settles the op. */
static void cancel_create(struct op *op)
{
    (void)op;
}

static const struct op_kind create_kind = { .name = "create task", .cancel = cancel_create };

static struct task_info info_of(struct arena *mem, const struct task_run *r,
                                const struct store_task *t)
{
    struct store_task all = *t;

    all.created = all.updated = r->created;
    return task_info_of(mem, &all);
}

/* Start the work in this process or, for an isolated task, in a child. */
static void set_off(struct task_run *r)
{
    if (!task_wants_away(r->engine, &r->spec)) {
        task_run_begin(r);
        return;
    }
    task_away_begin(r->engine, r->id, r->fence);
    task_run_free(r);
}

/* From here on the creator may disconnect, and the work continues. */
static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct task_run *r = ctx;
    struct task_engine *g = r->engine;
    struct task_ask *a = r->creator;
    struct store_task *t = &r->create[1].task;

    (void)op;
    if (!e) {
        r->fence = t->fence;
        r->log.seq = t->last_seq;
        a->info = info_of(&a->mem, r, t);
        r->creator = NULL;
    }
    store_ask_fini(&r->log.ask);
    g->others--;
    if (e) {
        task_run_free(r);
        op_fail(&a->op, e);
    } else {
        op_ok(&a->op);
        set_off(r);
        task_feeds_hear(g);
    }
    task_engine_settled(g);
}

/* The row of a new task. For a tool call, `agent` is the name of the tool. */
static struct store_task first_of(struct task_run *r, const struct store_event *status)
{
    return (struct store_task){
        .id = str_of(r->id),
        .context = r->context,
        .owner = r->owner,
        .agent = r->call ? r->spec.tool : str_of(r->agent->def->name),
        .model = r->call ? STR_NONE : r->agent->model,
        .mode = str_of(agent_mode_name(r->read_only ? AGENT_READ_ONLY : AGENT_READ_WRITE)),
        .state = str_of(task_state_names[TASK_SUBMITTED]),
        .spec = task_spec_write(&r->mem, &r->spec),
        .event = status,
        .events = 1,
        .capacity = r->engine->limits->tasks,
    };
}

/* Delete expired tasks in the same request, to make room for the new one. */
static void store_new(struct task_run *r)
{
    struct store_event *status = ARENA_NEW(&r->mem, struct store_event);

    *status = (struct store_event){
        .kind = STR("status"),
        .body = task_status_body(&r->mem, TASK_SUBMITTED, STR_NONE),
        .feed = true,
    };
    r->create[0] = (struct store_step){ .what = STORE_TASKS_EXPIRE };
    r->create[1] = (struct store_step){ .what = STORE_TASK_CREATE, .task = first_of(r, status) };
    r->log.ask = (struct store_ask){ .step = r->create, .steps = 2, .durability = STORE_POWER };
    r->engine->others++;
    store_start(r->engine->store, &r->log.ask, &r->creator->op, on_created, r);
}

static bool check(const struct task_engine *g, const struct task_spec *spec, struct err *e)
{
    if (g->closing)
        return fail(e, ERR_CLOSED, "trefoil is shutting down");
    if (!g->store)
        return fail(e, ERR_DENIED, "tasks cannot be created, because this process has no store");
    if (!blocks_say_something(spec->prompt))
        return fail(e, ERR_INVALID, "the prompt is empty: describe what the agent should do");
    if (trace_too_deep(spec->trace.depth, g->limits->trace_depth))
        return fail(e, ERR_INVALID, "the chain of agent calls is longer than %lld",
                    (long long)g->limits->trace_depth);
    return true;
}

static void fill_new(struct task_run *r)
{
    char context[ID_TEXT], session[ID_TEXT];

    r->created = loop_wall(r->engine->loop);
    id_new(r->created, r->id);
    id_new(r->created, context);
    r->context = r->spec.context.n ? r->spec.context : arena_str(&r->mem, str_of(context));
    r->owner = r->spec.owner;
    if (!r->agent)
        return;
    if (!r->spec.session.n) {
        id_new(r->created, session);
        r->spec.new_session = arena_str(&r->mem, str_of(session));
    }
    r->read_only = r->spec.read_only || r->agent->scope.mode == AGENT_READ_ONLY;
    if (!r->spec.read_only)
        r->spec.mode_reason =
            agent_mode_reason(&r->mem, r->agent->def->name, r->agent->scope.mode, NULL);
    r->spec.isolate |=
        r->agent->def->isolate || (r->engine->opts.isolate && r->engine->opts.isolate->always);
}

bool task_create_begin(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                       struct op *parent, op_done_fn *done, void *ctx)
{
    struct err e;

    a->engine = g;
    op_begin(&a->op, &create_kind, g->loop, parent, done, ctx);
    if (check(g, spec, &e))
        return true;
    op_fail(&a->op, &e);
    return false;
}

void task_create_store(struct task_ask *a, struct task_run *r)
{
    r->creator = a;
    fill_new(r);
    store_new(r);
}

void task_create(struct task_engine *g, struct task_ask *a, const struct task_spec *spec,
                 struct op *parent, op_done_fn *done, void *ctx)
{
    struct agent *agent;
    struct task_run *r;
    struct err e;

    if (!task_create_begin(g, a, spec, parent, done, ctx))
        return;
    agent = task_spec_agent(spec, g->opts.registry, &e);
    if (!agent) {
        op_fail(&a->op, &e);
        return;
    }
    r = task_run_new(g, spec);
    r->agent = agent;
    task_create_store(a, r);
}
