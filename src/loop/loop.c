#include "loop/loop.h"

#include "base/clock.h"
#include "base/mem.h"
#include "loop/timer_heap.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <uv.h>

enum { SCRATCH_BYTES = 64 << 10, PASSES_PER_TURN = 32 };

static const int64_t NEVER = INT64_MAX;

struct queue {
    struct post *first, **tail;
};

struct loop_signal {
    uv_signal_t uv;
    loop_signal_fn *fn;
    void *ctx;
    struct loop_signal *next;
};

struct loop {
    uv_loop_t uv;
    uv_timer_t tick;     /* armed for the earliest timer, or for one that was cleared since */
    uv_prepare_t before; /* a turn before waiting */
    uv_check_t after;    /* a turn after waiting */
    uv_idle_t busy;      /* active while posts are left: do not wait */
    struct queue posts, flushes;
    struct timer_heap timers;
    struct loop_signal *signals;
    int64_t armed_for; /* when tick fires, or NEVER */
    bool firing;       /* a timer's callback is on the stack */
    bool stopped;      /* loop_stop was called, and loop_run has not returned since */
    bool fake;
    int64_t fake_now, fake_wall;
    char scratch[SCRATCH_BYTES];
};

/* ---- queues ----------------------------------------------------------------------------- */

static void queue_init(struct queue *q)
{
    q->first = NULL;
    q->tail = &q->first;
}

static void queue_put(struct queue *q, struct post *p)
{
    if (p->queued)
        return;
    p->next = NULL;
    p->queued = true;
    *q->tail = p;
    q->tail = &p->next;
}

static struct post *queue_take(struct queue *q)
{
    struct post *p = q->first;

    if (!p)
        return NULL;
    q->first = p->next;
    if (!q->first)
        q->tail = &q->first;
    p->queued = false;
    return p;
}

static bool queue_drop(struct queue *q, struct post *p)
{
    for (struct post **at = &q->first; *at; at = &(*at)->next) {
        if (*at != p)
            continue;
        *at = p->next;
        if (!*at)
            q->tail = at;
        p->queued = false;
        return true;
    }
    return false;
}

void loop_post(struct loop *loop, struct post *p)
{
    queue_put(&loop->posts, p);
}

void loop_post_flush(struct loop *loop, struct post *p)
{
    queue_put(&loop->flushes, p);
}

void loop_unpost(struct loop *loop, struct post *p)
{
    if (p->queued && !queue_drop(&loop->posts, p))
        queue_drop(&loop->flushes, p);
}

/*
 * Deliver what is queued now. A marker ends the pass, so what a callback posts waits for the
 * next one and nothing can starve the rest, while loop_unpost still finds everything.
 */
static void deliver_pass(struct loop *loop)
{
    struct post marker = { 0 }, *p;

    queue_put(&loop->posts, &marker);
    while ((p = queue_take(&loop->posts)) != &marker)
        p->fn(p);
}

static void on_busy(uv_idle_t *h)
{
    (void)h; /* being active is all it does */
}

static void turn(struct loop *loop)
{
    struct post *p;

    for (int i = 0; i < PASSES_PER_TURN && loop->posts.first; i++)
        deliver_pass(loop);
    while ((p = queue_take(&loop->flushes)))
        p->fn(p);
    if (loop->posts.first)
        uv_idle_start(&loop->busy, on_busy);
    else
        uv_idle_stop(&loop->busy);
}

static void on_before(uv_prepare_t *h)
{
    turn(h->data);
}

static void on_after(uv_check_t *h)
{
    turn(h->data);
}

/* ---- life ------------------------------------------------------------------------------- */

struct loop *loop_new(enum loop_clock clock)
{
    struct loop *loop = mem_alloc(sizeof(*loop)); /* scratch stays untouched until used */

    signal(SIGPIPE, SIG_IGN); /* a reader that left is an error code, not our end */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file that has become too large */
    memset(loop, 0, offsetof(struct loop, scratch));
    if (uv_loop_init(&loop->uv))
        abort();
    uv_timer_init(&loop->uv, &loop->tick);
    uv_prepare_init(&loop->uv, &loop->before);
    uv_check_init(&loop->uv, &loop->after);
    uv_idle_init(&loop->uv, &loop->busy);
    loop->tick.data = loop->before.data = loop->after.data = loop;
    uv_prepare_start(&loop->before, on_before);
    uv_check_start(&loop->after, on_after);
    uv_unref((uv_handle_t *)&loop->before);
    uv_unref((uv_handle_t *)&loop->after);
    queue_init(&loop->posts);
    queue_init(&loop->flushes);
    loop->armed_for = NEVER;
    loop->fake = clock == LOOP_FAKE_CLOCK;
    loop->fake_wall = 1767225600000; /* 2026-01-01 */
    return loop;
}

static void close_own_handles(struct loop *loop)
{
    uv_close((uv_handle_t *)&loop->tick, NULL);
    uv_close((uv_handle_t *)&loop->before, NULL);
    uv_close((uv_handle_t *)&loop->after, NULL);
    uv_close((uv_handle_t *)&loop->busy, NULL);
    for (struct loop_signal *s = loop->signals; s; s = s->next)
        uv_close((uv_handle_t *)&s->uv, NULL);
}

void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    close_own_handles(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    if (uv_loop_close(&loop->uv)) {
        uv_print_all_handles(&loop->uv, stderr);
        abort(); /* a component did not close what it opened */
    }
    while (loop->signals) {
        struct loop_signal *next = loop->signals->next;

        mem_free(loop->signals);
        loop->signals = next;
    }
    timer_heap_fini(&loop->timers);
    mem_free(loop);
}

/* libuv leaves when no handle is active, which may be right after the last close has posted. */
void loop_run(struct loop *loop)
{
    do {
        turn(loop);
        uv_run(&loop->uv, UV_RUN_DEFAULT);
    } while (!loop->stopped && (loop->posts.first || loop->flushes.first));
    loop->stopped = false;
}

void loop_stop(struct loop *loop)
{
    loop->stopped = true;
    uv_stop(&loop->uv);
}

bool loop_run_once(struct loop *loop)
{
    turn(loop);
    uv_run(&loop->uv, UV_RUN_NOWAIT);
    return loop->posts.first != NULL;
}

void *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

struct loop_scratch loop_scratch(struct loop *loop)
{
    return (struct loop_scratch){ loop->scratch, SCRATCH_BYTES };
}

/* ---- time ------------------------------------------------------------------------------- */

int64_t loop_now(const struct loop *loop)
{
    return loop->fake ? loop->fake_now : (int64_t)uv_now(&loop->uv);
}

int64_t loop_wall(const struct loop *loop)
{
    return loop->fake ? loop->fake_wall : clock_wall_ms();
}

static void on_tick(uv_timer_t *h);

/*
 * The tick is moved only when a timer falls due earlier, and not stopped with the last timer:
 * setting and clearing a deadline, which every call does, then costs next to nothing. Firing too
 * early is harmless. Without timers the tick is no reason to stay.
 */
static void arm(struct loop *loop)
{
    struct timer *first = timer_heap_first(&loop->timers);
    int64_t wait;

    if (loop->fake)
        return;
    if (!first) {
        uv_unref((uv_handle_t *)&loop->tick);
        return;
    }
    uv_ref((uv_handle_t *)&loop->tick);
    if (first->due >= loop->armed_for)
        return;
    wait = first->due - loop_now(loop);
    loop->armed_for = first->due;
    uv_timer_start(&loop->tick, on_tick, wait > 0 ? (uint64_t)wait : 0, 0);
}

static bool fire_first_due(struct loop *loop, int64_t now)
{
    struct timer *t = timer_heap_first(&loop->timers);

    if (!t || t->due > now)
        return false;
    timer_heap_drop(&loop->timers, t);
    loop->firing = true;
    t->fn(t);
    loop->firing = false;
    return true;
}

static void on_tick(uv_timer_t *h)
{
    struct loop *loop = h->data;
    int64_t now = loop_now(loop);

    loop->armed_for = NEVER;
    while (fire_first_due(loop, now))
        ;
    arm(loop);
}

void timer_set(struct loop *loop, struct timer *t, int64_t ms, void (*fn)(struct timer *t))
{
    if (t->slot)
        timer_heap_drop(&loop->timers, t);
    if (ms <= 0)
        ms = loop->firing; /* the next tick: one that sets itself to 0 must not hold the loop */
    t->due = loop_now(loop) + ms;
    t->fn = fn;
    timer_heap_put(&loop->timers, t);
    arm(loop);
}

void timer_clear(struct loop *loop, struct timer *t)
{
    if (!t->slot)
        return;
    timer_heap_drop(&loop->timers, t);
    if (!loop->timers.count)
        arm(loop);
}

void loop_advance(struct loop *loop, int64_t ms)
{
    int64_t until = loop->fake_now + ms;

    assert(loop->fake);
    for (;;) {
        struct timer *t = timer_heap_first(&loop->timers);
        int64_t next = t && t->due < until ? t->due : until;

        if (next > loop->fake_now) {
            loop->fake_wall += next - loop->fake_now;
            loop->fake_now = next;
        }
        if (!fire_first_due(loop, loop->fake_now))
            break;
        while (loop_run_once(loop))
            ;
    }
}

/* ---- signals ---------------------------------------------------------------------------- */

static void on_signal(uv_signal_t *h, int signum)
{
    struct loop_signal *s = h->data;

    s->fn(signum, s->ctx);
}

bool loop_on_signal(struct loop *loop, int signum, loop_signal_fn *fn, void *ctx, struct err *e)
{
    struct loop_signal *s = MEM_NEW(struct loop_signal);
    int rc;

    uv_signal_init(&loop->uv, &s->uv);
    s->uv.data = s;
    s->fn = fn;
    s->ctx = ctx;
    s->next = loop->signals;
    loop->signals = s;
    uv_unref((uv_handle_t *)&s->uv); /* waiting for a signal is no reason to stay */
    rc = uv_signal_start(&s->uv, on_signal, signum);
    return rc == 0 || fail(e, ERR_SYSTEM, "watch for signal %d: %s", signum, uv_strerror(rc));
}
