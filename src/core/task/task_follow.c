/*
 * task_follow.c - delivers the events of one task to a follower.
 *
 *   WAITING   READS_MOST other followers are reading
 *   READING   a page of events is being read, together with the task
 *   IDLE      all stored events were delivered. New events of a run in this process are delivered
 *             directly; for a task of another process, a timer reads the store again
 *   FULL      the follower has paused. No events are buffered for it, because the store has them
 *
 * IDLE and FULL change to READING, perhaps by way of WAITING, when there is an event that was not
 * delivered. The limit keeps the memory of a thousand followers that arrive together small.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "core/task/task_engine.h"
#include "core/task/task_followers.h"
#include "core/task/task_run.h"

enum { READS_MOST = 16 };

enum follower_state { WAITING, READING, IDLE, FULL };

/*
 * Allocated only during a read: there may be thousands of followers, and nearly all of them are
 * idle.
 */
struct reading {
    struct store_ask ask;
    struct store_step step[2];
};

struct task_follower {
    struct task_watch *watch;
    struct task_engine *engine;
    struct task_follower *next, *next_waiting;
    char id[ID_TEXT];
    struct reading *reading;
    enum follower_state state;
    bool again; /* an event was stored during the read */
    struct timer look;
};

/* ---- the end --------------------------------------------------------------------------------- */

static void unlink_follower(struct task_follower *f)
{
    LIST_UNLINK(f->engine->followers, f, next);
    if (f->state == WAITING)
        LIST_UNLINK(f->engine->waiting, f, next_waiting);
    if (f->engine->hears_next == f)
        f->engine->hears_next = f->next;
}

static void start_reading(struct task_follower *f);

static void end_reading(struct task_follower *f)
{
    struct task_engine *g = f->engine;
    struct task_follower *next = g->waiting;

    if (!f->reading)
        return;
    store_ask_fini(&f->reading->ask);
    mem_free(f->reading);
    f->reading = NULL;
    g->reads--;
    if (!next)
        return;
    g->waiting = next->next_waiting;
    start_reading(next);
}

/* e NULL: all events were delivered. */
static void follower_settle(struct task_follower *f, const struct err *e)
{
    struct task_watch *w = f->watch;
    struct task_engine *g = f->engine;

    unlink_follower(f);
    timer_clear(g->loop, &f->look);
    end_reading(f);
    w->state = NULL;
    mem_free(f);
    if (e)
        op_fail(&w->op, e);
    else
        op_ok(&w->op);
    task_engine_settled(g);
}

static void settle_as(struct task_follower *f, enum err_code code, const char *why)
{
    struct err e;

    fail(&e, code, "%s", why);
    follower_settle(f, &e);
}

static void cancel_watch(struct op *op)
{
    struct task_follower *f = CONTAINER_OF(op, struct task_watch, op)->state;

    if (f && f->state != READING) /* the read in flight checks when it ends */
        settle_as(f, ERR_CANCELED, "cancelled");
}

static const struct op_kind watch_kind = { .name = "watch task", .cancel = cancel_watch };

/* ---- reporting ------------------------------------------------------------------------------- */

static void read_on(struct task_follower *f);

static void rest(struct task_follower *f);

/* A task that runs in this process needs no read: its run delivers the events. */
static void on_look(struct timer *t)
{
    struct task_follower *f = CONTAINER_OF(t, struct task_follower, look);

    if (task_engine_find(f->engine, str_of(f->id)))
        rest(f);
    else
        read_on(f);
}

/* Deliver an event. False: no further event now. */
static bool follower_deliver(struct task_follower *f, const struct store_event *ev, int64_t seq)
{
    struct task_watch *w = f->watch;

    if (w->op.canceled || f->engine->closing)
        return false;
    w->after = seq;
    if (w->event(w, seq, ev->at, ev->kind, ev->body))
        return true;
    f->state = FULL;
    return false;
}

static void rest(struct task_follower *f)
{
    f->state = IDLE;
    timer_set(f->engine->loop, &f->look, f->engine->limits->task_look_ms, on_look);
}

static bool is_over(struct task_follower *f)
{
    if (f->watch->op.canceled)
        settle_as(f, ERR_CANCELED, "cancelled");
    else if (f->engine->closing)
        settle_as(f, ERR_CLOSED, "trefoil is shutting down; you can follow the task again later");
    else
        return false;
    return true;
}

static void tell_page(struct task_follower *f, bool more, bool final)
{
    const struct store_event_page *p = &f->reading->step[1].events;
    bool full = false;

    for (size_t i = 0; i < p->n && !full; i++)
        full = !follower_deliver(f, &p->v[i], p->v[i].seq);
    end_reading(f);
    if (is_over(f) || full)
        return;
    if (more || f->again)
        read_on(f);
    else if (final)
        follower_settle(f, NULL);
    else
        rest(f);
}

static void on_read(struct op *op, const struct err *e, void *ctx)
{
    struct task_follower *f = ctx;
    const struct store_task *t = &f->reading->step[0].task;
    struct err bad;

    (void)op;
    if (e || !task_visible(f->engine, t, f->watch->owner, &bad)) {
        bad = e ? *e : bad;
        follower_settle(f, &bad);
        return;
    }
    tell_page(f, f->reading->step[1].events.more, t->final);
}

/*
 * Read the task and its events in one request, so that a final state arrives with its last event.
 */
static void start_reading(struct task_follower *f)
{
    struct reading *r = MEM_NEW(struct reading);

    f->engine->reads++;
    f->state = READING;
    f->again = false;
    f->reading = r;
    r->step[0] = (struct store_step){ .what = STORE_TASK_LOAD, .task = { .id = str_of(f->id) } };
    r->step[1] = (struct store_step){
        .what = STORE_TASK_EVENTS,
        .events = { .session = str_of(f->id), .after = f->watch->after },
    };
    r->ask = (struct store_ask){ .step = r->step, .steps = 2 };
    store_start(f->engine->store, &r->ask, &f->watch->op, on_read, f);
}

static void read_on(struct task_follower *f)
{
    struct task_follower **end = &f->engine->waiting;

    timer_clear(f->engine->loop, &f->look);
    if (f->engine->reads < READS_MOST) {
        start_reading(f);
        return;
    }
    while (*end)
        end = &(*end)->next_waiting;
    f->next_waiting = NULL;
    *end = f;
    f->state = WAITING;
}

/* ---- new events ------------------------------------------------------------------------------ */

static void hear(struct task_follower *f, struct task_run *r, const struct store_event *v, size_t n,
                 int64_t first)
{
    bool full = false;

    if (f->watch->after != first - 1) {
        read_on(f);
        return;
    }
    f->state = READING; /* the callback may cancel the follower */
    for (size_t i = 0; i < n && !full; i++)
        full = !follower_deliver(f, &v[i], first + (int64_t)i);
    if (is_over(f) || full)
        return;
    if (task_state_final(r->state) && f->watch->after == r->log.seq && !r->log.n)
        follower_settle(f, NULL);
    else
        rest(f);
}

static void fall_behind(struct task_follower *f, const struct task_run *r)
{
    if (r->log.seq - f->watch->after > f->engine->limits->task_watch_events)
        settle_as(f, ERR_LIMIT,
                  "the subscriber is more than limits.task_watch_events events behind; resume from "
                  "the last event received");
}

/* A callback may end any follower, so g->hears_next holds the next one. */
void task_followers_hear(struct task_run *r, const struct store_event *v, size_t n, int64_t first)
{
    struct task_engine *g = r->engine;

    for (struct task_follower *f = g->followers; f; f = g->hears_next) {
        g->hears_next = f->next;
        if (!str_eq(str_of(f->id), str_of(r->id)))
            continue;
        if (f->state == READING)
            f->again = true;
        else if (f->state == FULL)
            fall_behind(f, r);
        else if (f->state == IDLE)
            hear(f, r, v, n, first);
    }
}

/* ---- subscribing ----------------------------------------------------------------------------- */

void task_watch(struct task_engine *g, struct task_watch *w, struct op *parent, op_done_fn *done,
                void *ctx)
{
    struct task_follower *f = MEM_NEW(struct task_follower);

    f->watch = w;
    f->engine = g;
    f->next = g->followers;
    g->followers = f;
    w->state = f;
    op_begin(&w->op, &watch_kind, g->loop, parent, done, ctx);
    if (g->closing)
        settle_as(f, ERR_CLOSED, "trefoil is shutting down");
    else if (!str_to_c(w->id, f->id, sizeof(f->id)))
        settle_as(f, ERR_NOT_FOUND, "there is no such task");
    else
        read_on(f);
}

void task_watch_more(struct task_watch *w)
{
    struct task_follower *f = w->state;

    if (f && f->state == FULL)
        read_on(f);
}

void task_followers_close(struct task_engine *g)
{
    struct task_follower *next;

    for (struct task_follower *f = g->followers; f; f = next) {
        next = f->next;
        if (f->state != READING)
            settle_as(f, ERR_CLOSED,
                      "trefoil is shutting down; you can follow the task again later");
    }
}
