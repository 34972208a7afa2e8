/*
 * task_isolated.c - starts and supervises the child processes of isolated tasks (`isolate`).
 *
 * This process stores the task and passes the fencing token to the child, which uses the token to
 * take the task. After that, this process only reads the task, like any other process, and cancels
 * it through the store. If the child does not end in time, it is killed.
 *
 * When the child has ended, this process takes the task back. If the task is not final, it fails.
 * It is not started again, because it might crash the next process, too. The task stays in the list
 * of this engine until the failure is stored, so that the search for lost tasks does not resume it.
 */
#include "core/task/task_isolated.h"

#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "core/task/task_engine.h"
#include "core/task/task_recover.h"

bool task_wants_away(const struct task_engine *g, const struct task_spec *spec)
{
    return g->opts.isolate && !g->closing && spec->isolate;
}

struct task_away *task_away_find(const struct task_engine *g, struct str id)
{
    struct task_away *a = g->away;

    while (a && !str_eq(str_of(a->id), id))
        a = a->next;
    return a;
}

void task_away_begin(struct task_engine *g, const char *id, int64_t fence)
{
    struct task_away *a = MEM_NEW(struct task_away);
    struct err e;

    str_to_c(str_of(id), a->id, sizeof(a->id));
    a->fence = fence;
    a->engine = g;
    a->next = g->away;
    g->away = a;
    g->others++;
    if (!g->opts.isolate->start(g->opts.isolate, a, &e))
        task_away_ended(a, e.text);
}

static void free_away(struct task_away *a)
{
    struct task_engine *g = a->engine;

    LIST_UNLINK(g->away, a, next);
    timer_clear(g->loop, &a->timer);
    mem_free(a);
    g->others--;
    task_engine_settled(g);
}

/* ---- the end of the child -------------------------------------------------------------------- */

static void on_again(struct timer *t)
{
    task_fail_away(CONTAINER_OF(t, struct task_away, timer));
}

/* A task that is final already, or was deleted, needs no failure. */
void task_away_taken(struct task_away *a, const struct err *e)
{
    struct task_engine *g = a->engine;

    if (!e || e->code == ERR_INVALID || e->code == ERR_NOT_FOUND || g->closing)
        free_away(a);
    else
        timer_set(g->loop, &a->timer, g->limits->task_look_ms, on_again);
}

/* If this process stops, it leaves the task to the next process. */
void task_away_ended(struct task_away *a, const char *how)
{
    a->child = NULL;
    timer_clear(a->engine->loop, &a->timer);
    if (a->engine->closing) {
        free_away(a);
        return;
    }
    fail(&a->why, ERR_CLOSED, "the process that worked on the task has ended: %s", how);
    task_fail_away(a);
}

/* ---- stopping the child ---------------------------------------------------------------------- */

static void stop(struct task_away *a)
{
    a->engine->opts.isolate->stop(a->engine->opts.isolate, a);
}

static void on_overdue(struct timer *t)
{
    stop(CONTAINER_OF(t, struct task_away, timer));
}

/* The child gets the time to notice the cancellation and to stop its own processes. */
void task_away_cancel(struct task_engine *g, struct str id)
{
    struct task_away *a = task_away_find(g, id);
    const struct limits *l = g->limits;

    if (a && a->child && !timer_is_set(&a->timer))
        timer_set(g->loop, &a->timer, l->task_look_ms + l->child_polite_ms + l->child_term_ms,
                  on_overdue);
}

/* A read of the task. The child may have ended before it is done. */
struct look {
    struct task_engine *engine;
    struct store_ask ask;
    struct store_step step;
    char id[ID_TEXT];
};

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct look *l = ctx;
    struct task_engine *g = l->engine;

    (void)op;
    if (!e && l->step.task.canceled && !g->closing)
        task_away_cancel(g, str_of(l->id));
    store_ask_fini(&l->ask);
    mem_free(l);
    g->others--;
    task_engine_settled(g);
}

static void look(struct task_away *a)
{
    struct look *l = MEM_NEW(struct look);

    l->engine = a->engine;
    memcpy(l->id, a->id, sizeof(l->id));
    l->step = (struct store_step){ .what = STORE_TASK_LOAD, .task = { .id = str_of(l->id) } };
    l->ask = (struct store_ask){ .step = &l->step, .steps = 1 };
    a->engine->others++;
    store_start(a->engine->store, &l->ask, NULL, on_looked, l);
}

void task_away_look(struct task_engine *g)
{
    for (struct task_away *a = g->away; a; a = a->next)
        if (a->child && !timer_is_set(&a->timer))
            look(a);
}

void task_away_close(struct task_engine *g)
{
    struct task_away *next;

    for (struct task_away *a = g->away; a; a = next) {
        next = a->next;
        if (a->child)
            stop(a);
        else if (timer_is_set(&a->timer)) /* else an attempt to take it is in flight */
            free_away(a);
    }
}
