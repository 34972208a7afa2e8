/*
 * sandbox_bench.c - milliseconds from proc_start to on_exit of /bin/true, for each profile.
 *
 *   sandbox_bench TREFOIL ROOT ROUNDS
 *
 * The profiles take turns; medians are printed. `off` is the keeper alone.
 */
#include "base/limits.h"
#include "loop/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1000 };

struct bench {
    struct loop *loop;
    struct procs all;
    struct proc proc;
    bool failed;
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void on_exit_reported(struct proc *p, const struct proc_exit *exit)
{
    struct bench *b = p->owner;
    char how[300];

    b->failed |= exit->how != PROC_EXITED || exit->code;
    if (b->failed) {
        proc_exit_text(exit, how, sizeof(how));
        fprintf(stderr, "sandbox_bench: /bin/true %s\n", how);
    }
    proc_close(p);
}

static void on_closed(struct proc *p)
{
    loop_stop(((struct bench *)p->owner)->loop);
}

static void on_bytes(struct stream *s, struct str bytes)
{
    (void)s;
    (void)bytes;
}

static void on_end(struct stream *s, const struct err *e)
{
    (void)s;
    (void)e;
}

static void on_room(struct stream *s)
{
    (void)s;
}

static double run_once(struct bench *b, const struct sandbox_profile *profile)
{
    static const struct proc_events events = { .on_exit = on_exit_reported,
                                               .on_closed = on_closed };
    static const struct stream_events io = { on_bytes, on_end, on_room, NULL };
    static const char *const argv[] = { "/bin/true", NULL };
    static const char *const env[] = { "PATH=/usr/bin:/bin", NULL };
    struct proc_opts opts = { .argv = argv,
                              .env = env,
                              .sandbox = profile,
                              .events = &events,
                              .owner = b,
                              .io_events = &io,
                              .io_owner = b };
    double start = now_ms();
    struct err e;

    if (!proc_start(&b->proc, &b->all, &opts, &e)) {
        fprintf(stderr, "sandbox_bench: %s\n", e.text);
        exit(1);
    }
    stream_start(proc_io(&b->proc));
    loop_run(b->loop);
    return now_ms() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double ms[SANDBOX_KINDS][MOST];
    static struct bench b;
    struct limits limits;
    int rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;

    if (argc < 4 || rounds < 1 || rounds > MOST)
        return 2;
    limits_preset(&limits);
    b.loop = loop_new(LOOP_REAL_CLOCK);
    procs_init(&b.all, b.loop, &limits);
    b.all.keeper = argv[1];
    for (int round = -1; round < rounds; round++) /* the first one asks what the kernel offers */
        for (int kind = 0; kind < SANDBOX_KINDS; kind++) {
            struct sandbox_profile profile = { .kind = kind, .root = argv[2], .best_effort = true };

            ms[kind][round < 0 ? 0 : round] = run_once(&b, &profile);
        }
    loop_free(b.loop);
    for (int kind = 0; kind < SANDBOX_KINDS; kind++) {
        qsort(ms[kind], (size_t)rounds, sizeof(double), compare);
        printf("%s=%.2f ", sandbox_kind_name(kind), ms[kind][rounds / 2]);
    }
    printf("\n");
    return b.failed;
}
