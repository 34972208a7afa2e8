/*
 * task_recover.c - finds tasks whose process has died, takes them over and resumes them.
 *
 * The session shows how far the task got: the id of the prompt is the id of the task. A turn
 * without an end is resumed. If the turn ended as cancelled although the task was not cancelled,
 * the agent cannot resume turns and was stopped together with its process. Then the agent gets a
 * new prompt.
 */
#include "core/task/task_recover.h"

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/task/task_engine.h"
#include "core/task/task_isolated.h"
#include "core/task/task_result.h"
#include "core/task/task_run.h"
#include "core/task/task_spec.h"

/* ---- progress of the turn -------------------------------------------------------------------- */

struct retold {
    struct work_client client; /* first */
    struct task_run *run;
    bool prompted, ended;
    struct event_end end;
};

static void on_told(struct work_client *c, const struct event *ev)
{
    struct retold *t = CONTAINER_OF(c, struct retold, client);

    if (ev->kind == EVENT_PROMPT && str_eq(ev->message, str_of(t->run->id))) {
        t->prompted = true;
        t->ended = false;
    } else if (t->prompted && (ev->kind == EVENT_TOOL || ev->kind == EVENT_ARTIFACT)) {
        task_run_made(t->run, ev);
    } else if (t->prompted && ev->kind == EVENT_END) {
        t->ended = true;
        t->end = ev->end;
        t->end.text = arena_maybe(&t->run->mem, ev->end.text);
    }
}

static const struct work_client_kind retold_kind = { .event = on_told };

static const char go_on[] =
    "trefoil was stopped while you worked on this task and has now restarted. Check what is "
    "already done, then continue where you stopped.";

void task_run_recover(struct task_run *r)
{
    struct retold t = { .client = { &retold_kind }, .run = r };

    session_tell(&r->session, &t.client);
    if (!t.prompted) {
        task_run_prompt(r);
    } else if (r->session.interrupted) {
        task_run_resume(r);
    } else if (t.ended && t.end.stop == TURN_CANCELED) {
        task_run_prompt_text(r, str_of(go_on));
    } else {
        r->stop = t.ended ? t.end.stop : TURN_FAILED;
        r->outcome = r->stop == TURN_END ? TASK_COMPLETED : TASK_FAILED;
        r->why = t.end.text;
        r->answer = arena_str(&r->mem, history_answer_to(r->session.history, str_of(r->id)));
        r->interrupted = history_interrupted(r->session.history, str_of(r->id));
        task_run_turned(r);
    }
}

/* ---- taking a task --------------------------------------------------------------------------- */

struct taking {
    struct task_engine *engine;
    struct store_ask ask;
    struct store_step step;
    char id[ID_TEXT];
    bool here;              /* work on it in this process, even if the spec says `isolate` */
    struct task_away *away; /* the isolated task whose child has ended; else NULL */
    void (*then)(void *ctx, const struct err *e); /* or NULL */
    void *ctx;
};

static void fill_run(struct task_run *r, const struct store_task *t)
{
    str_to_c(t->id, r->id, sizeof(r->id));
    str_to_c(t->session, r->session_id, sizeof(r->session_id));
    r->context = arena_str(&r->mem, t->context);
    r->owner = arena_str(&r->mem, t->owner);
    r->fence = t->fence;
    r->created = t->created;
    r->log.seq = t->last_seq;
    r->halt = t->canceled ? HALT_CANCELED : HALT_NONE;
    if (!task_state_named(t->state, &r->state) || task_state_final(r->state))
        r->state = TASK_WORKING;
}

/* The outcome of an interrupted tool call is unknown, so the tool is never run again. */
static const char lost_call[] = " did not finish: the process that ran it was stopped or killed. "
                                "Its effects until then remain, and the call is not run again";

/*
 * Was the task taken too often? The child of an isolated task does not check: it takes the task
 * right after the process that started it.
 */
static bool is_worn_out(const struct taking *k)
{
    return !k->here && k->step.task.fence - 1 > k->engine->limits->task_takes;
}

/* Why the task cannot be resumed, in mem; STR_NONE: it can. */
static struct str damage_of(const struct taking *k, const struct task_spec *spec, struct arena *mem)
{
    if (k->away)
        return arena_str(mem, str_of(k->away->why.text));
    if (is_worn_out(k))
        return arena_printf(mem,
                            "the task is not resumed again: %lld processes that worked on it have "
                            "ended (the constant task_takes)",
                            (long long)k->step.task.fence - 1);
    if (spec->tool.n)
        return arena_printf(mem, STR_FMT "%s", STR_ARG(utf8_head(spec->tool, 64)), lost_call);
    return STR_NONE;
}

static void adopt(struct task_engine *g, const struct taking *k)
{
    const struct store_task *t = &k->step.task;
    struct arena mem = { 0 };
    struct task_spec spec = { .budget_usd = -1 };
    struct task_run *r;
    struct err e;
    bool ok = task_spec_read(&mem, t->spec, g->limits, &spec, &e);

    r = task_run_new(g, &spec);
    fill_run(r, t);
    r->damage = ok ? damage_of(k, &r->spec, &r->mem) : arena_str(&r->mem, str_of(e.text));
    arena_fini(&mem);
    if (k->here || r->damage.p || r->halt || !task_wants_away(g, &r->spec)) {
        task_run_begin(r);
        return;
    }
    task_away_begin(g, r->id, r->fence);
    task_run_free(r);
}

static void on_taken(struct op *op, const struct err *e, void *ctx)
{
    struct taking *k = ctx;
    struct task_engine *g = k->engine;

    (void)op;
    if (!e)
        adopt(g, k);
    else
        LOG(LOG_DEBUG, "task", "not taken over", LOG_Z("task", k->id), LOG_Z("why", e->text));
    store_ask_fini(&k->ask);
    if (k->away)
        task_away_taken(k->away, e);
    if (k->then)
        k->then(k->ctx, e);
    mem_free(k);
    g->others--;
    task_engine_settled(g);
}

static struct taking *new_taking(struct task_engine *g, struct str id)
{
    struct taking *k = MEM_NEW(struct taking);

    k->engine = g;
    str_to_c(id, k->id, sizeof(k->id));
    return k;
}

static void take(struct taking *k, int64_t fence)
{
    struct task_engine *g = k->engine;

    k->step = (struct store_step){ .what = STORE_TASK_TAKE,
                                   .task = { .id = str_of(k->id), .fence = fence } };
    k->ask = (struct store_ask){ .step = &k->step, .steps = 1 };
    g->others++;
    store_start(g->store, &k->ask, NULL, on_taken, k);
}

void task_recover_one(struct task_engine *g, struct str id)
{
    take(new_taking(g, id), 0);
}

void task_take_over(struct task_engine *g, struct str id, int64_t fence,
                    void (*then)(void *ctx, const struct err *e), void *ctx)
{
    struct taking *k = new_taking(g, id);

    k->here = true;
    k->then = then;
    k->ctx = ctx;
    take(k, fence);
}

void task_fail_away(struct task_away *a)
{
    struct taking *k = new_taking(a->engine, str_of(a->id));

    k->away = a;
    take(k, 0);
}

/* ---- searching ------------------------------------------------------------------------------- */

struct search {
    struct task_engine *engine;
    struct store_ask ask;
    struct store_step step;
};

static void search(struct task_engine *g);

static void on_time(struct timer *t)
{
    struct task_engine *g = CONTAINER_OF(t, struct task_engine, look);

    task_away_look(g);
    search(g);
}

static void on_found(struct op *op, const struct err *e, void *ctx)
{
    struct search *s = ctx;
    struct task_engine *g = s->engine;
    const struct store_task_page *p = &s->step.tasks;

    (void)op;
    if (e)
        LOG(LOG_WARN, "task", "cannot search for tasks to resume", LOG_Z("why", e->text));
    for (size_t i = 0; !e && !g->closing && i < p->n; i++)
        if (!task_engine_find(g, p->v[i].id) && !task_away_find(g, p->v[i].id))
            task_recover_one(g, p->v[i].id);
    store_ask_fini(&s->ask);
    mem_free(s);
    g->others--;
    if (!g->closing)
        timer_set(g->loop, &g->look, g->limits->task_look_ms, on_time);
    task_engine_settled(g);
}

/*
 * One page per search: the tasks of this page are then taken, so the next search finds the others.
 */
static void search(struct task_engine *g)
{
    struct search *s = MEM_NEW(struct search);

    s->engine = g;
    s->step = (struct store_step){ .what = STORE_TASKS_LOST };
    s->ask = (struct store_ask){ .step = &s->step, .steps = 1 };
    g->others++;
    store_start(g->store, &s->ask, NULL, on_found, s);
}

void task_engine_recover(struct task_engine *g)
{
    if (!g->closing && !g->recovers)
        search(g);
    g->recovers = true;
}

void task_recover_stop(struct task_engine *g)
{
    timer_clear(g->loop, &g->look);
}
