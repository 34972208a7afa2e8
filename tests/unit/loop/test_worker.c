#include "loop/worker.h"

#include "base/container.h"
#include "tap.h"
#include "until.h"

enum { PIECES = 1000 };

struct piece {
    struct work work;
    int number;
    int batch; /* in which it was done */
};

struct shop {
    struct worker *worker;
    struct piece piece[PIECES];
    int batches;
    int back; /* pieces that came back, in order so far */
    int again;
    bool all, mixed_up;
};

static struct piece *piece_of(const struct work *w)
{
    return CONTAINER_OF((struct work *)w, struct piece, work);
}

static void on_run(void *ctx, const struct work *w)
{
    struct shop *s = ctx;

    s->batches++;
    for (; w; w = w->next)
        piece_of(w)->batch = s->batches;
}

static void on_done(void *ctx, struct work *w)
{
    struct shop *s = ctx;

    s->mixed_up |= piece_of(w)->number != s->back % PIECES;
    s->back++;
    s->all = s->back == PIECES * (s->again + 1);
}

static void put_all(struct shop *s)
{
    for (int i = 0; i < PIECES; i++) {
        s->piece[i] = (struct piece){ .number = i };
        worker_put(s->worker, &s->piece[i].work);
    }
}

TEST(what_a_turn_puts_is_one_batch_and_comes_back_in_order)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    static struct shop s;
    struct err e;

    OK(worker_open(loop, on_run, on_done, &s, &s.worker, &e));
    EQ(worker_load(s.worker), 0);
    put_all(&s);
    EQ(worker_load(s.worker), PIECES);
    OK(until(loop, until_true, &s.all));
    EQ(s.batches, 1);
    EQ(worker_load(s.worker), 0);
    s.again = 1;
    s.all = false;
    put_all(&s);
    OK(until(loop, until_true, &s.all));
    EQ(s.batches, 2);
    OK(!s.mixed_up);
    worker_close(s.worker);
    loop_free(loop);
}

TEST(closing_does_what_was_put_and_brings_it_back)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    static struct shop s;
    struct err e;

    OK(worker_open(loop, on_run, on_done, &s, &s.worker, &e));
    put_all(&s);
    worker_close(s.worker);
    EQ(s.back, PIECES);
    EQ(s.batches, 1);
    loop_free(loop);
}

TEST(the_loop_ends_while_a_worker_idles_but_not_under_a_load)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    static struct shop s;
    struct err e;

    OK(worker_open(loop, on_run, on_done, &s, &s.worker, &e));
    loop_run(loop); /* returns */
    put_all(&s);
    loop_run(loop);
    EQ(s.back, PIECES);
    worker_close(s.worker);
    loop_free(loop);
}

TEST_MAIN()
