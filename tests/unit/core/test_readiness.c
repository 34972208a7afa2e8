#include "core/readiness.h"
#include "tap.h"

struct agent_registry {
    struct loop *loop;
    struct limits limits;
    struct readiness readiness;
    struct readiness_wait a, b;
    int done, failed;
};

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct agent_registry *d = ctx;

    (void)op;
    d->done++;
    d->failed += e != NULL;
}

static void turn(struct agent_registry *d)
{
    while (loop_run_once(d->loop))
        ;
}

static void begin(struct agent_registry *d)
{
    *d = (struct agent_registry){ .loop = loop_new(LOOP_FAKE_CLOCK), .readiness.open = true };
    limits_preset(&d->limits);
    readiness_wait(&d->readiness, &d->a, d->loop, &d->limits, NULL, on_done, d);
    readiness_wait(&d->readiness, &d->b, d->loop, &d->limits, NULL, on_done, d);
    turn(d);
}

TEST(who_waits_hears_when_all_is_there)
{
    struct agent_registry d;

    begin(&d);
    EQ(d.done, 0);
    readiness_end(&d.readiness);
    turn(&d);
    EQ(d.done, 2);
    EQ(d.failed, 0);
    OK(!d.readiness.open);
    loop_free(d.loop);
}

TEST(nobody_waits_longer_than_gather_ms)
{
    struct agent_registry d;

    begin(&d);
    loop_advance(d.loop, d.limits.gather_ms - 1);
    turn(&d);
    EQ(d.done, 0);
    loop_advance(d.loop, 1);
    turn(&d);
    EQ(d.done, 2);
    OK(!d.readiness.waits);
    loop_free(d.loop);
}

TEST(a_wait_can_be_cancelled)
{
    struct agent_registry d;

    begin(&d);
    op_cancel(&d.a.op);
    turn(&d);
    EQ(d.done, 1);
    EQ(d.failed, 1);
    readiness_end(&d.readiness);
    turn(&d);
    EQ(d.done, 2);
    EQ(d.failed, 1);
    loop_free(d.loop);
}

TEST_MAIN()
