/*
 * A process that uses a store, for tests that kill it and bench.py. One session per line of work.
 *
 *   store_driver DB append SESSION WRITERS EVENTS [power|process]
 *       Takes or makes SESSION; so many writers append that many events each (0: without end),
 *       each waiting for its acknowledgement, which is printed as WRITER NUMBER SEQ.
 *   store_driver DB own SESSION      takes or makes it, prints "owned TOKEN", waits for EOF, leaves it
 *   store_driver DB dump SESSION     prints SEQ BODY of each event
 *
 * A failure is printed as "failed: WHY" and ends it with 1.
 */
#include "base/mem.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WRITERS_MOST = 1024 };

struct driver;

struct writer {
    struct store_ask ask;
    struct store_step step;
    struct store_event event;
    struct driver *driver;
    char body[300];
    int64_t number;
};

struct driver {
    struct loop *loop;
    struct limits limits;
    struct store *store;
    struct str session;
    int64_t fence, events;
    enum store_durability durability;
    struct writer *writer;
    int writers, live;
    bool failed;
};

struct wait {
    struct driver *d;
    struct err e;
    bool done;
};

/* The writers fail together; the first says why. */
static void give_up(struct driver *d, const struct err *e)
{
    if (!d->failed)
        printf("failed: %s\n", e->text);
    d->failed = true;
    fflush(stdout);
}

/* ---- ask and wait --------------------------------------------------------------------------- */

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct wait *w = ctx;

    (void)op;
    w->e.code = ERR_NONE;
    if (e)
        w->e = *e;
    loop_stop(w->d->loop);
}

static struct err ask(struct driver *d, struct store_ask *a)
{
    struct wait w = { .d = d };

    store_start(store_port(d->store), a, NULL, on_done, &w);
    loop_run(d->loop);
    return w.e;
}

/* Take the session, or make it. */
static bool own(struct driver *d)
{
    struct store_step step = { STORE_SESSION_TAKE, .session = { .id = d->session } };
    struct store_ask a = { .step = &step, .steps = 1, .durability = STORE_POWER };
    struct err e = ask(d, &a);

    if (e.code == ERR_NOT_FOUND) {
        step.what = STORE_SESSION_CREATE;
        e = ask(d, &a);
    }
    store_ask_fini(&a);
    d->fence = step.session.fence;
    if (e.code != ERR_NONE)
        give_up(d, &e);
    return e.code == ERR_NONE;
}

/* ---- appending ------------------------------------------------------------------------------ */

static void append(struct writer *w);

static void on_appended(struct op *op, const struct err *e, void *ctx)
{
    struct writer *w = ctx;
    struct driver *d = w->driver;

    (void)op;
    store_ask_fini(&w->ask);
    if (e) {
        give_up(d, e);
    } else {
        printf("%d %" PRId64 " %" PRId64 "\n", (int)(w - d->writer), w->number,
               w->step.append.last_seq);
        fflush(stdout);
        if (!d->failed && ++w->number != d->events) {
            append(w);
            return;
        }
    }
    if (!--d->live)
        loop_stop(d->loop);
}

static void append(struct writer *w)
{
    struct driver *d = w->driver;
    int n = snprintf(w->body, sizeof(w->body),
                     "{\"writer\":%d,\"number\":%" PRId64 ",\"pad\":\"%0200d\"}",
                     (int)(w - d->writer), w->number, 0);

    w->event = (struct store_event){ .kind = STR("text"), .body = { w->body, (size_t)n } };
    w->step = (struct store_step){
        STORE_APPEND,
        .append = { .session = d->session, .fence = d->fence, .event = &w->event, .events = 1 }
    };
    w->ask = (struct store_ask){ .step = &w->step, .steps = 1, .durability = d->durability };
    store_start(store_port(d->store), &w->ask, NULL, on_appended, w);
}

static void append_all(struct driver *d)
{
    if (!own(d))
        return;
    d->writer = mem_zero((size_t)d->writers * sizeof(*d->writer));
    d->live = d->writers;
    for (int i = 0; i < d->writers; i++) {
        d->writer[i].driver = d;
        append(&d->writer[i]);
    }
    loop_run(d->loop);
    mem_free(d->writer);
}

/* ---- the others ----------------------------------------------------------------------------- */

static void own_until_told(struct driver *d)
{
    struct store_step step = { STORE_SESSION_LEAVE, .session = { .id = d->session } };
    struct store_ask a = { .step = &step, .steps = 1, .durability = STORE_POWER };
    char c;
    struct err e;

    if (!own(d))
        return;
    printf("owned %" PRId64 "\n", d->fence);
    fflush(stdout);
    while (read(STDIN_FILENO, &c, 1) > 0)
        ;
    step.session.fence = d->fence;
    e = ask(d, &a);
    store_ask_fini(&a);
    if (e.code != ERR_NONE)
        give_up(d, &e);
}

static void dump(struct driver *d)
{
    struct store_step step = { STORE_EVENTS, .events = { .session = d->session } };
    struct err e;

    do {
        struct store_ask a = { .step = &step, .steps = 1 };

        e = ask(d, &a);
        for (size_t i = 0; e.code == ERR_NONE && i < step.events.n; i++) {
            printf("%" PRId64 " " STR_FMT "\n", step.events.v[i].seq,
                   STR_ARG(step.events.v[i].body));
            step.events.after = step.events.v[i].seq;
        }
        store_ask_fini(&a);
    } while (e.code == ERR_NONE && step.events.more);
    if (e.code != ERR_NONE)
        give_up(d, &e);
}

/* ---- main ----------------------------------------------------------------------------------- */

static void on_closed(void *ctx)
{
    loop_stop(((struct driver *)ctx)->loop);
}

static int64_t number(const char *text, uint64_t most)
{
    uint64_t n;

    if (!str_uint(str_of(text), 0, most, &n))
        exit(2);
    return (int64_t)n;
}

static void work(struct driver *d, int argc, char **argv)
{
    struct str verb = str_of(argv[2]);

    if (str_eq(verb, STR("append")) && argc >= 6) {
        d->writers = (int)number(argv[4], WRITERS_MOST);
        d->events = number(argv[5], INT64_MAX);
        d->durability =
            argc > 6 && str_eq(str_of(argv[6]), STR("power")) ? STORE_POWER : STORE_PROCESS;
        append_all(d);
    } else if (str_eq(verb, STR("own"))) {
        own_until_told(d);
    } else {
        dump(d);
    }
}

int main(int argc, char **argv)
{
    struct driver d = { 0 };
    struct err e;

    if (argc < 4)
        return 2;
    limits_preset(&d.limits);
    d.loop = loop_new(LOOP_REAL_CLOCK);
    d.session = str_of(argv[3]);
    if (store_open(d.loop, &d.limits, argv[1], &d.store, &e)) {
        work(&d, argc, argv);
        store_close(d.store, on_closed, &d);
        loop_run(d.loop);
    } else {
        give_up(&d, &e);
    }
    loop_free(d.loop);
    return d.failed;
}
