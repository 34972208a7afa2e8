/*
 * audit_bench.c - what one record of the audit log costs the call that it is about, in CPU time of
 * the loop's thread, and what it costs all threads, with the seals. The goal of the first is 1 us.
 *
 * usage: audit_bench FOLDER
 */
#include "store/audit_log.h"

#include <stdio.h>
#include <time.h>

enum { BATCHES = 100, BATCH = 1000 };

static int64_t cpu_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct bench {
    struct state_port port; /* first */
    const char *folder;
    struct loop *loop;
    struct audit_log log;
};

static const char *open_folder(struct state_port *port, struct err *e)
{
    (void)e;
    return ((struct bench *)port)->folder;
}

static void on_closed(void *ctx)
{
    loop_stop(((struct bench *)ctx)->loop);
}

static int64_t record_batch(struct bench *b)
{
    struct audit_entry entry = { .caller = "agent",
                                 .principal = STR("key:default"),
                                 .trace = STR("4bf92f3577b34da6a3ce929d0e0e4736"),
                                 .work = STR("01a1f1ed-1854-713b-86f7-9a615c8de117"),
                                 .depth = 1,
                                 .tool = "shell_exec",
                                 .args = 0x8abca1e759e72a97,
                                 .verdict = "allow",
                                 .outcome = "ok",
                                 .took_ms = 12 };
    int64_t begun = cpu_ns(CLOCK_THREAD_CPUTIME_ID);

    for (int i = 0; i < BATCH; i++)
        b->log.sink.record(&b->log.sink, &entry);
    return cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
}

int main(int argc, char **argv)
{
    struct bench b = { .port = { open_folder, open_folder },
                       .folder = argc > 1 ? argv[1] : ".",
                       .loop = loop_new(LOOP_REAL_CLOCK) };
    struct limits limits;
    int64_t spent = 0, begun = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);

    limits_preset(&limits);
    for (int i = 0; i < BATCHES; i++) {
        audit_log_init(&b.log, b.loop, &limits, &b.port);
        spent += record_batch(&b);
        audit_log_close(&b.log, on_closed, &b);
        loop_run(b.loop);
        audit_log_fini(&b.log);
    }
    printf("record_ns=%.0f all_ns=%.0f\n", (double)spent / BATCHES / BATCH,
           (double)(cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - begun) / BATCHES / BATCH);
    loop_free(b.loop);
    return 0;
}
