#include "loop/hangup.h"

#include "tap.h"
#include "until.h"

#include <sys/socket.h>
#include <unistd.h>

static void count(void *ctx)
{
    ++*(int *)ctx;
}

static bool is_counted(void *ctx)
{
    return *(int *)ctx > 0;
}

static void on_closed(struct hangups *h)
{
    loop_stop(h->watch.loop);
}

struct bench {
    struct loop *loop;
    struct hangups hangups;
    int pair[2][2], gone[2];
};

static void open_bench(struct bench *b)
{
    struct err e;

    *b = (struct bench){ .loop = loop_new(LOOP_REAL_CLOCK) };
    OK(hangups_open(&b->hangups, b->loop, count, &e));
    for (int i = 0; i < 2; i++) {
        OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, b->pair[i]) == 0);
        OK(hangups_add(&b->hangups, b->pair[i][0], &b->gone[i], &e));
    }
}

static void close_bench(struct bench *b)
{
    hangups_close(&b->hangups, on_closed);
    loop_run(b->loop);
    for (int i = 0; i < 4; i++)
        close(b->pair[i / 2][i % 2]);
    loop_free(b->loop);
}

TEST(the_end_of_the_other_side_is_told_once)
{
    struct bench b;

    open_bench(&b);
    close(b.pair[0][1]);
    b.pair[0][1] = -1;
    OK(until(b.loop, is_counted, &b.gone[0]));
    for (int i = 0; i < 10; i++)
        loop_run_once(b.loop);
    EQ(b.gone[0], 1);
    EQ(b.gone[1], 0);
    close_bench(&b);
}

TEST(a_last_word_is_no_end)
{
    struct bench b;

    open_bench(&b);
    OK(write(b.pair[0][1], "x", 1) == 1);
    OK(shutdown(b.pair[0][1], SHUT_WR) == 0);
    close(b.pair[1][1]);
    b.pair[1][1] = -1;
    OK(until(b.loop, is_counted, &b.gone[1]));
    EQ(b.gone[0], 0);
    close_bench(&b);
}

TEST_MAIN()
