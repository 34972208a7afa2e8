#include "core/readiness.h"
#include "tap.h"

struct desk {
    struct loop *loop;
    struct limits limits;
    struct gathering gathering;
    struct gathering_wait a, b;
    int done, failed;
};

static void on_done(struct op *op, const struct err *e, void *who)
{
    struct desk *d = who;

    (void)op;
    d->done++;
    d->failed += e != NULL;
}

static void turn(struct desk *d)
{
    while (loop_run_once(d->loop))
        ;
}

static void begin(struct desk *d)
{
    *d = (struct desk){ .loop = loop_new(LOOP_FAKE_CLOCK), .gathering.open = true };
    limits_preset(&d->limits);
    gathering_wait(&d->gathering, &d->a, d->loop, &d->limits, NULL, on_done, d);
    gathering_wait(&d->gathering, &d->b, d->loop, &d->limits, NULL, on_done, d);
    turn(d);
}

TEST(who_waits_hears_when_all_is_there)
{
    struct desk d;

    begin(&d);
    EQ(d.done, 0);
    gathering_end(&d.gathering);
    turn(&d);
    EQ(d.done, 2);
    EQ(d.failed, 0);
    OK(!d.gathering.open);
    loop_free(d.loop);
}

TEST(nobody_waits_longer_than_gather_ms)
{
    struct desk d;

    begin(&d);
    loop_advance(d.loop, d.limits.gather_ms - 1);
    turn(&d);
    EQ(d.done, 0);
    loop_advance(d.loop, 1);
    turn(&d);
    EQ(d.done, 2);
    OK(!d.gathering.waits);
    loop_free(d.loop);
}

TEST(a_wait_can_be_cancelled)
{
    struct desk d;

    begin(&d);
    op_cancel(&d.a.op);
    turn(&d);
    EQ(d.done, 1);
    EQ(d.failed, 1);
    gathering_end(&d.gathering);
    turn(&d);
    EQ(d.done, 2);
    EQ(d.failed, 1);
    loop_free(d.loop);
}

TEST_MAIN()
