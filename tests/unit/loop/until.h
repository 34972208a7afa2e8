/*
 * until.h - wait for a condition on a loop with the real clock.
 *
 * No test sleeps: it runs the loop until what it waits for is true. The deadline is generous
 * because it is met only by a bug.
 */
#ifndef TESTS_UNTIL_H
#define TESTS_UNTIL_H

#include "base/container.h"
#include "loop/loop.h"

enum { UNTIL_MS = 60000, UNTIL_LOOK_MS = 1 };

struct until {
    struct loop *loop;
    struct timer look;
    bool (*met)(void *ctx);
    void *ctx;
    int64_t give_up;
};

static void until_look(struct timer *t)
{
    struct until *u = CONTAINER_OF(t, struct until, look);

    if (u->met(u->ctx) || loop_now(u->loop) >= u->give_up)
        loop_stop(u->loop);
    else
        timer_set(u->loop, t, UNTIL_LOOK_MS, until_look);
}

/* Run the loop until met(who). False when that takes longer than a minute. */
static bool until(struct loop *loop, bool (*met)(void *ctx), void *ctx)
{
    struct until u = { .loop = loop, .met = met, .ctx = ctx };

    u.give_up = loop_now(loop) + UNTIL_MS;
    timer_set(loop, &u.look, 0, until_look);
    loop_run(loop);
    timer_clear(loop, &u.look);
    return met(ctx);
}

static inline bool until_true(void *flag)
{
    return *(bool *)flag;
}

#endif
