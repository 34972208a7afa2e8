/* The loop itself: posting, running and stopping, descriptors, signals, jobs, draining. */
#include "base/container.h"
#include "loop/drain.h"
#include "loop/job.h"
#include "loop/loop.h"

#include "tap.h"
#include "until.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- posts ------------------------------------------------------------------------------- */

struct card {
    struct post post;
    struct loop *loop;
    int calls;
    int repeats;        /* post itself again this many times */
    struct card *posts; /* post this one too */
    struct card *takes; /* take this one back */
    bool stops;
};

static char order[64];

static void deal(struct card *c, struct loop *loop);

static void on_card(struct post *p)
{
    struct card *c = CONTAINER_OF(p, struct card, post);

    OK(!p->queued);
    c->calls++;
    if (c->repeats > 0) {
        c->repeats--;
        loop_post(c->loop, p);
    }
    if (c->posts)
        deal(c->posts, c->loop);
    if (c->takes)
        loop_unpost(c->loop, &c->takes->post);
    if (c->stops)
        loop_stop(c->loop);
}

static void deal(struct card *c, struct loop *loop)
{
    c->loop = loop;
    c->post.fn = on_card;
    loop_post(loop, &c->post);
}

TEST(a_post_is_delivered_once_from_the_loop)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct card a = { 0 };

    deal(&a, loop);
    deal(&a, loop); /* queued already: no effect */
    EQ(a.calls, 0);
    loop_run_once(loop);
    EQ(a.calls, 1);
    loop_run_once(loop);
    EQ(a.calls, 1);
    loop_free(loop);
}

TEST(what_a_post_posts_waits_for_the_next_pass_of_the_same_turn)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct card a = { .repeats = 5 }, b = { 0 };

    deal(&a, loop);
    deal(&b, loop);
    EQ(loop_run_once(loop), false);
    EQ(a.calls, 6);
    EQ(b.calls, 1);
    loop_free(loop);
}

TEST(an_endless_poster_starves_nobody)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct card a = { .repeats = 1000000 }, b = { 0 };

    deal(&a, loop);
    OK(loop_run_once(loop)); /* says that something is left */
    OK(a.calls > 1 && a.calls < 1000);
    deal(&b, loop);
    loop_run_once(loop);
    EQ(b.calls, 1);
    loop_unpost(loop, &a.post);
    OK(!loop_run_once(loop));
    loop_free(loop);
}

TEST(a_post_can_be_taken_back_before_and_during_delivery)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct card a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };

    b.takes = &c;
    deal(&a, loop);
    deal(&b, loop);
    deal(&c, loop);
    loop_unpost(loop, &a.post);
    loop_unpost(loop, &a.post); /* not queued: no effect */
    deal(&d, loop);
    loop_run_once(loop);
    EQ(a.calls, 0);
    EQ(b.calls, 1);
    EQ(c.calls, 0);
    EQ(d.calls, 1);
    deal(&c, loop); /* usable again */
    b.takes = NULL;
    loop_run_once(loop);
    EQ(c.calls, 1);
    loop_free(loop);
}

TEST(taking_back_the_last_post_keeps_the_queue_whole)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct card a = { 0 }, b = { 0 }, c = { 0 };

    deal(&a, loop);
    deal(&b, loop);
    loop_unpost(loop, &b.post);
    deal(&c, loop);
    loop_run_once(loop);
    EQ(a.calls, 1);
    EQ(b.calls, 0);
    EQ(c.calls, 1);
    loop_free(loop);
}

static void on_letter(struct post *p)
{
    size_t n = strlen(order);

    order[n] = p->next ? '?' : 'f';
    order[n + 1] = 0;
}

static void on_posted_letter(struct post *p)
{
    size_t n = strlen(order);

    (void)p;
    order[n] = 'p';
    order[n + 1] = 0;
}

TEST(flushes_come_after_all_posts_of_the_turn)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct post flush = { .fn = on_letter }, post = { .fn = on_posted_letter };

    order[0] = 0;
    loop_post_flush(loop, &flush);
    loop_post(loop, &post);
    loop_run_once(loop);
    EQ_STR(order, "pf");
    loop_post_flush(loop, &flush);
    loop_unpost(loop, &flush);
    loop_run_once(loop);
    EQ_STR(order, "pf");
    loop_free(loop);
}

/* ---- running ----------------------------------------------------------------------------- */

TEST(run_returns_when_nothing_is_left)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct card a = { .repeats = 500 };

    deal(&a, loop);
    loop_run(loop);
    EQ(a.calls, 501);
    loop_free(loop);
}

/* A watch whose end posts a card: the last thing that happens on the loop. */
struct last_word {
    struct watch watch;
    struct card card;
    struct loop *loop;
};

static void on_nothing(struct watch *w, unsigned events)
{
    (void)w;
    (void)events;
}

static void on_last_closed(struct watch *w)
{
    struct last_word *l = CONTAINER_OF(w, struct last_word, watch);

    deal(&l->card, l->loop);
}

TEST(run_delivers_what_the_last_close_posted)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct last_word l = { .loop = loop };
    struct err e;
    int fd[2];

    EQ(pipe2(fd, O_NONBLOCK | O_CLOEXEC), 0);
    OK(watch_open(&l.watch, loop, fd[0], on_nothing, &e));
    watch_close(&l.watch, on_last_closed);
    loop_run(loop);
    EQ(l.card.calls, 1);
    close(fd[0]);
    close(fd[1]);
    loop_free(loop);
}

static void on_never(struct timer *t)
{
    (void)t;
    OK(!"a timer an hour away fired");
}

TEST(stop_holds_though_something_is_posted)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct timer hour = { 0 };
    struct card a = { .stops = true }, b = { .repeats = 500 };

    timer_set(loop, &hour, 3600000, on_never); /* keeps the loop alive */
    deal(&a, loop);
    deal(&b, loop);
    loop_run(loop); /* returns */
    EQ(a.calls, 1);
    OK(b.calls < 500);
    timer_clear(loop, &hour);
    loop_run(loop); /* and the rest is delivered when it runs again */
    EQ(b.calls, 501);
    loop_free(loop);
}

TEST(stop_before_run_holds_for_that_run)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct timer hour = { 0 };

    timer_set(loop, &hour, 3600000, on_never);
    loop_stop(loop);
    loop_run(loop);
    timer_clear(loop, &hour);
    loop_run(loop);
    loop_free(loop);
}

TEST(stop_from_a_flush_holds)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct timer hour = { 0 };
    struct card a = { .stops = true };

    timer_set(loop, &hour, 3600000, on_never);
    a.loop = loop;
    a.post.fn = on_card;
    loop_post_flush(loop, &a.post);
    loop_run(loop);
    EQ(a.calls, 1);
    timer_clear(loop, &hour);
    loop_free(loop);
}

/* ---- descriptors ------------------------------------------------------------------------- */

struct spy {
    struct watch watch;
    unsigned last;
    int calls;
    int close_after; /* close inside the n-th call */
    bool closed;
};

static void on_spy_closed(struct watch *w)
{
    CONTAINER_OF(w, struct spy, watch)->closed = true;
}

static void on_spy(struct watch *w, unsigned events)
{
    struct spy *s = CONTAINER_OF(w, struct spy, watch);

    OK(!s->closed);
    s->last = events;
    if (++s->calls == s->close_after)
        watch_close(w, on_spy_closed);
}

static void few_turns(struct loop *loop)
{
    for (int i = 0; i < 5; i++)
        loop_run_once(loop);
}

TEST(a_watch_tells_what_was_asked_and_only_that)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct spy in = { 0 }, out = { 0 };
    struct err e;
    int fd[2];

    EQ(pipe2(fd, O_NONBLOCK | O_CLOEXEC), 0);
    OK(watch_open(&in.watch, loop, fd[0], on_spy, &e));
    OK(watch_open(&out.watch, loop, fd[1], on_spy, &e));
    few_turns(loop);
    EQ(in.calls + out.calls, 0);
    watch_want(&out.watch, WATCH_WRITE);
    loop_run_once(loop);
    EQ(out.last, WATCH_WRITE);
    watch_want(&out.watch, 0);
    out.calls = 0;
    watch_want(&in.watch, WATCH_READ);
    few_turns(loop);
    EQ(in.calls, 0);
    EQ(write(fd[1], "x", 1), 1);
    loop_run_once(loop);
    EQ(in.last, WATCH_READ);
    EQ(out.calls, 0);
    watch_close(&in.watch, on_spy_closed);
    watch_close(&out.watch, on_spy_closed);
    close(fd[0]);
    close(fd[1]);
    few_turns(loop);
    OK(in.closed && out.closed);
    loop_free(loop);
}

static void check_always_ready(const char *path)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct spy s = { .close_after = 100 };
    struct err e;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    OK(watch_open(&s.watch, loop, fd, on_spy, &e));
    few_turns(loop);
    EQ(s.calls, 0); /* nothing wanted */
    watch_want(&s.watch, WATCH_READ | WATCH_WRITE);
    loop_run_once(loop);
    OK(s.calls > 0);
    EQ(s.last, WATCH_READ | WATCH_WRITE);
    watch_want(&s.watch, 0);
    s.calls = 0;
    few_turns(loop);
    EQ(s.calls, 0);
    watch_want(&s.watch, WATCH_READ);
    while (!s.closed)
        loop_run_once(loop);
    EQ(s.calls, 100);
    close(fd);
    loop_free(loop);
}

TEST(what_epoll_refuses_counts_as_always_ready)
{
    char path[] = "/tmp/test_loop.XXXXXX";
    int fd = mkstemp(path);

    OK(fd >= 0);
    check_always_ready(path);
    check_always_ready("/dev/null");
    close(fd);
    unlink(path);
}

TEST(a_descriptor_that_cannot_be_watched_is_an_error)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct spy s = { 0 };
    struct err e = { 0 };

    OK(!watch_open(&s.watch, loop, 1000000, on_spy, &e));
    EQ(e.code, ERR_SYSTEM);
    loop_free(loop);
}

/* ---- signals ----------------------------------------------------------------------------- */

struct ear {
    int first, second;
};

static void on_first(int signum, void *ctx)
{
    if (signum == SIGUSR1)
        ((struct ear *)ctx)->first++;
}

static void on_second(int signum, void *ctx)
{
    if (signum == SIGUSR2)
        ((struct ear *)ctx)->second++;
}

static bool heard_both(void *ctx)
{
    struct ear *ear = ctx;

    return ear->first && ear->second;
}

TEST(signals_arrive_from_the_loop_and_do_not_keep_it_alive)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct ear ear = { 0 };
    struct err e;

    OK(loop_on_signal(loop, SIGUSR1, on_first, &ear, &e));
    OK(loop_on_signal(loop, SIGUSR2, on_second, &ear, &e));
    loop_run(loop); /* returns: only signals are waited for */
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    EQ(ear.first + ear.second, 0);
    OK(until(loop, heard_both, &ear));
    EQ(ear.first, 1);
    EQ(ear.second, 1);
    loop_free(loop);
}

TEST(a_signal_that_cannot_be_caught_is_an_error)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct err e = { 0 };

    OK(!loop_on_signal(loop, SIGKILL, on_first, NULL, &e));
    EQ(e.code, ERR_SYSTEM);
    loop_free(loop);
}

/* ---- jobs -------------------------------------------------------------------------------- */

struct sum {
    struct job job; /* first */
    int upto, total;
    sem_t *gate; /* wait here first, on the pool */
    bool told;
    enum err_code code;
};

static bool add_up(struct job *job, struct err *e)
{
    struct sum *s = CONTAINER_OF(job, struct sum, job);

    if (s->gate)
        sem_wait(s->gate);
    if (s->upto < 0)
        return fail(e, ERR_INVALID, "cannot add up to %d", s->upto);
    for (int i = 1; i <= s->upto; i++)
        s->total += i;
    return true;
}

static void on_sum(struct op *op, const struct err *e, void *ctx)
{
    struct sum *s = ctx;

    OK(&s->job.op == op);
    s->told = true;
    s->code = e ? e->code : ERR_NONE;
}

TEST(a_job_brings_its_result_or_its_failure)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct sum good = { .upto = 100 }, bad = { .upto = -1 };

    job_start(&good.job, loop, NULL, add_up, on_sum, &good);
    job_start(&bad.job, loop, NULL, add_up, on_sum, &bad);
    OK(until(loop, until_true, &good.told));
    OK(until(loop, until_true, &bad.told));
    EQ(good.total, 5050);
    EQ(good.code, ERR_NONE);
    EQ(bad.code, ERR_INVALID);
    loop_free(loop);
}

/* Four threads are held at the gate, so a fifth job cannot start. */
TEST(a_cancelled_job_is_dropped_when_waiting_and_waited_for_when_running)
{
    enum { HELD = 4 };
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct sum held[HELD] = { 0 }, waiting = { .upto = 10 };
    sem_t gate;

    sem_init(&gate, 0, 0);
    for (int i = 0; i < HELD; i++) {
        held[i].gate = &gate;
        held[i].upto = 3;
        job_start(&held[i].job, loop, NULL, add_up, on_sum, &held[i]);
    }
    job_start(&waiting.job, loop, NULL, add_up, on_sum, &waiting);
    op_cancel(&waiting.job.op);
    op_cancel(&held[0].job.op);
    OK(until(loop, until_true, &waiting.told)); /* though the pool is full */
    EQ(waiting.code, ERR_CANCELED);
    EQ(waiting.total, 0);
    for (int i = 0; i < HELD; i++)
        sem_post(&gate);
    for (int i = 0; i < HELD; i++)
        OK(until(loop, until_true, &held[i].told));
    EQ(held[0].code, ERR_CANCELED); /* whether it had begun to run or not */
    EQ(held[1].code, ERR_NONE);
    EQ(held[1].total, 6);
    sem_destroy(&gate);
    loop_free(loop);
}

/* ---- draining ---------------------------------------------------------------------------- */

struct shift {
    struct drain_part part;
    int stops;
    bool leaves_at_once;
};

static struct {
    int calls;
    bool in_time;
} over;

static void on_over(struct drain *d, bool in_time)
{
    (void)d;
    over.calls++;
    over.in_time = in_time;
}

static void on_shift_stop(struct drain_part *part)
{
    struct shift *s = CONTAINER_OF(part, struct shift, part);

    s->stops++;
    if (s->leaves_at_once)
        drain_leave(part);
}

static struct loop *drain_fresh(struct drain *d)
{
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);

    over.calls = 0;
    drain_init(d, loop, on_over);
    return loop;
}

static struct shift shift(void)
{
    return (struct shift){ .part = { .name = "shift", .stop = on_shift_stop } };
}

TEST(a_drain_without_parts_is_over_at_once_but_from_the_loop)
{
    struct drain d;
    struct loop *loop = drain_fresh(&d);

    drain_begin(&d, 1000);
    EQ(over.calls, 0);
    loop_run_once(loop);
    EQ(over.calls, 1);
    OK(over.in_time);
    loop_free(loop);
}

TEST(a_drain_waits_for_its_last_part)
{
    struct drain d;
    struct loop *loop = drain_fresh(&d);
    struct shift a = shift(), b = shift(), c = shift();

    b.leaves_at_once = true;
    drain_join(&d, &a.part);
    drain_join(&d, &b.part);
    drain_begin(&d, 1000);
    EQ(a.stops + b.stops, 2);
    drain_join(&d, &c.part); /* too late: told to stop at once */
    EQ(c.stops, 1);
    loop_run_once(loop);
    EQ(over.calls, 0);
    drain_leave(&a.part);
    drain_leave(&a.part); /* twice is once */
    loop_run_once(loop);
    EQ(over.calls, 0);
    drain_leave(&c.part);
    loop_run_once(loop);
    EQ(over.calls, 1);
    OK(over.in_time);
    loop_advance(loop, 5000);
    EQ(over.calls, 1);
    loop_free(loop);
}

TEST(a_part_that_left_before_may_be_gone)
{
    struct drain d;
    struct loop *loop = drain_fresh(&d);
    struct shift *brief = malloc(sizeof(*brief)), a = shift(), b = shift();

    *brief = shift();
    drain_join(&d, &a.part);
    drain_join(&d, &brief->part);
    drain_join(&d, &b.part);
    drain_leave(&brief->part);
    free(brief);
    drain_begin(&d, 1000);
    EQ(a.stops, 1);
    EQ(b.stops, 1);
    drain_leave(&a.part);
    drain_leave(&b.part);
    loop_run_once(loop);
    EQ(over.calls, 1);
    loop_free(loop);
}

TEST(the_deadline_ends_a_drain_once)
{
    struct drain d;
    struct loop *loop = drain_fresh(&d);
    struct shift a = shift();

    drain_join(&d, &a.part);
    drain_begin(&d, 1000);
    loop_advance(loop, 999);
    EQ(over.calls, 0);
    loop_advance(loop, 1);
    EQ(over.calls, 1);
    OK(!over.in_time);
    drain_leave(&a.part);
    loop_run_once(loop);
    drain_begin(&d, 1000);
    loop_advance(loop, 5000);
    EQ(over.calls, 1);
    loop_free(loop);
}

TEST(a_second_begin_makes_the_deadline_now)
{
    struct drain d;
    struct loop *loop = drain_fresh(&d);
    struct shift a = shift();

    drain_join(&d, &a.part);
    drain_begin(&d, 1000);
    loop_advance(loop, 1);
    drain_begin(&d, 1000);
    loop_advance(loop, 0);
    EQ(a.stops, 1);
    EQ(over.calls, 1);
    OK(!over.in_time);
    loop_free(loop);
}

TEST_MAIN()
