/*
 * task_away.c - tasks that processes of their own work on (`isolate`), seen from who has started them.
 *
 * The task is stored as ours, then its token is given away: the child takes the task by it, and from
 * then on we are like any other process that looks at the store. Cancelling goes by the store, too.
 * When the child has gone the task is taken back; one that has not ended fails, and is not begun
 * again: what ended its process might do so again.
 */
#include "core/task_parts.h"

#include "base/mem.h"

bool task_wants_away(const struct task_engine *g, const struct task_spec *spec)
{
    return g->opts.isolate && !g->closing && spec->isolate;
}

bool task_away_find(const struct task_engine *g, struct str id)
{
    for (const struct task_away *a = g->away; a; a = a->next)
        if (str_eq(str_of(a->id), id))
            return true;
    return false;
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

void task_away_free(struct task_away *a)
{
    struct task_engine *g = a->engine;
    struct task_away **at = &g->away;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    mem_free(a);
    g->others--;
    task_engine_settled(g);
}

/* A process that stops leaves its tasks to who comes next. */
void task_away_ended(struct task_away *a, const char *how)
{
    struct err why;

    a->child = NULL;
    if (a->engine->closing) {
        task_away_free(a);
        return;
    }
    fail(&why, ERR_CLOSED, "the process that worked on it has gone: %s", how);
    task_fail_away(a, &why);
}

void task_away_close(struct task_engine *g)
{
    for (struct task_away *a = g->away; a; a = a->next)
        if (a->child)
            g->opts.isolate->stop(g->opts.isolate, a);
}
