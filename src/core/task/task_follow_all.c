/*
 * task_follow_all.c - delivers the events of all tasks to followers.
 *
 * The store numbers the events of all tasks in one order (store_feed_event). One reader serves all
 * followers: it reads from the position of the follower that is furthest behind, and delivers to
 * each follower only what is new to it. It reads when this process has stored an event, and every
 * limits.task_look_ms for events of other processes. No event is kept in memory. A follower that
 * has paused is skipped until it continues; then the reader starts at the position of that
 * follower.
 */
#include "base/container.h"
#include "base/list.h"
#include "core/task/task_engine.h"
#include "core/task/task_followers.h"

bool task_feed_tells(struct str kind)
{
    static const struct str told[] = { STR("status"), STR("ask"), STR("answered"),
                                       STR("artifact") };

    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        if (str_eq(kind, told[i]))
            return true;
    return false;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void feed_settle(struct task_feed *f, enum err_code code, const char *why)
{
    struct err e;

    LIST_UNLINK(f->engine->feeds.first, f, next);
    if (f->engine->feeds.next == f)
        f->engine->feeds.next = f->next;
    f->ended = true;
    fail(&e, code, "%s", why);
    op_fail(&f->op, &e);
    task_engine_settled(f->engine);
}

static void cancel_feed(struct op *op)
{
    struct task_feed *f = CONTAINER_OF(op, struct task_feed, op);

    if (!f->ended)
        feed_settle(f, ERR_CANCELED, "cancelled");
}

static const struct op_kind feed_kind = { .name = "follow tasks", .cancel = cancel_feed };

void task_feeds_close(struct task_engine *g)
{
    timer_clear(g->loop, &g->feeds.look);
    while (g->feeds.first)
        feed_settle(g->feeds.first, ERR_CLOSED, "trefoil is shutting down");
}

/* ---- reporting ------------------------------------------------------------------------------- */

static void feed_begin(struct task_feed *f, const struct store_feed_page *p)
{
    bool gap = f->after > p->last || (f->after >= 0 && f->after + 1 < p->first);

    f->begins = false;
    if (f->after == TASK_FEED_NOW || f->after > p->last)
        f->after = p->last;
    f->begun(f, gap);
}

static void feed_deliver(struct task_feed *f, const struct store_feed_page *p)
{
    for (size_t i = 0; i < p->n && !f->full && !f->ended; i++) {
        const struct store_feed_event *ev = &p->v[i];

        if (ev->n <= f->after)
            continue;
        f->after = ev->n;
        if (!f->owner.p || str_eq(f->owner, ev->owner))
            f->full = !f->event(f, ev);
    }
    if (!f->full && !p->more && f->after < p->last)
        f->after = p->last;
}

/* A callback may end any follower, so g->feeds.next holds the next one. */
static void feed_deliver_all(struct task_engine *g, const struct store_feed_page *p)
{
    for (struct task_feed *f = g->feeds.first; f; f = g->feeds.next) {
        g->feeds.next = f->next;
        if (f->asked && f->begins)
            feed_begin(f, p);
        if (f->asked && !f->ended)
            feed_deliver(f, p);
        if (!f->ended && f->full && p->last - f->after > g->limits->task_watch_events)
            feed_settle(
                f, ERR_LIMIT,
                "the subscriber is more than limits.task_watch_events events behind; resume "
                "from the last event received");
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_on(struct task_engine *g);

static void on_look(struct timer *t)
{
    read_on(CONTAINER_OF(t, struct task_engine, feeds.look));
}

/* After a failure, the timer reads the store again. */
static void on_read(struct op *op, const struct err *e, void *ctx)
{
    struct task_engine *g = ctx;
    struct task_feeds *s = &g->feeds;
    bool more = !e && s->step.feed.more;

    (void)op;
    if (!e)
        feed_deliver_all(g, &s->step.feed);
    store_ask_fini(&s->ask);
    s->reading = false;
    g->others--;
    if (s->first && (more || s->again))
        read_on(g);
    else if (s->first)
        timer_set(g->loop, &s->look, g->limits->task_look_ms, on_look);
    task_engine_settled(g);
}

/* The position of the follower that is furthest behind. */
static int64_t least_known(const struct task_feeds *s)
{
    int64_t least = INT64_MAX;

    for (const struct task_feed *f = s->first; f; f = f->next)
        if (!f->full && f->after != TASK_FEED_NOW && f->after < least)
            least = f->after;
    return least;
}

static void read_on(struct task_engine *g)
{
    struct task_feeds *s = &g->feeds;

    timer_clear(g->loop, &s->look);
    s->again = s->reading;
    if (s->reading)
        return;
    s->reading = true;
    for (struct task_feed *f = s->first; f; f = f->next)
        f->asked = !f->full; /* a paused follower is not part of this read */
    s->step = (struct store_step){ .what = STORE_TASK_FEED, .feed = { .after = least_known(s) } };
    s->ask = (struct store_ask){ .step = &s->step, .steps = 1 };
    g->others++;
    store_start(g->store, &s->ask, NULL, on_read, g);
}

void task_feeds_hear(struct task_engine *g)
{
    if (g->feeds.first)
        read_on(g);
}

/* ---- subscribing ----------------------------------------------------------------------------- */

void task_feed(struct task_engine *g, struct task_feed *f, struct op *parent, op_done_fn *done,
               void *ctx)
{
    f->engine = g;
    f->next = g->feeds.first;
    f->begins = true;
    f->asked = f->full = f->ended = false;
    g->feeds.first = f;
    op_begin(&f->op, &feed_kind, g->loop, parent, done, ctx);
    if (g->closing)
        feed_settle(f, ERR_CLOSED, "trefoil is shutting down");
    else
        read_on(g);
}

void task_feed_more(struct task_feed *f)
{
    if (f->ended || !f->full)
        return;
    f->full = false;
    read_on(f->engine);
}
