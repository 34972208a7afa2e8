/* Timers: the heap against a sorted model, and time that the test owns. */
#include "base/container.h"
#include "loop/timer_heap.h"

#include "tap.h"

enum { TIMERS = 300, STEPS = 40000 };

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static bool heap_is_sound(const struct timer_heap *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->at[i]->slot != i + 1)
            return false;
        if (i && h->at[(i - 1) / 2]->due > h->at[i]->due)
            return false;
    }
    return true;
}

/* The model: which are set, and the earliest by looking at all. */
static int64_t earliest(const struct timer *t)
{
    int64_t due = INT64_MAX;

    for (int i = 0; i < TIMERS; i++)
        if (timer_is_set(&t[i]) && t[i].due < due)
            due = t[i].due;
    return due;
}

TEST(the_heap_yields_the_earliest_under_random_puts_and_drops)
{
    struct timer_heap h = { 0 };
    static struct timer t[TIMERS];
    uint32_t seed = 2463534242u, held = 0;
    bool sound = true, first = true;

    for (int i = 0; i < STEPS; i++) {
        struct timer *one = &t[next_random(&seed) % TIMERS];

        if (timer_is_set(one)) {
            timer_heap_drop(&h, one);
            held--;
        } else {
            one->due = next_random(&seed) % 100; /* many equal ones */
            timer_heap_put(&h, one);
            held++;
        }
        sound = sound && h.count == held && (i % 64 || heap_is_sound(&h));
        first = first && (held == 0 || timer_heap_first(&h)->due == earliest(t));
    }
    OK(sound);
    OK(first);
    timer_heap_fini(&h);
}

TEST(draining_the_heap_yields_sorted_times)
{
    struct timer_heap h = { 0 };
    static struct timer t[TIMERS];
    uint32_t seed = 7;
    int64_t last = -1;
    bool sorted = true;

    for (int i = 0; i < TIMERS; i++) {
        t[i].due = next_random(&seed) % 1000;
        timer_heap_put(&h, &t[i]);
    }
    for (int i = 0; i < TIMERS; i++) {
        struct timer *one = timer_heap_first(&h);

        sorted = sorted && one->due >= last;
        last = one->due;
        timer_heap_drop(&h, one);
    }
    OK(sorted);
    OK(!timer_heap_first(&h));
    timer_heap_fini(&h);
}

/* ---- on a loop --------------------------------------------------------------------------- */

struct bell {
    struct timer timer;
    struct loop *loop;
    int rings;
    int64_t rang_at;
    int64_t again; /* set itself again after this long; -1: not */
    struct bell *clears;
};

static void on_ring(struct timer *t)
{
    struct bell *b = CONTAINER_OF(t, struct bell, timer);

    OK(!timer_is_set(t));
    b->rings++;
    b->rang_at = loop_now(b->loop);
    if (b->clears)
        timer_clear(b->loop, &b->clears->timer);
    if (b->again >= 0)
        timer_set(b->loop, t, b->again, on_ring);
}

static struct bell bell(struct loop *loop)
{
    return (struct bell){ .loop = loop, .again = -1, .rang_at = -1 };
}

TEST(the_fake_clock_stands_still_until_it_is_moved)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop);
    int64_t wall = loop_wall(loop);

    timer_set(loop, &a.timer, 10, on_ring);
    loop_run_once(loop);
    EQ(loop_now(loop), 0);
    loop_advance(loop, 9);
    EQ(a.rings, 0);
    loop_advance(loop, 1);
    EQ(a.rings, 1);
    EQ(loop_now(loop), 10);
    EQ(loop_wall(loop) - wall, 10);
    loop_free(loop);
}

TEST(timers_fire_in_order_and_each_sees_its_own_time)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop), b = bell(loop), c = bell(loop);

    timer_set(loop, &b.timer, 20, on_ring);
    timer_set(loop, &a.timer, 10, on_ring);
    timer_set(loop, &c.timer, 30, on_ring);
    loop_advance(loop, 100);
    EQ(a.rang_at, 10);
    EQ(b.rang_at, 20);
    EQ(c.rang_at, 30);
    EQ(loop_now(loop), 100);
    loop_free(loop);
}

TEST(setting_a_set_timer_moves_it_both_ways)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop), b = bell(loop);

    timer_set(loop, &a.timer, 10, on_ring);
    timer_set(loop, &a.timer, 50, on_ring);
    timer_set(loop, &b.timer, 50, on_ring);
    timer_set(loop, &b.timer, 10, on_ring);
    loop_advance(loop, 100);
    EQ(a.rings, 1);
    EQ(a.rang_at, 50);
    EQ(b.rings, 1);
    EQ(b.rang_at, 10);
    loop_free(loop);
}

TEST(a_callback_may_clear_one_that_falls_due_at_the_same_time)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop), b = bell(loop);

    a.clears = &b;
    b.clears = &a;
    timer_set(loop, &a.timer, 10, on_ring);
    timer_set(loop, &b.timer, 10, on_ring);
    loop_advance(loop, 10);
    EQ(a.rings + b.rings, 1);
    OK(!timer_is_set(&a.timer) && !timer_is_set(&b.timer));
    timer_clear(loop, &a.timer); /* not set: nothing happens */
    loop_free(loop);
}

TEST(a_timer_set_in_its_own_callback_ticks_on)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop);

    a.again = 10;
    timer_set(loop, &a.timer, 10, on_ring);
    loop_advance(loop, 35);
    EQ(a.rings, 3);
    EQ(a.rang_at, 30);
    timer_clear(loop, &a.timer);
    loop_free(loop);
}

TEST(a_timer_that_sets_itself_to_zero_does_not_hold_the_fake_loop)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct bell a = bell(loop);

    a.again = 0;
    timer_set(loop, &a.timer, 0, on_ring);
    loop_advance(loop, 5);
    EQ(a.rings, 6); /* at 0, 1, ... 5 */
    timer_clear(loop, &a.timer);
    loop_free(loop);
}

static void on_stop(struct timer *t)
{
    loop_stop(CONTAINER_OF(t, struct bell, timer)->loop);
}

TEST(a_timer_that_sets_itself_to_zero_does_not_hold_the_real_loop)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct bell a = bell(loop), stop = bell(loop);

    a.again = 0;
    timer_set(loop, &a.timer, 0, on_ring);
    timer_set(loop, &stop.timer, 5, on_stop);
    loop_run(loop);
    OK(a.rings >= 1);
    timer_clear(loop, &a.timer);
    loop_free(loop);
}

TEST(real_timers_fire_in_order_and_not_early)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct bell a = bell(loop), b = bell(loop), c = bell(loop);
    int64_t from = loop_now(loop);

    timer_set(loop, &c.timer, 12, on_ring);
    timer_set(loop, &a.timer, 3, on_ring); /* earlier than what is armed */
    timer_set(loop, &b.timer, 6, on_ring);
    loop_run(loop); /* ends by itself: no timer is left */
    OK(a.rang_at >= from + 3 && b.rang_at >= from + 6 && c.rang_at >= from + 12);
    OK(a.rang_at <= b.rang_at && b.rang_at <= c.rang_at);
    loop_free(loop);
}

TEST(a_cleared_real_timer_leaves_the_later_ones_in_place)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct bell a = bell(loop), b = bell(loop);

    timer_set(loop, &a.timer, 2, on_ring);
    timer_set(loop, &b.timer, 8, on_ring);
    timer_clear(loop, &a.timer);
    loop_run(loop);
    EQ(a.rings, 0);
    EQ(b.rings, 1);
    timer_set(loop, &a.timer, 1, on_ring);
    timer_clear(loop, &a.timer);
    loop_run(loop); /* nothing is left: returns at once */
    EQ(a.rings, 0);
    loop_free(loop);
}

TEST_MAIN()
