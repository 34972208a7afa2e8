/* Locks on paths and turns of writing: one process without a store, and two by one that is faked. */
#include "core/lock/lock.h"

#include "core/guard/guard.h"
#include "tap.h"

#include <stdlib.h>

/* ---- a store of locks, and nothing else ------------------------------------------------------ */

enum { ROWS = 64, WAITING = 16 };

struct row {
    char task[64], agent[32], paths[256];
    bool exclusive;
    int64_t acquired;
};

struct fake {
    struct store_port port; /* first */
    struct row row[ROWS];
    size_t n;
    int puts, drops, looks;
    enum err_code fails; /* the next request */
    bool stalls;         /* requests wait for resume */
    struct store_ask *waiting[WAITING];
    size_t waits;
};

static void drop_rows(struct fake *f, struct str task)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->n; i++)
        if (!str_eq(str_of(f->row[i].task), task))
            f->row[kept++] = f->row[i];
    f->n = kept;
}

static void put_row(struct fake *f, struct store_lock *l)
{
    struct row *r = &f->row[f->n++];

    l->acquired = loop_wall(f->port.loop);
    str_to_c(l->task, r->task, sizeof(r->task));
    str_to_c(l->agent, r->agent, sizeof(r->agent));
    str_to_c(l->paths, r->paths, sizeof(r->paths));
    r->exclusive = l->exclusive;
    r->acquired = l->acquired;
}

static void read_rows(struct fake *f, struct store_ask *ask, struct store_lock_page *page)
{
    page->v = ARENA_ARRAY(&ask->mem, struct store_lock, f->n + 1);
    page->n = f->n;
    for (size_t i = 0; i < f->n; i++)
        page->v[i] = (struct store_lock){ .task = arena_str(&ask->mem, str_of(f->row[i].task)),
                                          .agent = arena_str(&ask->mem, str_of(f->row[i].agent)),
                                          .paths = arena_str(&ask->mem, str_of(f->row[i].paths)),
                                          .exclusive = f->row[i].exclusive,
                                          .acquired = f->row[i].acquired };
}

static void carry_out(struct fake *f, struct store_ask *ask)
{
    struct err e;

    if (f->fails) {
        fail(&e, f->fails, "the store failed");
        f->fails = ERR_NONE;
        op_fail(&ask->op, &e);
        return;
    }
    for (size_t i = 0; i < ask->steps; i++) {
        struct store_step *s = &ask->step[i];

        if (s->what == STORE_LOCK_PUT) {
            f->puts++;
            put_row(f, &s->lock);
        } else if (s->what == STORE_LOCK_DROP) {
            f->drops++;
            drop_rows(f, s->lock.task);
        } else {
            f->looks++;
            read_rows(f, ask, &s->locks);
        }
    }
    op_ok(&ask->op);
}

static void fake_start(struct store_port *port, struct store_ask *ask)
{
    struct fake *f = (struct fake *)(void *)port;

    if (f->stalls)
        f->waiting[f->waits++] = ask;
    else
        carry_out(f, ask);
}

static void resume(struct fake *f)
{
    f->stalls = false;
    for (size_t i = 0; i < f->waits; i++)
        carry_out(f, f->waiting[i]);
    f->waits = 0;
}

static const struct store_kind fake_kind = { "fake", fake_start };

/* ---- tables, holders, writers ---------------------------------------------------------------- */

struct house {
    struct loop *loop;
    struct limits limits;
    struct fake fake;
    struct lock_table *a, *b; /* two processes, where there is a store */
};

static void begin(struct house *h, bool with_store, enum lock_conflict conflict)
{
    *h = (struct house){ .loop = loop_new(LOOP_FAKE_CLOCK) };
    limits_preset(&h->limits);
    h->fake.port = (struct store_port){ &fake_kind, h->loop };
    h->a = lock_table_new(h->loop, &h->limits, with_store ? &h->fake.port : NULL, conflict);
    h->b = lock_table_new(h->loop, &h->limits, with_store ? &h->fake.port : NULL, conflict);
}

static void turn(struct house *h)
{
    while (loop_run_once(h->loop))
        ;
}

static void end(struct house *h)
{
    turn(h);
    EQ(h->fake.n, 0);
    lock_table_free(h->a);
    lock_table_free(h->b);
    turn(h);
    loop_free(h->loop);
}

struct holder {
    struct lock_hold hold; /* first */
    struct str path[2];
    int done;
    struct err err;
};

static void note(int *done, struct err *to, const struct err *e)
{
    ++*done;
    *to = e ? *e : (struct err){ 0 };
}

static void on_hold(struct op *op, const struct err *e, void *ctx)
{
    struct holder *k = ctx;

    (void)op;
    note(&k->done, &k->err, e);
}

static void take(struct house *h, struct lock_table *t, struct holder *k, const char *task,
                 const char *path, enum lock_mode mode)
{
    *k = (struct holder){ .path = { str_of(path) } };
    k->hold.task = str_of(task);
    k->hold.agent = STR("scribe");
    k->hold.paths = (struct pick_strs){ k->path, 1, true };
    k->hold.mode = mode;
    lock_take(t, &k->hold, NULL, on_hold, k);
    turn(h);
}

static bool has(const struct holder *k)
{
    return k->done == 1 && k->err.code == ERR_NONE;
}

struct writer {
    struct lock_turn turn; /* first */
    struct str path[2];
    int done;
    struct err err;
};

static void on_write(struct op *op, const struct err *e, void *ctx)
{
    struct writer *w = ctx;

    (void)op;
    note(&w->done, &w->err, e);
}

static void begin_write(struct lock_table *t, struct writer *w, const char *path, const char *to)
{
    *w = (struct writer){ .path = { str_of(path), str_of(to) } };
    w->turn.paths = (struct pick_strs){ w->path, to ? 2 : 1, true };
    lock_turn_take(t, &w->turn, NULL, on_write, w);
}

static void write_to(struct house *h, struct lock_table *t, struct writer *w, const char *path)
{
    begin_write(t, w, path, NULL);
    turn(h);
}

static bool writes(const struct writer *w)
{
    return w->done == 1 && w->err.code == ERR_NONE;
}

/* ---- paths ----------------------------------------------------------------------------------- */

TEST(overlap_goes_by_names_not_by_letters)
{
    static const struct {
        const char *a, *b;
        bool overlap;
    } rows[] = {
        { "a/b", "a", true },
        { "a/b", "a/b", true },
        { "a/b", "a/b/c", true },
        { "a/b", "a/bc", false },
        { "a/bc", "a/b", false },
        { "a", "b", false },
        { "", "a/b", true },
        { "", "", true },
        { "a/", "a/b", true },
        { "a//b", "a/b/c", true },
        { "a/b", "a/c", false },
        { ".vault", ".vault/x", true },
        { ".vault", ".vaults", false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (lock_overlaps(str_of(rows[i].a), str_of(rows[i].b)) != rows[i].overlap ||
            lock_overlaps(str_of(rows[i].b), str_of(rows[i].a)) != rows[i].overlap)
            TAP_NOT("\"%s\" and \"%s\"", rows[i].a, rows[i].b);
    }
}

TEST(four_words_say_what_a_conflict_means)
{
    enum lock_conflict c = LOCK_TURNS;

    OK(lock_conflict_named(STR("warn"), &c) && c == LOCK_WARN);
    OK(lock_conflict_named(STR("fail"), &c) && c == LOCK_FAIL);
    OK(lock_conflict_named(STR("wait"), &c) && c == LOCK_WAIT);
    OK(lock_conflict_named(STR("turns"), &c) && c == LOCK_TURNS);
    OK(!lock_conflict_named(STR("Turns"), &c) && !lock_conflict_named(STR(""), &c));
}

TEST(a_path_is_read_as_tools_read_it_and_must_not_leave_the_root)
{
    struct holder one, two, out, absolute;
    struct house h;

    begin(&h, false, LOCK_FAIL);
    take(&h, h.a, &one, "t1", "./docs//notes/../x/", LOCK_EXCLUSIVE);
    OK(has(&one));
    take(&h, h.a, &two, "t2", "docs/x/y", LOCK_EXCLUSIVE);
    EQ(two.err.code, ERR_DENIED);
    take(&h, h.a, &out, "t3", "docs/../../etc", LOCK_EXCLUSIVE);
    EQ(out.err.code, ERR_INVALID);
    HAS_S(str_of(out.err.text), "docs/../../etc");
    take(&h, h.a, &absolute, "t4", "/etc", LOCK_EXCLUSIVE);
    EQ(absolute.err.code, ERR_INVALID);
    lock_release(h.a, &out.hold); /* after a failure there is nothing to release */
    lock_release(h.a, &one.hold);
    end(&h);
}

TEST(more_paths_than_limits_lock_paths_are_refused)
{
    struct holder k = { .path = { STR("a"), STR("b") } };
    struct house h;

    begin(&h, false, LOCK_WAIT);
    h.limits.lock_paths = 1;
    k.hold.task = STR("t");
    k.hold.paths = (struct pick_strs){ k.path, 2, true };
    lock_take(h.a, &k.hold, NULL, on_hold, &k);
    turn(&h);
    EQ(k.err.code, ERR_LIMIT);
    HAS_S(str_of(k.err.text), "the constant lock_paths");
    end(&h);
}

/* ---- holders, each conflict, with and without a store ---------------------------------------- */

static void exclusive_waits(bool with_store)
{
    struct holder one, two, three, apart;
    struct house h;

    begin(&h, with_store, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    take(&h, h.a, &two, "t2", "a/b", LOCK_EXCLUSIVE);
    take(&h, h.a, &three, "t3", "a/b/c", LOCK_EXCLUSIVE);
    take(&h, h.a, &apart, "t4", "ab", LOCK_EXCLUSIVE);
    OK(has(&one) && !two.done && !three.done && has(&apart));
    lock_release(h.a, &one.hold);
    turn(&h);
    OK(has(&two) && !three.done);
    lock_release(h.a, &two.hold);
    turn(&h);
    OK(has(&three));
    lock_release(h.a, &three.hold);
    lock_release(h.a, &apart.hold);
    end(&h);
}

TEST(an_exclusive_lock_is_waited_for_in_the_order_they_came)
{
    exclusive_waits(false);
    exclusive_waits(true);
}

TEST(shared_locks_go_together_but_do_not_overtake_who_waits)
{
    struct holder one, two, alone, late;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_SHARED);
    take(&h, h.a, &two, "t2", "a/b", LOCK_SHARED);
    take(&h, h.a, &alone, "t3", "a/b", LOCK_EXCLUSIVE);
    take(&h, h.a, &late, "t4", "a", LOCK_SHARED);
    OK(has(&one) && has(&two) && !alone.done && !late.done);
    lock_release(h.a, &one.hold);
    turn(&h);
    OK(!alone.done);
    lock_release(h.a, &two.hold);
    turn(&h);
    OK(has(&alone) && !late.done);
    lock_release(h.a, &alone.hold);
    turn(&h);
    OK(has(&late));
    lock_release(h.a, &late.hold);
    end(&h);
}

TEST(with_fail_the_second_is_refused_and_told_who_has_it)
{
    struct holder one, two, again;
    struct house h;

    begin(&h, true, LOCK_FAIL);
    take(&h, h.a, &one, "task-one", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &two, "t2", "a/b", LOCK_EXCLUSIVE); /* another process */
    EQ(two.err.code, ERR_DENIED);
    HAS_S(str_of(two.err.text), "task-one");
    EQ(h.fake.n, 1);
    lock_release(h.a, &one.hold);
    turn(&h);
    take(&h, h.b, &again, "t3", "a/b", LOCK_EXCLUSIVE);
    OK(has(&again));
    lock_release(h.b, &again.hold);
    end(&h);
}

static void goes_on(enum lock_conflict conflict)
{
    struct holder one, two, other;
    struct house h;

    begin(&h, true, conflict);
    take(&h, h.a, &one, "t1", ".vault", LOCK_EXCLUSIVE);
    take(&h, h.a, &two, "t2", ".vault", LOCK_EXCLUSIVE);
    take(&h, h.b, &other, "t3", ".vault/x", LOCK_EXCLUSIVE);
    OK(has(&one) && !one.hold.conflicts);
    OK(has(&two) && two.hold.conflicts == (conflict == LOCK_WARN));
    OK(has(&other) && other.hold.conflicts == (conflict == LOCK_WARN));
    EQ(h.fake.n, 3); /* all are recorded */
    lock_release(h.a, &one.hold);
    lock_release(h.a, &two.hold);
    lock_release(h.b, &other.hold);
    end(&h);
}

TEST(with_turns_and_warn_all_go_on_and_know_of_each_other)
{
    goes_on(LOCK_TURNS);
    goes_on(LOCK_WARN);
}

/* ---- other processes ------------------------------------------------------------------------- */

TEST(a_lock_of_another_process_is_looked_at_again_every_lock_look_ms)
{
    struct holder one, two;
    struct house h;
    int looks;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &two, "t2", "a", LOCK_EXCLUSIVE);
    looks = h.fake.looks;
    loop_advance(h.loop, h.limits.lock_look_ms - 1);
    EQ(h.fake.looks, looks);
    loop_advance(h.loop, 1);
    turn(&h);
    EQ(h.fake.looks, looks + 1);
    OK(!two.done);
    lock_release(h.a, &one.hold);
    turn(&h);
    loop_advance(h.loop, h.limits.lock_look_ms);
    turn(&h);
    OK(has(&two));
    lock_release(h.b, &two.hold);
    end(&h);
}

TEST(after_lock_wait_ms_who_waits_for_another_process_gives_up)
{
    struct holder one, two;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &two, "t2", "a", LOCK_EXCLUSIVE);
    loop_advance(h.loop, h.limits.lock_wait_ms - h.limits.lock_look_ms);
    turn(&h);
    EQ(two.done, 0);
    loop_advance(h.loop, 2 * h.limits.lock_look_ms);
    turn(&h);
    EQ(two.err.code, ERR_TIMEOUT);
    HAS_S(str_of(two.err.text), "limits.lock_wait_ms");
    EQ(h.fake.n, 1);
    lock_release(h.a, &one.hold);
    end(&h);
}

TEST(the_locks_of_a_process_that_died_are_waited_for_no_longer)
{
    struct holder two;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    put_row(&h.fake, &(struct store_lock){
                         .task = STR("dead"), .paths = STR("[\"a\"]"), .exclusive = true });
    take(&h, h.b, &two, "t2", "a", LOCK_EXCLUSIVE);
    EQ(two.done, 0);
    drop_rows(&h.fake, STR("dead")); /* as the store tells no more of it */
    loop_advance(h.loop, h.limits.lock_look_ms);
    turn(&h);
    OK(has(&two));
    lock_release(h.b, &two.hold);
    end(&h);
}

TEST(two_processes_that_ask_at_once_agree_on_who_was_first)
{
    struct holder one, two;
    struct house h;

    begin(&h, true, LOCK_FAIL);
    h.fake.stalls = true;
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &two, "t2", "a", LOCK_EXCLUSIVE);
    EQ(one.done + two.done, 0);
    resume(&h.fake);
    turn(&h);
    OK(has(&one));
    EQ(two.err.code, ERR_DENIED);
    lock_release(h.a, &one.hold);
    end(&h);
}

/* ---- every end ------------------------------------------------------------------------------- */

TEST(who_is_cancelled_while_it_waits_leaves_no_trace_and_lets_the_next_one)
{
    struct holder one, two, three;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_SHARED);
    take(&h, h.a, &two, "t2", "a", LOCK_EXCLUSIVE);
    take(&h, h.a, &three, "t3", "a", LOCK_SHARED);
    OK(!two.done && !three.done);
    op_cancel(&two.hold.op);
    turn(&h);
    EQ(two.err.code, ERR_CANCELED);
    OK(has(&three));
    EQ(h.fake.n, 2);
    lock_release(h.a, &one.hold);
    lock_release(h.a, &three.hold);
    end(&h);
}

TEST(a_release_while_the_store_is_asked_takes_the_row_out_again)
{
    struct holder one, two;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    h.fake.stalls = true;
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    lock_release(h.a, &one.hold);
    turn(&h);
    EQ(one.err.code, ERR_CANCELED);
    take(&h, h.a, &two, "t2", "a", LOCK_EXCLUSIVE);
    resume(&h.fake);
    turn(&h);
    OK(has(&two));
    EQ(h.fake.n, 1);
    lock_release(h.a, &two.hold);
    end(&h);
}

TEST(a_store_that_fails_fails_the_lock)
{
    struct holder one;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    h.fake.fails = ERR_SYSTEM;
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    EQ(one.err.code, ERR_SYSTEM);
    EQ(h.fake.n, 0);
    end(&h);
}

TEST(a_row_that_cannot_be_taken_out_is_tried_again)
{
    struct holder one, two;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    h.fake.fails = ERR_TIMEOUT;
    lock_release(h.a, &one.hold);
    turn(&h);
    EQ(h.fake.n, 1);
    take(&h, h.a, &two, "t2", "a", LOCK_EXCLUSIVE);
    OK(has(&two)); /* it is ours, and we know that it is over */
    loop_advance(h.loop, h.limits.lock_look_ms);
    turn(&h);
    EQ(h.fake.n, 1);
    lock_release(h.a, &two.hold);
    end(&h);
}

TEST(a_table_that_is_freed_waits_for_what_the_store_is_asked)
{
    struct holder one;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    h.fake.stalls = true;
    lock_release(h.a, &one.hold);
    lock_table_free(h.a);
    h.a = NULL;
    resume(&h.fake);
    end(&h);
}

TEST(a_table_that_is_freed_lets_nobody_wait_for_others)
{
    struct holder one, two, held;
    struct house h;

    begin(&h, true, LOCK_WAIT);
    take(&h, h.a, &one, "t1", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &two, "t2", "a", LOCK_EXCLUSIVE);
    take(&h, h.b, &held, "t3", "b", LOCK_EXCLUSIVE);
    lock_table_free(h.b);
    turn(&h);
    EQ(two.err.code, ERR_CLOSED);
    lock_release(h.b, &held.hold); /* the last of it */
    h.b = NULL;
    lock_release(h.a, &one.hold);
    turn(&h);
    EQ(h.fake.n, 2); /* the store forgets them with their process */
    h.fake.n = 0;
    end(&h);
}

/* ---- turns ----------------------------------------------------------------------------------- */

TEST(nothing_is_waited_for_where_nobody_holds_a_lock)
{
    struct writer one, two;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    write_to(&h, h.a, &one, "src/x.c");
    write_to(&h, h.a, &two, "src/x.c");
    OK(writes(&one) && writes(&two));
    EQ(h.fake.puts, 0); /* and the store is not written */
    lock_turn_end(h.a, &one.turn);
    lock_turn_end(h.a, &two.turn);
    end(&h);
}

static void turns_one_by_one(bool with_store)
{
    struct holder lock, second;
    struct writer one, two, three, apart;
    struct house h;

    begin(&h, with_store, LOCK_TURNS);
    take(&h, h.a, &lock, "t1", ".vault", LOCK_EXCLUSIVE);
    take(&h, h.a, &second, "t2", ".vault", LOCK_EXCLUSIVE);
    write_to(&h, h.a, &one, ".vault/one");
    write_to(&h, h.a, &two, ".vault/two");
    write_to(&h, h.a, &three, ".vault/three");
    write_to(&h, h.a, &apart, "src/x.c");
    OK(writes(&one) && !two.done && !three.done && writes(&apart));
    lock_turn_end(h.a, &one.turn);
    turn(&h);
    OK(writes(&two) && !three.done);
    lock_turn_end(h.a, &two.turn);
    turn(&h);
    OK(writes(&three));
    lock_turn_end(h.a, &three.turn);
    lock_turn_end(h.a, &apart.turn);
    lock_release(h.a, &lock.hold);
    lock_release(h.a, &second.hold);
    end(&h);
}

TEST(writes_into_a_locked_path_take_turns_in_the_order_they_came)
{
    turns_one_by_one(false);
    turns_one_by_one(true);
}

TEST(writes_of_two_processes_take_turns)
{
    struct holder lock;
    struct writer one, two;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    take(&h, h.a, &lock, "t1", ".vault", LOCK_EXCLUSIVE);
    write_to(&h, h.b, &two, ".vault/x"); /* b holds no lock itself */
    write_to(&h, h.a, &one, ".vault/y");
    OK(writes(&two) && !one.done);
    lock_turn_end(h.b, &two.turn);
    turn(&h);
    loop_advance(h.loop, h.limits.lock_look_ms);
    turn(&h);
    OK(writes(&one));
    lock_turn_end(h.a, &one.turn);
    lock_release(h.a, &lock.hold);
    end(&h);
}

TEST(a_write_that_began_before_the_lock_is_waited_for)
{
    struct holder lock;
    struct writer one, two;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    write_to(&h, h.a, &one, "a/x");
    take(&h, h.a, &lock, "t1", "a", LOCK_EXCLUSIVE);
    write_to(&h, h.a, &two, "a/y");
    OK(writes(&one) && has(&lock) && !two.done);
    lock_turn_end(h.a, &one.turn);
    turn(&h);
    OK(writes(&two));
    lock_turn_end(h.a, &two.turn);
    lock_release(h.a, &lock.hold);
    end(&h);
}

TEST(a_call_with_two_paths_waits_for_both_at_once)
{
    struct holder left, right;
    struct writer one, two, three;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    take(&h, h.a, &left, "t1", "left", LOCK_EXCLUSIVE);
    take(&h, h.a, &right, "t2", "right", LOCK_EXCLUSIVE);
    begin_write(h.a, &one, "left/x", "right/x");
    begin_write(h.a, &two, "right/y", "left/y");
    begin_write(h.a, &three, "left/z", NULL);
    turn(&h);
    OK(writes(&one) && !two.done && !three.done);
    lock_turn_end(h.a, &one.turn);
    turn(&h);
    OK(writes(&two) && !three.done);
    lock_turn_end(h.a, &two.turn);
    turn(&h);
    OK(writes(&three));
    lock_turn_end(h.a, &three.turn);
    lock_release(h.a, &left.hold);
    lock_release(h.a, &right.hold);
    end(&h);
}

TEST(a_lock_that_is_released_ends_the_turns)
{
    struct holder lock;
    struct writer one, two;
    struct house h;

    begin(&h, true, LOCK_TURNS);
    take(&h, h.a, &lock, "t1", "a", LOCK_EXCLUSIVE);
    write_to(&h, h.a, &one, "a/x");
    write_to(&h, h.a, &two, "a/y");
    OK(writes(&one) && !two.done);
    lock_release(h.a, &lock.hold);
    turn(&h);
    OK(writes(&two));
    lock_turn_end(h.a, &one.turn);
    lock_turn_end(h.a, &two.turn);
    end(&h);
}

TEST(with_warn_nobody_takes_turns)
{
    struct holder lock;
    struct writer one, two;
    struct house h;

    begin(&h, true, LOCK_WARN);
    take(&h, h.a, &lock, "t1", "a", LOCK_EXCLUSIVE);
    write_to(&h, h.a, &one, "a/x");
    write_to(&h, h.a, &two, "a/y");
    OK(writes(&one) && writes(&two));
    lock_turn_end(h.a, &one.turn);
    lock_turn_end(h.a, &two.turn);
    lock_release(h.a, &lock.hold);
    end(&h);
}

/* ---- the list -------------------------------------------------------------------------------- */

static void on_list(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    *(int *)ctx = e ? -1 : 1;
}

static void list_held(bool with_store, enum lock_conflict conflict, size_t want)
{
    struct lock_list list = { 0 };
    struct holder one, two;
    struct writer w;
    struct house h;
    int listed = 0;

    begin(&h, with_store, conflict);
    take(&h, h.a, &one, "t1", ".vault/", LOCK_EXCLUSIVE);
    take(&h, h.a, &two, "t2", ".vault", LOCK_EXCLUSIVE);
    write_to(&h, h.a, &w, ".vault/x");
    OK(writes(&w));
    lock_list(with_store ? h.b : h.a, &list, NULL, on_list, &listed);
    turn(&h);
    EQ(listed, 1);
    EQ(list.n, want);
    EQ_S(list.v[0].task, "t1");
    EQ_S(list.v[0].agent, "scribe");
    EQ_S(list.v[0].paths, "[\".vault\"]");
    EQ_STR(list.v[0].mode, "exclusive");
    EQ(list.v[0].acquired, one.hold.acquired);
    arena_fini(&list.mem);
    lock_turn_end(h.a, &w.turn);
    lock_release(h.a, &two.hold);
    lock_release(h.a, &one.hold);
    end(&h);
}

TEST(the_list_has_who_holds_in_all_processes_and_neither_turns_nor_who_waits)
{
    list_held(true, LOCK_TURNS, 2);
    list_held(true, LOCK_WAIT, 1);
    list_held(false, LOCK_TURNS, 2);
    list_held(false, LOCK_WAIT, 1);
}

/* ---- calls of tools -------------------------------------------------------------------------- */

enum { CALLS = 5, WORK_MS = 50 };

static int at_work, most_at_work, begun;

struct labour {
    struct timer timer; /* first */
    struct call *call;
};

static void on_worked(struct timer *t)
{
    struct labour *w = (struct labour *)(void *)t;

    at_work--;
    call_done(w->call);
}

/* Writes for a while; notes how many do so at once. */
static void start_work(struct call *call)
{
    struct labour *w = ARENA_NEW(call->mem, struct labour);

    w->call = call;
    begun++;
    if (++at_work > most_at_work)
        most_at_work = at_work;
    timer_set(call->host->loop, &w->timer, WORK_MS, on_worked);
}

static const struct tool editor = { .name = "editor", .kind = TOOL_EDIT, .start = start_work };
static const struct tool reader = { .name = "reader", .kind = TOOL_READ, .start = start_work };
static const struct tool foreign = {
    .name = "gh_write", .alias = "gh:write", .kind = TOOL_EDIT, .start = start_work
};

struct office {
    struct house house;
    struct guard guard;
    struct host host;
    struct caller caller;
    struct holder lock[2];
    struct arena mem;
    struct call call[CALLS];
    int done;
    struct err err;
};

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct office *o = ctx;

    (void)op;
    note(&o->done, &o->err, e);
}

static void open_office(struct office *o, bool guarded)
{
    *o = (struct office){ .caller = { .kind = &caller_nobody,
                                      .name = "test",
                                      .origin = ORIGIN_STDIO,
                                      .principal = STR("user:1") } };
    at_work = most_at_work = begun = 0;
    begin(&o->house, true, LOCK_TURNS);
    guard_init(&o->guard, &o->house.limits);
    o->host = (struct host){ .loop = o->house.loop,
                             .limits = &o->house.limits,
                             .root_fd = -1,
                             .root = "/root",
                             .guard = guarded ? &o->guard : NULL,
                             .locks = o->house.a };
    take(&o->house, o->house.a, &o->lock[0], "t1", ".vault", LOCK_EXCLUSIVE);
    take(&o->house, o->house.b, &o->lock[1], "t2", ".vault", LOCK_EXCLUSIVE);
}

static void close_office(struct office *o)
{
    lock_release(o->house.a, &o->lock[0].hold);
    lock_release(o->house.b, &o->lock[1].hold);
    guard_fini(&o->guard);
    end(&o->house);
    arena_fini(&o->mem);
}

static struct json args(struct office *o, const char *text)
{
    struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    struct json v = { 0 };
    struct err e;

    OK(json_read(&o->mem, str_of(text), &opts, &v, &e));
    return v;
}

static void call_all(struct office *o, const struct tool *tool, const char *const *text)
{
    for (size_t i = 0; i < CALLS; i++)
        tool_run(tool, &o->call[i], &o->host, &o->caller, &o->mem, args(o, text[i]), NULL,
                 on_called, o);
    turn(&o->house);
}

static const char *const into_vault[CALLS] = {
    "{\"path\":\".vault/1\"}",        "{\"path\":\"/root/.vault/2\"}",
    "{\"path\":\"src/../.vault/3\"}", "{\"from\":\"src/x\",\"to\":\".vault/4\"}",
    "{\"file_path\":\".vault\"}",
};

static void never_at_once(bool guarded)
{
    struct office o;

    open_office(&o, guarded);
    call_all(&o, &editor, into_vault);
    for (int i = 1; i <= CALLS; i++) {
        EQ(begun, i);
        loop_advance(o.house.loop, WORK_MS);
        turn(&o.house);
        EQ(o.done, i);
    }
    EQ(most_at_work, 1);
    EQ(o.err.code, ERR_NONE);
    close_office(&o);
}

TEST(two_calls_never_write_into_a_locked_path_at_once)
{
    never_at_once(true);
    never_at_once(false);
}

static void all_at_once(const struct tool *tool, const char *const *text)
{
    struct office o;

    open_office(&o, true);
    call_all(&o, tool, text);
    EQ(begun, CALLS);
    loop_advance(o.house.loop, WORK_MS);
    turn(&o.house);
    EQ(o.done, CALLS);
    close_office(&o);
}

TEST(reading_and_tools_of_servers_and_writing_elsewhere_are_not_held_up)
{
    static const char *const elsewhere[CALLS] = {
        "{\"path\":\"src/1\"}", "{\"path\":\".vaults/2\"}", "{\"path\":\"/tmp/.vault/3\"}",
        "{\"key\":\"v\"}",      "{\"path\":\"src/1\"}",
    };

    all_at_once(&reader, into_vault);
    all_at_once(&foreign, into_vault);
    all_at_once(&editor, elsewhere);
}

TEST(the_deadline_of_a_call_stands_still_while_it_waits_for_its_turn)
{
    struct tool hasty = editor;
    struct office o;

    open_office(&o, true);
    hasty.timeout_ms = WORK_MS + 10;
    call_all(&o, &hasty, into_vault);
    loop_advance(o.house.loop, CALLS * WORK_MS);
    turn(&o.house);
    EQ(o.done, CALLS);
    EQ(o.err.code, ERR_NONE);
    close_office(&o);
}

TEST(a_call_that_waits_is_cancelled_at_once_and_never_begins)
{
    struct office o;

    open_office(&o, true);
    call_all(&o, &editor, into_vault);
    op_cancel(&o.call[1].op);
    turn(&o.house);
    EQ(o.done, 1);
    EQ(o.err.code, ERR_CANCELED);
    loop_advance(o.house.loop, CALLS * WORK_MS);
    turn(&o.house);
    EQ(o.done, CALLS);
    EQ(begun, CALLS - 1);
    close_office(&o);
}

TEST(a_call_that_cannot_take_its_turn_says_so)
{
    struct office o;

    open_office(&o, true);
    o.house.fake.fails = ERR_SYSTEM;
    call_all(&o, &editor, into_vault);
    EQ(o.done, 1);
    EQ(o.err.code, ERR_SYSTEM);
    HAS_S(str_of(o.err.text), "editor could not lock its path for writing");
    loop_advance(o.house.loop, CALLS * WORK_MS);
    turn(&o.house);
    EQ(o.done, CALLS);
    close_office(&o);
}

TEST_MAIN()
