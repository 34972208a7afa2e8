/* task.c - the states of tasks, lists of tasks, and the engine. */
#include "base/container.h"
#include "base/mem.h"
#include "core/task/task_engine.h"
#include "core/task/task_followers.h"
#include "core/task/task_isolated.h"
#include "core/task/task_recover.h"
#include "core/task/task_run.h"
#include "core/task/task_spec.h"

/* ---- states ---------------------------------------------------------------------------------- */

const char *const task_state_names[TASK_STATES] = {
    [TASK_SUBMITTED] = "submitted",
    [TASK_WORKING] = "working",
    [TASK_INPUT_REQUIRED] = "input_required",
    [TASK_AUTH_REQUIRED] = "auth_required",
    [TASK_COMPLETED] = "completed",
    [TASK_FAILED] = "failed",
    [TASK_CANCELED] = "canceled",
    [TASK_REJECTED] = "rejected",
};

/* Other accepted spellings. "unknown" is A2A's state of a task whose state cannot be determined. */
static const struct {
    struct str name;
    enum task_state state;
} spellings[] = {
    { { "pending", 7 }, TASK_SUBMITTED },
    { { "input-required", 14 }, TASK_INPUT_REQUIRED },
    { { "auth-required", 13 }, TASK_AUTH_REQUIRED },
    { { "cancelled", 9 }, TASK_CANCELED },
    { { "unknown", 7 }, TASK_FAILED },
};

bool task_state_named(struct str name, enum task_state *out)
{
    for (size_t i = 0; i < TASK_STATES; i++) {
        if (!str_eq(name, str_of(task_state_names[i])))
            continue;
        *out = (enum task_state)i;
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
        if (!str_eq(name, spellings[i].name))
            continue;
        *out = spellings[i].state;
        return true;
    }
    return false;
}

struct str task_status(enum task_state state)
{
    static const struct str status[TASK_STATES] = {
        [TASK_SUBMITTED] = STR("working"),
        [TASK_WORKING] = STR("working"),
        [TASK_INPUT_REQUIRED] = STR("input_required"),
        [TASK_AUTH_REQUIRED] = STR("input_required"),
        [TASK_COMPLETED] = STR("completed"),
        [TASK_FAILED] = STR("failed"),
        [TASK_CANCELED] = STR("cancelled"),
        [TASK_REJECTED] = STR("failed"),
    };

    return status[state];
}

bool task_state_final(enum task_state s)
{
    return s >= TASK_COMPLETED && s < TASK_STATES;
}

bool task_may_become(enum task_state from, enum task_state to)
{
    if (task_state_final(from) || from == to)
        return false;
    if (task_state_final(to))
        return true;
    switch (from) {
    case TASK_SUBMITTED: return to == TASK_WORKING;
    case TASK_WORKING: return to == TASK_INPUT_REQUIRED || to == TASK_AUTH_REQUIRED;
    case TASK_INPUT_REQUIRED: return to == TASK_WORKING || to == TASK_AUTH_REQUIRED;
    case TASK_AUTH_REQUIRED: return to == TASK_WORKING || to == TASK_INPUT_REQUIRED;
    case TASK_COMPLETED:
    case TASK_FAILED:
    case TASK_CANCELED:
    case TASK_REJECTED:
    case TASK_STATES: break;
    }
    return false;
}

/* ---- facts about a task ---------------------------------------------------------------------- */

static struct str filled(struct arena *mem, struct str s)
{
    return s.n ? arena_str(mem, s) : STR_NONE;
}

/*
 * Set the fields that come from the stored spec. trefoil wrote it, so its size is not limited here.
 */
static void read_spec(struct arena *mem, struct str spec, struct task_info *info)
{
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = UINT32_MAX };
    struct json v;
    struct err e;

    if (!json_read(mem, spec, &opts, &v, &e))
        return;
    info->asked = json_str(mem, json_get(v, STR("text")));
    if (json_here(json_get(v, STR("parts"))))
        info->parts = json_raw(json_get(v, STR("parts")));
    if (json_here(json_get(v, STR("client"))))
        info->client = json_raw(json_get(v, STR("client")));
    info->mode_reason = json_str(mem, json_get(v, STR("mode_reason")));
    info->origin = task_spec_origin(json_str(mem, json_get(v, STR("origin"))));
}

int64_t task_interrupted(const struct task_info *t)
{
    static const char first[] = "{\"interrupted\":";
    struct str rest = t->result;
    uint64_t n = 0;

    if (!rest.p || !str_starts(rest, str_of(first)))
        return 0;
    rest = str_skip(rest, sizeof(first) - 1);
    str_uint(str_cut(&rest, ','), 1, INT32_MAX, &n);
    return (int64_t)n;
}

struct task_info task_info_of(struct arena *mem, const struct store_task *t)
{
    struct task_info info = {
        .id = arena_str(mem, t->id),
        .context = arena_str(mem, t->context),
        .agent = arena_str(mem, t->agent),
        .model = arena_str(mem, t->model),
        .mode = arena_str(mem, t->mode),
        .session = arena_str(mem, t->session),
        .owner = arena_str(mem, t->owner),
        .text = arena_str(mem, t->text),
        .result = filled(mem, t->result),
        .asks = filled(mem, t->asks),
        .held = t->in_use,
        .created = t->created,
        .updated = t->updated,
        .ended = t->ended,
        .version = t->version,
        .last_seq = t->last_seq,
        .state = TASK_FAILED,
    };

    read_spec(mem, arena_str(mem, t->spec), &info);
    task_state_named(t->state, &info.state);
    return info;
}

static bool is_expired(const struct task_engine *g, const struct store_task *t)
{
    return t->final && t->expires && t->expires <= loop_wall(g->loop);
}

bool task_visible(struct task_engine *g, const struct store_task *t, struct str owner,
                  struct err *e)
{
    if (!is_expired(g, t) && (!owner.p || str_eq(owner, t->owner)))
        return true;
    return fail(e, ERR_NOT_FOUND, "there is no task " STR_FMT, STR_ARG(str_head(t->id, 40)));
}

/* ---- the engine ------------------------------------------------------------------------------ */

struct task_engine *task_engine_new(const struct task_engine_opts *opts)
{
    struct task_engine *g = MEM_NEW(struct task_engine);

    g->opts = *opts;
    g->loop = opts->world->loop;
    g->limits = opts->world->limits;
    g->store = opts->world->store;
    return g;
}

struct task_run *task_engine_find(struct task_engine *g, struct str id)
{
    struct task_run *r = g->runs;

    while (r && !str_eq(str_of(r->id), id))
        r = r->next;
    return r;
}

static void on_closed(struct post *p)
{
    struct task_engine *g = CONTAINER_OF(p, struct task_engine, closed);
    void (*done)(void *ctx) = g->done;
    void *ctx = g->ctx;

    mem_free(g);
    if (done)
        done(ctx);
}

void task_engine_settled(struct task_engine *g)
{
    if (g->closing && !g->runs && !g->followers && !g->feeds.first && !g->requests && !g->others)
        loop_post(g->loop, &g->closed);
}

void task_engine_close(struct task_engine *g, void (*done)(void *ctx), void *ctx)
{
    g->closing = true;
    g->done = done;
    g->ctx = ctx;
    g->closed.fn = on_closed;
    task_recover_stop(g);
    task_followers_close(g);
    task_feeds_close(g);
    task_requests_close(g);
    task_away_close(g);
    for (struct task_run *r = g->runs; r; r = r->next)
        task_run_park(r);
    task_engine_settled(g);
}

/* ---- listing --------------------------------------------------------------------------------- */

struct listing {
    struct task_engine *engine;
    struct task_list *list;
    struct store_ask ask;
    struct store_step step;
};

/* The store request in flight settles, and that settles the op. */
static void cancel_list(struct op *op)
{
    (void)op;
}

static const struct op_kind list_kind = { .name = "list tasks", .cancel = cancel_list };

static void fill_list(struct listing *s)
{
    const struct store_task_page *p = &s->step.tasks;
    struct task_list *l = s->list;

    l->v = ARENA_ARRAY(&l->mem, struct task_info, p->n ? p->n : 1);
    l->n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!is_expired(s->engine, &p->v[i]))
            l->v[l->n++] = task_info_of(&l->mem, &p->v[i]);
    l->cursor = p->cursor;
    l->more = p->more;
}

static void on_listed(struct op *op, const struct err *e, void *ctx)
{
    struct listing *s = ctx;
    struct task_list *l = s->list;
    struct task_engine *g = s->engine;

    (void)op;
    if (!e)
        fill_list(s);
    store_ask_fini(&s->ask);
    mem_free(s);
    if (e)
        op_fail(&l->op, e);
    else
        op_ok(&l->op);
    g->others--;
    task_engine_settled(g);
}

void task_list(struct task_engine *g, struct task_list *l, struct op *parent, op_done_fn *done,
               void *ctx)
{
    struct listing *s;

    op_begin(&l->op, &list_kind, g->loop, parent, done, ctx);
    if (g->closing) {
        op_fail(&l->op, &(struct err){ ERR_CLOSED, "trefoil is shutting down" });
        return;
    }
    s = MEM_NEW(struct listing);
    s->engine = g;
    s->list = l;
    s->step = (struct store_step){ .what = STORE_TASKS,
                                   .tasks = { .owner = l->owner,
                                              .context = l->context,
                                              .agent = l->agent,
                                              .only_live = l->only_live,
                                              .only_asking = l->only_asking,
                                              .cursor = l->cursor,
                                              .most = l->most } };
    s->ask = (struct store_ask){ .step = &s->step, .steps = 1 };
    g->others++;
    store_start(g->store, &s->ask, &l->op, on_listed, s);
}
