/*
 * Children through a real keeper. After every test nothing may be left: no process that has
 * our mark in its environment, no child of ours, dead or alive, no descriptor.
 */
#include "base/clock.h"
#include "loop/proc.h"

#include "tap.h"
#include "tree.h"
#include "until.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MANY = 30, OUT_MAX = 1 << 20 };

/* ---- a world with children ---------------------------------------------------------------- */

struct world {
    struct loop *loop;
    struct limits limits;
    struct procs all;
    char mark[64];
    int fds_before;
};

struct child {
    struct proc proc; /* first */
    struct world *w;
    struct proc_exit exit;
    char text[300]; /* of the exit */
    char *out;      /* what it wrote to stdout */
    size_t n;
    char lines[4096]; /* what on_stderr told */
    int starts, exits, closes, ends, io_closes, rooms;
    enum err_code end_code;
    size_t n_at_exit; /* bytes of stdout delivered before on_exit */
    bool exited, closed, ended;
    bool close_on_exit, pause_on_bytes, kill_on_bytes;
    size_t want; /* for until_said */
};

static void world_open_with(struct world *w, enum loop_clock clock)
{
    static int worlds;

    loop_free(loop_new(LOOP_REAL_CLOCK)); /* libuv opens some descriptors once for all */
    w->fds_before = tree_fds();
    w->loop = loop_new(clock);
    limits_preset(&w->limits);
    w->limits.child_polite_ms = 60000; /* a test that needs them shortens them */
    w->limits.child_term_ms = 60000;
    procs_init(&w->all, w->loop, &w->limits);
    w->all.keeper = TEST_KEEPER;
    snprintf(w->mark, sizeof(w->mark), "TEST_TREE=%d-%d", (int)getpid(), ++worlds);
}

static void world_open(struct world *w)
{
    world_open_with(w, LOOP_REAL_CLOCK);
}

static void world_close(struct world *w)
{
    OK(!w->all.first);
    EQ(tree_children(), 0);
    EQ(tree_size(w->mark), 0);
    loop_free(w->loop);
    EQ(tree_fds(), w->fds_before);
}

static struct child *child_of(struct stream *s)
{
    return s->owner;
}

static void on_bytes(struct stream *s, struct str bytes)
{
    struct child *k = child_of(s);

    if (k->n + bytes.n < OUT_MAX) {
        k->out = realloc(k->out, k->n + bytes.n + 1);
        memcpy(k->out + k->n, bytes.p, bytes.n);
        k->out[k->n + bytes.n] = 0;
    }
    k->n += bytes.n;
    if (k->pause_on_bytes)
        stream_pause(s);
    if (k->kill_on_bytes)
        proc_kill(&k->proc);
}

static void on_end(struct stream *s, const struct err *e)
{
    struct child *k = child_of(s);

    k->ends++;
    k->ended = true;
    k->end_code = e ? e->code : ERR_NONE;
}

static void on_room(struct stream *s)
{
    child_of(s)->rooms++;
}

static void on_io_closed(struct stream *s)
{
    child_of(s)->io_closes++;
}

static void on_started(struct proc *p)
{
    struct child *k = p->owner;

    OK(p->pid > 0);
    EQ(k->exits, 0);
    k->starts++;
}

static void on_stderr(struct proc *p, struct str line)
{
    struct child *k = p->owner;
    size_t n = strlen(k->lines);

    EQ(k->exits, 0);
    snprintf(k->lines + n, sizeof(k->lines) - n, STR_FMT "|", STR_ARG(line));
}

static void on_exit_told(struct proc *p, const struct proc_exit *exit)
{
    struct child *k = p->owner;

    EQ(k->closes, 0);
    k->exits++;
    k->exited = true;
    k->exit = *exit;
    k->n_at_exit = k->n;
    proc_exit_text(exit, k->text, sizeof(k->text));
    if (k->close_on_exit)
        proc_close(p);
}

static void on_closed(struct proc *p)
{
    struct child *k = p->owner;

    EQ(k->exits, 1);
    EQ(k->io_closes, 1);
    k->closes++;
    k->closed = true;
}

static const struct stream_events io_events = { on_bytes, on_end, on_room, on_io_closed };
static const struct proc_events events = { on_started, NULL, on_exit_told, on_closed };
static const struct proc_events line_events = { on_started, on_stderr, on_exit_told, on_closed };

enum { MOST_WORDS = 100 };

static bool start_opts(struct child *k, struct world *w, const struct proc_opts *given,
                       struct err *e)
{
    const char *env[] = { w->mark, "PATH=/usr/bin:/bin", NULL };
    struct proc_opts o = *given;

    *k = (struct child){ .w = w };
    o.env = o.env ? o.env : env;
    o.events = o.events ? o.events : &events;
    o.owner = o.io_owner = k;
    o.io_events = &io_events;
    if (!proc_start(&k->proc, &w->all, &o, e))
        return false;
    stream_start(proc_io(&k->proc));
    return true;
}

/* Start the test child with words that are separated by spaces. */
static void start(struct child *k, struct world *w, const char *words)
{
    char text[1024];
    const char *argv[MOST_WORDS] = { TEST_CHILD };
    struct proc_opts o = { .argv = argv };
    struct err e = { 0 };
    int n = 1;
    char *save = NULL;

    snprintf(text, sizeof(text), "%s", words);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    if (!start_opts(k, w, &o, &e))
        TAP_NOT("start: %s", e.text);
}

static bool has_said(void *ctx)
{
    struct child *k = ctx;

    return k->n >= k->want;
}

/* Wait for so many bytes of stdout. */
static bool until_said(struct child *k, size_t n)
{
    k->want = n;
    return until(k->w->loop, has_said, k);
}

/* The keeper's word may come after the child's first. */
static bool has_started(void *ctx)
{
    return ((struct child *)ctx)->starts > 0;
}

static bool until_exit(struct child *k)
{
    return until(k->w->loop, until_true, &k->exited);
}

static void finish(struct child *k)
{
    proc_close(&k->proc);
    proc_close(&k->proc); /* twice is once */
    OK(until(k->w->loop, until_true, &k->closed));
    EQ(k->exits, 1);
    EQ(k->closes, 1);
    free(k->out);
}

/* ---- a life -------------------------------------------------------------------------------- */

TEST(a_child_answers_and_leaves_when_its_stdin_is_closed)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "echo exit 7");
    stream_put(proc_io(&k.proc), STR("over and back\n"));
    OK(until_said(&k, 14));
    EQ_STR(k.out, "over and back\n");
    OK(until(w.loop, has_started, &k));
    EQ(k.starts, 1);
    EQ(k.proc.state, PROC_RUNNING);
    proc_stop(&k.proc);
    proc_stop(&k.proc);
    EQ(k.proc.state, PROC_STOPPING);
    EQ(k.exits, 0);
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 7");
    finish(&k);
    world_close(&w);
}

TEST(the_end_is_told_as_it_was)
{
    static const struct {
        const char *words;
        enum proc_how how;
        int code;
    } ends[] = {
        { "exit 0", PROC_EXITED, 0 },    { "exit 255", PROC_EXITED, 255 },
        { "die 9", PROC_SIGNALED, 9 },   { "die 15", PROC_SIGNALED, 15 },
        { "die 11", PROC_SIGNALED, 11 }, { "spawn deaf hang end die 6", PROC_SIGNALED, 6 },
    };
    struct world w;
    struct child k;

    world_open(&w);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        start(&k, &w, ends[i].words);
        OK(until_exit(&k));
        EQ(k.exit.how, ends[i].how);
        EQ(k.exit.code, ends[i].code);
        finish(&k);
    }
    world_close(&w);
}

/* What it wrote arrives before its end is told, however soon it leaves. */
TEST(the_last_words_come_before_the_exit)
{
    struct world w;
    struct child k;

    world_open(&w);
    for (int i = 0; i < 20; i++) {
        start(&k, &w, "print 0123456789 exit 0");
        OK(until_exit(&k));
        EQ(k.n_at_exit, 10);
        OK(until(w.loop, until_true, &k.ended));
        EQ(k.ends, 1);
        EQ(k.end_code, ERR_NONE);
        finish(&k);
    }
    start(&k, &w, "pour 60 exit 0"); /* as much as a pipe holds */
    OK(until_exit(&k));
    EQ(k.n_at_exit, 60 << 10);
    finish(&k);
    world_close(&w);
}

TEST(a_paused_stream_can_be_read_after_the_exit)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "print first eof print second exit 0");
    k.pause_on_bytes = true;
    OK(until_said(&k, 5));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ(k.n, 5);
    EQ(k.ends, 0);
    stream_resume(proc_io(&k.proc));
    OK(until_said(&k, 11));
    EQ_STR(k.out, "firstsecond");
    k.pause_on_bytes = false;
    stream_resume(proc_io(&k.proc));
    OK(until(w.loop, until_true, &k.ended));
    finish(&k);
    world_close(&w);
}

TEST(closed_inside_on_exit)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "exit 0");
    k.close_on_exit = true;
    OK(until(w.loop, until_true, &k.closed));
    finish(&k);
    world_close(&w);
}

TEST(killed_inside_on_bytes)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "say x deaf hang");
    k.kill_on_bytes = true;
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 9 (Killed)");
    finish(&k);
    world_close(&w);
}

TEST(many_at_once)
{
    struct world w;
    static struct child k[MANY];

    world_open(&w);
    for (int i = 0; i < MANY; i++)
        start(&k[i], &w, i % 3 ? "spawn setsid deaf hang end echo" : "echo");
    for (int i = 0; i < MANY; i++)
        stream_put(proc_io(&k[i].proc), STR("hello"));
    for (int i = 0; i < MANY; i++)
        OK(until_said(&k[i], 5));
    for (int i = 0; i < MANY; i++)
        proc_stop(&k[i].proc);
    for (int i = 0; i < MANY; i++) {
        OK(until_exit(&k[i]));
        EQ(k[i].exit.how, PROC_EXITED);
        finish(&k[i]);
    }
    world_close(&w);
}

/* ---- what a child finds -------------------------------------------------------------------- */

TEST(a_child_gets_its_folder_its_limits_and_nothing_of_ours)
{
    const char *argv[] = { TEST_CHILD, "report", NULL };
    const char *want = "cwd=/usr fds=3 ignored=0 masked=0 nofile=300 core=0 leads_group=1 "
                       "leads_session=1 nonblocking=0\n";
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv, .cwd = "/usr" };
    struct err e;
    int leak;

    world_open(&w);
    w.all.nofile = 300;
    leak = fcntl(0, F_DUPFD, 100); /* one of ours that does not close on exec */
    OK(start_opts(&k, &w, &o, &e));
    close(leak);
    OK(until_exit(&k));
    EQ_STR(k.out, want);
    finish(&k);
    world_close(&w);
}

TEST(a_child_sees_the_given_environment_and_its_keeper_does_not)
{
    const char *argv[] = { TEST_CHILD, "env", NULL };
    const char *env[] = { "B=2", "A=with = and \xc3\xa4", "EMPTY=", "LD_PRELOAD=/no/such.so",
                          NULL };
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv, .env = env, .events = &line_events };
    struct err e;

    setenv("SECRET_OF_OURS", "1", 1);
    world_open(&w);
    OK(start_opts(&k, &w, &o, &e));
    OK(until_exit(&k));
    EQ_STR(k.out, "B=2\nA=with = and \xc3\xa4\nEMPTY=\nLD_PRELOAD=/no/such.so\n");
    OK(strstr(k.lines, "/no/such.so"));
    EQ(k.proc.tail.count, 1); /* one complaint: the child's loader, not the keeper's */
    finish(&k);
    world_close(&w);
}

TEST(the_program_is_looked_for_on_the_childs_path)
{
    const char *argv[] = { "trefoil-test-sh", "-c", "echo found by $0", NULL };
    char folder[] = "/tmp/test_proc.XXXXXX", path[64], var[64];
    const char *env[] = { var, NULL };
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv, .env = env };
    struct err e;

    OK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/trefoil-test-sh", folder);
    snprintf(var, sizeof(var), "PATH=/no/such:%s", folder);
    EQ(symlink("/bin/sh", path), 0);
    world_open(&w);
    OK(start_opts(&k, &w, &o, &e));
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 0");
    EQ_STR(k.out, "found by trefoil-test-sh\n");
    finish(&k);
    world_close(&w);
    unlink(path);
    rmdir(folder);
}

TEST(what_cannot_be_started_says_why)
{
    static const struct {
        const char *program, *cwd, *text;
        enum err_code code;
    } cases[] = {
        { "no-such-program", NULL, "did not start: exec no-such-program: No such file or directory",
          ERR_NOT_FOUND },
        { "/no/such/program", NULL,
          "did not start: exec /no/such/program: No such file or directory", ERR_NOT_FOUND },
        { "/etc/passwd", NULL, "did not start: exec /etc/passwd: Permission denied", ERR_DENIED },
        { "/etc", NULL, "did not start: exec /etc: Permission denied", ERR_DENIED },
        { "/bin/true", "/no/such", "did not start: chdir /no/such: No such file or directory",
          ERR_NOT_FOUND },
        { "/bin/true", "/etc/passwd", "did not start: chdir /etc/passwd: Not a directory",
          ERR_NOT_FOUND },
    };
    struct world w;
    struct child k;
    struct err e;

    world_open(&w);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *argv[] = { cases[i].program, NULL };
        struct proc_opts o = { .argv = argv, .cwd = cases[i].cwd };

        OK(start_opts(&k, &w, &o, &e));
        OK(until_exit(&k));
        EQ(k.exit.how, PROC_NOT_STARTED);
        EQ(k.exit.err.code, cases[i].code);
        EQ_STR(k.text, cases[i].text);
        EQ(k.starts, 0);
        finish(&k);
    }
    world_close(&w);
}

TEST(without_a_keeper_nothing_is_begun)
{
    const char *argv[] = { "/bin/true", NULL };
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv };
    struct err e;
    struct rlimit old, low;

    world_open(&w);
    w.all.keeper = "/no/such/keeper";
    OK(!start_opts(&k, &w, &o, &e));
    EQ_STR(e.text, "cannot start the keeper /no/such/keeper: no such file or directory");
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    for (rlim_t limit = 8; limit < 40; limit++) { /* fail at each descriptor in turn */
        low.rlim_cur = limit;
        setrlimit(RLIMIT_NOFILE, &low);
        OK(!start_opts(&k, &w, &o, &e));
    }
    setrlimit(RLIMIT_NOFILE, &old);
    loop_run(w.loop); /* closes what libuv keeps of the attempts */
    world_close(&w);
}

/* ---- being stopped ------------------------------------------------------------------------- */

TEST(who_does_not_heed_the_end_of_stdin_is_terminated)
{
    struct world w;
    struct child k;

    world_open(&w);
    w.limits.child_polite_ms = 20;
    start(&k, &w, "say x hang");
    OK(until_said(&k, 2));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 15 (Terminated)");
    finish(&k);
    world_close(&w);
}

TEST(who_is_deaf_to_sigterm_is_killed)
{
    struct world w;
    struct child k;

    world_open(&w);
    w.limits.child_polite_ms = 0;
    w.limits.child_term_ms = 20;
    start(&k, &w, "deaf say x hang");
    OK(until_said(&k, 2));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 9 (Killed)");
    finish(&k);
    world_close(&w);
}

/* It stands still until it is continued, and then the signal is there. */
TEST(a_stopped_child_can_be_terminated)
{
    struct world w;
    struct child k;

    world_open(&w);
    w.limits.child_polite_ms = 20;
    start(&k, &w, "say x stop hang");
    OK(until_said(&k, 2));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 15 (Terminated)");
    finish(&k);
    world_close(&w);
}

TEST(sigterm_reaches_the_whole_group)
{
    struct world w;
    struct child k;

    world_open(&w);
    w.limits.child_polite_ms = 20;
    start(&k, &w, "spawn say x hang end wait exit 3"); /* the leader waits for its own child */
    OK(until_said(&k, 2));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 15 (Terminated)");
    finish(&k);
    world_close(&w);
}

TEST(stop_and_kill_may_come_at_any_time_and_twice)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "deaf hang");
    proc_stop(&k.proc); /* while it starts */
    proc_kill(&k.proc);
    proc_kill(&k.proc);
    proc_stop(&k.proc);
    EQ(k.proc.state, PROC_KILLING);
    OK(until_exit(&k));
    proc_stop(&k.proc);
    proc_kill(&k.proc);
    EQ(k.proc.state, PROC_DONE);
    finish(&k);
    start(&k, &w, "deaf hang");
    finish(&k); /* closed while it starts */
    start(&k, &w, "deaf say x hang");
    OK(until_said(&k, 2));
    finish(&k); /* closed while it runs */
    EQ_STR(k.text, "was killed by signal 9 (Killed)");
    world_close(&w);
}

TEST(who_closes_the_stream_stops_the_child)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "echo exit 4");
    stream_put(proc_io(&k.proc), STR("x"));
    OK(until_said(&k, 1));
    stream_close(proc_io(&k.proc));
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 4");
    EQ(k.io_closes, 1);
    finish(&k);
    world_close(&w);
}

TEST(a_child_may_close_stdout_and_live)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "say bye close 1 eof exit 5");
    OK(until(w.loop, until_true, &k.ended));
    EQ_STR(k.out, "bye\n");
    EQ(k.end_code, ERR_NONE);
    EQ(k.exits, 0);
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 5");
    finish(&k);
    world_close(&w);
}

TEST(a_child_that_never_reads_makes_us_hold_no_more_than_the_limit)
{
    static char block[64 << 10];
    struct world w;
    struct child k;
    int full = 0;

    world_open(&w);
    w.limits.output_backlog_bytes = 1 << 20;
    w.limits.child_polite_ms = 20;
    start(&k, &w, "say x hang");
    OK(until_said(&k, 2));
    for (int i = 0; i < 40; i++)
        full += !stream_put(proc_io(&k.proc), (struct str){ block, sizeof(block) });
    OK(full > 0);
    OK(until(w.loop, until_true, &k.ended));
    EQ(k.end_code, ERR_LIMIT);
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 15 (Terminated)");
    finish(&k);
    world_close(&w);
}

/* ---- trees --------------------------------------------------------------------------------- */

/* A grandchild, one in its own session, a daemon, a stopped one, one in its own group; all deaf. */
#define FAMILY                                                                                     \
    "spawn deaf say 1 hang end "                                                                   \
    "spawn setsid deaf say 2 hang end "                                                            \
    "spawn spawn setsid spawn deaf say 3 hang end end end "                                        \
    "spawn deaf say 4 stop hang end "                                                              \
    "spawn setpgid deaf spawn setsid deaf say 5 hang end say 6 hang end "
enum { FAMILY_LINES = 6, FAMILY_BYTES = 2 * FAMILY_LINES };

TEST(a_kill_takes_the_whole_tree)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, FAMILY "deaf hang");
    OK(until_said(&k, FAMILY_BYTES));
    OK(tree_size(w.mark) >= 7);
    proc_kill(&k.proc);
    OK(until_exit(&k));
    EQ(tree_size(w.mark), 0); /* already when it is told */
    EQ_STR(k.text, "was killed by signal 9 (Killed)");
    finish(&k);
    world_close(&w);
}

TEST(what_a_child_leaves_behind_goes_with_it)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, FAMILY "eof exit 3");
    OK(until_said(&k, FAMILY_BYTES));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ(tree_size(w.mark), 0);
    EQ_STR(k.text, "exited with code 3");
    OK(until(w.loop, until_true, &k.ended)); /* nobody holds stdout any more */
    finish(&k);
    world_close(&w);
}

/* Orphans that end by themselves while the child runs are reaped and disturb nobody. */
TEST(an_orphan_that_ends_takes_nobody_along)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "spawn spawn say a exit 0 end end spawn setsid say b exit 0 end echo exit 8");
    OK(until_said(&k, 4));
    for (int i = 0; i < 50; i++) { /* and it still answers */
        stream_put(proc_io(&k.proc), STR("x"));
        OK(until_said(&k, 5 + (size_t)i));
    }
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 8");
    finish(&k);
    world_close(&w);
}

static void check_storm(const char *words)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, words);
    OK(until_said(&k, 3));
    proc_kill(&k.proc);
    OK(until_exit(&k));
    EQ(tree_size(w.mark), 0);
    finish(&k);
    world_close(&w);
}

TEST(a_storm_of_forks_is_killed)
{
    check_storm("say go storm 300 1500");
}

TEST(a_storm_of_sessions_is_killed)
{
    check_storm("say go session-storm 300 1500");
}

/* Without end: whoever dies makes room for another, so all must be hit at once. */
TEST(a_storm_that_fills_every_gap_is_killed)
{
    check_storm("crowd 60 say go session-storm 600000 1000000000");
}

TEST(a_process_that_is_always_a_new_one_is_killed)
{
    check_storm("spawn say go comet 500 end hang");
}

/* ---- stderr -------------------------------------------------------------------------------- */

static void start_lines(struct child *k, struct world *w, const char *const *argv)
{
    struct proc_opts o = { .argv = argv, .events = &line_events };
    struct err e;

    OK(start_opts(k, w, &o, &e));
}

TEST(lines_of_stderr_are_told_in_order_and_kept)
{
    const char *argv[] = {
        TEST_CHILD,           "complain", "one",   "complain", "",     "complain",
        "\x1b[31mtwo\x1b[0m", "gripe",    "half ", "gripe",    "line", NULL
    };
    struct world w;
    struct child k;

    world_open(&w);
    start_lines(&k, &w, argv);
    OK(until_exit(&k));
    EQ_STR(k.lines, "one||two|half line|");
    EQ(k.proc.tail.count, 4);
    EQ_S(tail_line(&k.proc.tail, 3), "half line");
    finish(&k);
    world_close(&w);
}

TEST(a_long_line_of_stderr_is_cut)
{
    char line[1001];
    const char *argv[] = { TEST_CHILD, "complain", line, NULL };
    struct world w;
    struct child k;

    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = 0;
    world_open(&w);
    w.limits.child_stderr_line_bytes = 64;
    start_lines(&k, &w, argv);
    OK(until_exit(&k));
    EQ(k.proc.tail.count, 1);
    OK(tail_line(&k.proc.tail, 0).n <= 64);
    finish(&k);
    world_close(&w);
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Another child must be answered all the while. */
TEST(a_flood_on_stderr_neither_stops_us_nor_grows)
{
    struct world w;
    struct child k, other;
    long before;
    int64_t slowest = 0;
    size_t rounds = 0;

    world_open(&w);
    start(&other, &w, "echo");
    stream_put(proc_io(&other.proc), STR("x"));
    OK(until_said(&other, 1));
    before = resident_kb();
    start(&k, &w, "flood 100");
    while (!k.exited && rounds < 1000000) {
        int64_t from = clock_mono_ms();

        rounds++;
        stream_put(proc_io(&other.proc), STR("x"));
        OK(until_said(&other, 1 + rounds));
        if (clock_mono_ms() - from > slowest)
            slowest = clock_mono_ms() - from;
    }
    EQ_STR(k.text, "exited with code 0");
    OK(rounds > 10);
    OK(resident_kb() - before < 32 << 10);
    EQ(k.proc.tail.count, w.limits.child_stderr_lines);
    EQ_S(tail_line(&k.proc.tail, k.proc.tail.count - 1), "the flood is over");
    printf("# %zu rounds during the flood, the slowest took %d ms\n", rounds, (int)slowest);
    finish(&k);
    finish(&other);
    world_close(&w);
}

/* ---- keepers in trouble -------------------------------------------------------------------- */

static bool keeper_is_gone(void *ctx)
{
    return ((struct child *)ctx)->proc.keeper_pid == 0;
}

TEST(the_tree_of_a_killed_keeper_comes_to_us_and_is_killed)
{
    struct world w;
    struct child k, other;

    world_open(&w);
    start(&other, &w, "echo exit 6");
    start(&k, &w, FAMILY "deaf hang");
    OK(until_said(&k, FAMILY_BYTES));
    kill(k.proc.keeper_pid, SIGKILL);
    OK(until(w.loop, keeper_is_gone, &k));
    OK(until_exit(&k));
    EQ(k.exit.how, PROC_LOST);
    OK(strstr(k.text, "was lost: its keeper was killed by signal 9; "));
    EQ(tree_children(), 1); /* the other keeper */
    finish(&k);
    stream_put(proc_io(&other.proc), STR("x")); /* is well */
    OK(until_said(&other, 1));
    proc_stop(&other.proc);
    OK(until_exit(&other));
    EQ_STR(other.text, "exited with code 6");
    finish(&other);
    world_close(&w);
}

/* A child we did not start as a keeper's, in our own session, is none of our business. */
TEST(a_sweep_leaves_children_of_others_alone)
{
    struct world w;
    struct child k;
    pid_t stranger;
    int status;

    world_open(&w);
    stranger = fork();
    if (stranger == 0)
        for (;;)
            pause();
    start(&k, &w, "spawn setsid deaf say x hang end deaf hang");
    OK(until_said(&k, 2));
    kill(k.proc.keeper_pid, SIGKILL);
    OK(until_exit(&k));
    EQ(tree_size(w.mark), 0);
    EQ(waitpid(stranger, &status, WNOHANG), 0); /* lives */
    kill(stranger, SIGKILL);
    EQ(waitpid(stranger, &status, 0), stranger);
    finish(&k);
    world_close(&w);
}

TEST(a_child_that_kills_its_keeper_dies_with_it)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "spawn setsid deaf say x hang end eof kill-parent 9 deaf hang");
    OK(until_said(&k, 2));
    stream_shut(proc_io(&k.proc));
    OK(until_exit(&k));
    EQ(k.exit.how, PROC_LOST);
    EQ(tree_size(w.mark), 0);
    finish(&k);
    world_close(&w);
}

/* Neither can it shield itself by stopping the keeper. */
TEST(a_stopped_keeper_still_kills)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "kill-parent 19 deaf say x hang");
    OK(until_said(&k, 2));
    proc_kill(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "was killed by signal 9 (Killed)");
    finish(&k);
    world_close(&w);
}

TEST(signals_do_not_end_a_keeper)
{
    struct world w;
    struct child k;

    world_open(&w);
    start(&k, &w, "echo exit 2");
    stream_put(proc_io(&k.proc), STR("x"));
    OK(until_said(&k, 1));
    for (int i = 1; i < 32; i++)
        if (i != SIGKILL && i != SIGSTOP)
            kill(k.proc.keeper_pid, i);
    stream_put(proc_io(&k.proc), STR("y"));
    OK(until_said(&k, 2));
    proc_stop(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "exited with code 2");
    finish(&k);
    world_close(&w);
}

TEST(a_program_that_is_no_keeper_is_a_lost_child)
{
    struct world w;
    struct child k;

    world_open(&w);
    w.all.keeper = "/bin/false";
    start(&k, &w, "hang");
    OK(until_exit(&k));
    EQ_STR(k.text, "was lost: its keeper ended with code 1");
    finish(&k);
    world_close(&w);
}

/* The seconds that a keeper has are not waited for: the clock is ours. */
TEST(a_keeper_that_does_not_answer_is_killed_too)
{
    const char *argv[] = { "mute", NULL };
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv };
    struct err e;
    int64_t give_up = clock_mono_ms() + UNTIL_MS;

    world_open_with(&w, LOOP_FAKE_CLOCK);
    w.all.keeper = TEST_CHILD;
    OK(start_opts(&k, &w, &o, &e));
    proc_kill(&k.proc);
    loop_advance(w.loop, 9999);
    EQ(k.proc.state, PROC_KILLING);
    loop_advance(w.loop, 1);
    OK(k.proc.state >= PROC_SWEEPING); /* the killed keeper may be gone already */
    while (!k.exited && clock_mono_ms() < give_up)
        loop_run_once(w.loop);
    EQ_STR(k.text, "was lost: its keeper was killed by signal 9");
    proc_close(&k.proc);
    while (!k.closed && clock_mono_ms() < give_up)
        loop_run_once(w.loop);
    world_close(&w);
}

TEST(who_does_not_die_is_told_once_and_waited_for)
{
    const char *argv[] = { "stuck", NULL };
    struct world w;
    struct child k;
    struct proc_opts o = { .argv = argv };
    struct err e;

    world_open(&w);
    w.all.keeper = TEST_CHILD;
    OK(start_opts(&k, &w, &o, &e));
    proc_kill(&k.proc);
    OK(until_exit(&k));
    EQ_STR(k.text, "is stuck: 3 of its processes cannot be killed");
    EQ(k.proc.state, PROC_KILLING);
    OK(!timer_is_set(&k.proc.timer)); /* the keeper is not killed for it */
    stream_shut(proc_io(&k.proc));    /* lets this one leave */
    finish(&k);
    EQ(k.exits, 1);
    world_close(&w);
}

TEST_MAIN()
