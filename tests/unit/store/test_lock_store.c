/* Locks of two processes by a real database: two tables on two stores, and one that is killed. */
#include "core/lock/lock.h"

#include "store_world.h"

#include <signal.h>
#include <sys/wait.h>

struct holder {
    struct lock_hold hold; /* first */
    struct str path;
    bool done;
    struct err err;
};

static void on_hold(struct op *op, const struct err *e, void *ctx)
{
    struct holder *k = ctx;

    (void)op;
    k->err = e ? *e : (struct err){ 0 };
    k->done = true;
}

static void take(struct lock_table *t, struct holder *k, const char *task)
{
    *k = (struct holder){ .path = STR(".vault") };
    k->hold.task = str_of(task);
    k->hold.agent = STR("scribe");
    k->hold.paths = (struct pick_strs){ &k->path, 1, true };
    k->hold.mode = LOCK_EXCLUSIVE;
    lock_take(t, &k->hold, NULL, on_hold, k);
}

static bool has(struct world *w, struct holder *k)
{
    return until(w->loop, until_true, &k->done) && k->err.code == ERR_NONE;
}

struct writer {
    struct lock_turn turn; /* first */
    struct str path;
    bool done;
};

static void on_turn(struct op *op, const struct err *e, void *ctx)
{
    struct writer *w = ctx;

    (void)op;
    OK(!e);
    w->done = true;
}

static void begin_write(struct lock_table *t, struct writer *w, const char *path)
{
    *w = (struct writer){ .path = str_of(path) };
    w->turn.paths = (struct pick_strs){ &w->path, 1, true };
    lock_turn_take(t, &w->turn, NULL, on_turn, w);
}

/* Two stores on one file, on one loop. */
struct pair {
    struct world one, two;
    struct lock_table *a, *b;
};

static void pair_init(struct pair *p, enum lock_conflict conflict)
{
    world_init(&p->one);
    p->one.limits.lock_look_ms = 5;
    OK(world_open(&p->one));
    p->two = p->one;
    OK(world_open(&p->two));
    p->a = lock_table_new(p->one.loop, &p->one.limits, store_port(p->one.store), conflict);
    p->b = lock_table_new(p->one.loop, &p->one.limits, store_port(p->two.store), conflict);
}

static void pair_fini(struct pair *p)
{
    lock_table_free(p->a);
    lock_table_free(p->b);
    world_close(&p->two);
    world_fini(&p->one);
}

TEST(a_lock_of_another_process_is_waited_for_until_it_is_released)
{
    struct holder one, two;
    struct pair p;

    pair_init(&p, LOCK_WAIT);
    take(p.a, &one, "t1");
    OK(has(&p.one, &one));
    take(p.b, &two, "t2");
    for (int i = 0; i < 50; i++)
        loop_run_once(p.one.loop);
    OK(!two.done);
    lock_release(p.a, &one.hold);
    OK(has(&p.one, &two));
    lock_release(p.b, &two.hold);
    pair_fini(&p);
}

TEST(with_fail_exactly_one_of_two_processes_gets_it)
{
    struct holder one, two;
    struct pair p;

    pair_init(&p, LOCK_FAIL);
    take(p.a, &one, "t1");
    take(p.b, &two, "t2");
    OK(until(p.one.loop, until_true, &one.done) && until(p.one.loop, until_true, &two.done));
    OK((one.err.code == ERR_DENIED) != (two.err.code == ERR_DENIED));
    OK(!one.err.code || !two.err.code);
    lock_release(p.a, &one.hold);
    lock_release(p.b, &two.hold);
    pair_fini(&p);
}

enum { WRITES = 6 };

static int count_writing(const struct writer *w, int *at)
{
    int n = 0;

    for (int i = 0; i < WRITES; i++)
        if (w[i].done && w[i].turn.state) {
            *at = i;
            n++;
        }
    return n;
}

static bool somebody_writes(void *ctx)
{
    int at;

    return count_writing(ctx, &at) > 0;
}

TEST(writes_of_two_processes_take_turns_by_the_database)
{
    struct writer w[WRITES];
    struct holder lock;
    struct pair p;

    pair_init(&p, LOCK_TURNS);
    take(p.a, &lock, "t1");
    OK(has(&p.one, &lock));
    for (int i = 0; i < WRITES; i++)
        begin_write(i % 2 ? p.b : p.a, &w[i], ".vault/x");
    for (int ended = 0; ended < WRITES; ended++) {
        int at = 0;

        OK(until(p.one.loop, somebody_writes, w));
        EQ(count_writing(w, &at), 1);
        lock_turn_end(at % 2 ? p.b : p.a, &w[at].turn);
    }
    lock_release(p.a, &lock.hold);
    pair_fini(&p);
}

static void hold_until_killed(struct world *w, int say)
{
    struct lock_table *t;
    struct holder k;

    w->loop = loop_new(LOOP_REAL_CLOCK);
    OK(world_open(w));
    t = lock_table_new(w->loop, &w->limits, store_port(w->store), LOCK_WAIT);
    take(t, &k, "theirs");
    OK(has(w, &k));
    OK(write(say, "!", 1) == 1);
    for (;;)
        pause();
}

static pid_t start_holder(struct world *w)
{
    int pipe_fd[2];
    char said;
    pid_t pid;

    OK(pipe(pipe_fd) == 0);
    pid = fork();
    if (!pid)
        hold_until_killed(w, pipe_fd[1]);
    close(pipe_fd[1]);
    OK(read(pipe_fd[0], &said, 1) == 1);
    close(pipe_fd[0]);
    return pid;
}

static void on_list(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    OK(!e);
    *(bool *)ctx = true;
}

/* Whose locks are listed: the first. */
static void list_is(struct world *w, struct lock_table *t, const char *task)
{
    struct lock_list l = { 0 };
    bool listed = false;

    lock_list(t, &l, NULL, on_list, &listed);
    OK(until(w->loop, until_true, &listed));
    EQ(l.n, 1);
    if (l.n)
        EQ_S(l.v[0].task, task);
    arena_fini(&l.mem);
}

TEST(a_lock_of_a_process_that_is_killed_is_waited_for_no_longer)
{
    AUTO_WORLD w;
    struct lock_table *t;
    struct holder ours;
    pid_t pid;

    world_init(&w);
    w.limits.lock_look_ms = 5;
    pid = start_holder(&w);
    OK(world_open(&w));
    t = lock_table_new(w.loop, &w.limits, store_port(w.store), LOCK_WAIT);
    take(t, &ours, "ours");
    list_is(&w, t, "theirs");
    OK(!ours.done);
    kill(pid, SIGKILL);
    OK(waitpid(pid, NULL, 0) == pid);
    OK(has(&w, &ours));
    list_is(&w, t, "ours");
    lock_release(t, &ours.hold);
    lock_table_free(t);
}

TEST_MAIN()
