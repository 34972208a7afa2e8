/*
 * keeper_driver.c - starts children through loop/proc.c and waits to be killed.
 *
 *   keeper_driver KEEPER CHILD COUNT WORD...     COUNT children, each with these words (child.c)
 *
 * Prints what the children write, "keeper PID" for each, "exit TEXT" for each end. SIGTERM makes
 * it stop them all and leave, with 0 when nothing was left open. TEST_TREE of its environment
 * goes to the children. With TEST_SANDBOX they run in the sandbox profile of that name, and the working
 * folder is the root.
 */
#include "base/auto.h"
#include "loop/proc.h"
#include "loop/proc_env.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

struct driver {
    struct loop *loop;
    struct procs all;
    struct proc proc[MOST];
    int count, closed;
};

static void say(const char *what, const char *text)
{
    printf("%s %s\n", what, text);
    fflush(stdout);
}

static void on_bytes(struct stream *s, struct str bytes)
{
    (void)s;
    fwrite(bytes.p, 1, bytes.n, stdout);
    fflush(stdout);
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

static void on_exit_told(struct proc *p, const struct proc_exit *exit)
{
    char text[300];

    proc_exit_text(exit, text, sizeof(text));
    say("exit", text);
    proc_close(p);
}

static void on_closed(struct proc *p)
{
    struct driver *d = p->owner;

    d->closed++;
}

static void on_sigterm(int signum, void *ctx)
{
    struct driver *d = ctx;

    (void)signum;
    for (int i = 0; i < d->count; i++)
        proc_stop(&d->proc[i]);
}

static const struct stream_events io_events = { on_bytes, on_end, on_room, NULL };
static const struct proc_events events = { NULL, NULL, on_exit_told, on_closed };

static void start(struct driver *d, const struct proc_opts *o)
{
    struct proc *p = &d->proc[d->count];
    char pid[20];
    struct err e;

    if (!proc_start(p, &d->all, o, &e)) {
        say("failed", e.text);
        exit(1);
    }
    d->count++;
    stream_start(proc_io(p));
    snprintf(pid, sizeof(pid), "%d", p->keeper_pid);
    say("keeper", pid);
}

static bool open_driver(struct driver *d, const struct limits *limits, const char *keeper)
{
    struct err e;

    d->loop = loop_new(LOOP_REAL_CLOCK);
    procs_init(&d->all, d->loop, limits);
    d->all.keeper = keeper;
    return loop_on_signal(d->loop, SIGTERM, on_sigterm, d, &e);
}

static bool choose_sandbox(struct proc_opts *o)
{
    static struct sandbox_profile profile = { .best_effort = true };
    static char root[PATH_MAX];
    const char *name = getenv("TEST_SANDBOX");

    if (!name)
        return true;
    profile.root = getcwd(root, sizeof(root));
    o->sandbox = &profile;
    return profile.root && sandbox_kind_of(str_of(name), &profile.kind);
}

int main(int argc, char **argv)
{
    static struct driver d;
    AUTO_ARENA mem = { 0 };
    struct limits limits;
    struct str pass[] = { STR("TEST_TREE") };
    struct proc_env_opts env = { .ours = (const char *const *)environ, .pass = pass, .passes = 1 };
    struct proc_opts o = { .events = &events, .io_events = &io_events, .owner = &d };
    int count = argc < 5 ? 0 : atoi(argv[3]);
    struct err e;

    limits_preset(&limits);
    limits.child_polite_ms = limits.child_term_ms = 50;
    if (count < 1 || count > MOST || !open_driver(&d, &limits, argv[1]) || !choose_sandbox(&o) ||
        !proc_env(&mem, &env, &o.env, &e))
        return 2;
    argv[3] = argv[2]; /* the child and its words are one list now */
    o.argv = (const char *const *)argv + 3;
    while (d.count < count)
        start(&d, &o);
    loop_run(d.loop);
    loop_free(d.loop);
    return d.closed != count;
}
