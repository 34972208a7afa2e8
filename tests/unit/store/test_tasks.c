/* Tasks and locks as core sees them, over the real database. */
#include "store_world.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

/* ---- the usual steps ------------------------------------------------------------------------ */

static const struct store_event submitted = { .kind = STR("status"), .body = STR("{}") };

static struct store_step create_step(const char *id)
{
    return (struct store_step){ STORE_TASK_CREATE, .task = { .id = str_of(id),
                                                             .context = STR("c"),
                                                             .owner = STR("user:1"),
                                                             .agent = STR("coder"),
                                                             .state = STR("submitted"),
                                                             .spec = STR("{\"text\":\"do\"}"),
                                                             .event = &submitted,
                                                             .events = 1 } };
}

static void create(struct world *w, const char *id)
{
    struct store_step s = create_step(id);

    OK(world_ask(w, &s));
}

static struct store_step update_step(const char *id, int64_t fence)
{
    return (struct store_step){ STORE_TASK_UPDATE, .task = { .id = str_of(id), .fence = fence } };
}

static bool end_task(struct world *w, const char *id, int64_t expires)
{
    struct store_step s = update_step(id, 1);

    s.task.state = STR("completed");
    s.task.final = true;
    s.task.expires = expires;
    return world_ask(w, &s);
}

static struct store_step task_step(enum store_what what, const char *id)
{
    return (struct store_step){ what, .task = { .id = str_of(id) } };
}

static bool is_there(struct world *w, const char *id)
{
    struct store_step s = task_step(STORE_TASK_LOAD, id);

    return world_ask(w, &s);
}

/* The ids of all pages, joined. */
static const char *ids(struct world *w, struct store_step s)
{
    struct str all = STR("");

    do {
        OK(world_ask(w, &s));
        for (size_t i = 0; i < s.tasks.n; i++)
            all = arena_printf(&w->place.mem, STR_FMT STR_FMT, STR_ARG(all),
                               STR_ARG(s.tasks.v[i].id));
    } while (s.tasks.more && s.tasks.n);
    return all.p;
}

static int64_t rows(struct world *w, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    int64_t n = -1;

    OK(sqlite3_open(w->path, &db) == SQLITE_OK);
    OK(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* ---- one task ------------------------------------------------------------------------------- */

TEST(a_task_and_its_events_are_there_after_a_restart)
{
    AUTO_WORLD w;
    struct store_event v[] = { { .kind = STR("text"), .body = STR("{\"a\":1}") },
                               { .kind = STR("ask"), .body = STR("{}") } };
    struct store_step s = create_step("t1"), u = update_step("t1", 1), back[2];

    world_init(&w);
    OK(world_open(&w));
    OK(world_ask(&w, &s));
    EQ(s.task.fence, 1);
    EQ(s.task.version, 1);
    EQ(s.task.last_seq, 1);
    OK(s.task.in_use && s.task.created && !s.task.ended);
    u.task.state = STR("working");
    u.task.session = STR("s1");
    u.task.asks = STR("{\"k\":{}}");
    u.task.event = v;
    u.task.events = 2;
    OK(world_ask(&w, &u));
    EQ(u.task.version, 2);
    EQ(u.task.last_seq, 3);
    OK(!u.task.canceled);
    world_close(&w);
    OK(world_open(&w));
    back[0] = task_step(STORE_TASK_LOAD, "t1");
    back[1] = (struct store_step){ STORE_TASK_EVENTS, .events = { .session = STR("t1") } };
    OK(world_ask_all(&w, back, 2));
    EQ_S(back[0].task.state, "working");
    EQ_S(back[0].task.agent, "coder");
    EQ_S(back[0].task.session, "s1");
    EQ_S(back[0].task.spec, "{\"text\":\"do\"}");
    EQ_S(back[0].task.asks, "{\"k\":{}}");
    EQ(back[0].task.created, s.task.created);
    EQ(back[0].task.last_seq, 3);
    OK(back[0].task.in_use && !back[0].task.final);
    EQ(back[1].events.n, 3);
    EQ(back[1].events.v[0].seq, 1);
    EQ_S(back[1].events.v[1].body, "{\"a\":1}");
    EQ_S(back[1].events.v[2].kind, "ask");
}

TEST(a_task_id_is_given_once_and_an_unknown_one_is_not_found)
{
    AUTO_WORLD w;
    struct store_step s = create_step("t"), u = update_step("none", 1);
    static const enum store_what by_id[] = { STORE_TASK_LOAD, STORE_TASK_TAKE, STORE_TASK_CANCEL };

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "task t already exists");
    EQ(rows(&w, "SELECT count(*) FROM task_events"), 1);
    OK(!world_ask(&w, &u));
    EQ(w.e.code, ERR_NOT_FOUND);
    for (size_t i = 0; i < ARRAY_LEN(by_id); i++) {
        s = task_step(by_id[i], "none");
        OK(!world_ask(&w, &s));
        EQ(w.e.code, ERR_NOT_FOUND);
        HAS_S(str_of(w.e.text), "there is no task none");
    }
    s = (struct store_step){ STORE_TASK_EVENTS, .events = { .session = STR("none") } };
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_NOT_FOUND);
}

TEST(a_task_changes_only_from_the_version_that_was_seen)
{
    AUTO_WORLD w;
    struct store_step u = update_step("t", 1), l = task_step(STORE_TASK_LOAD, "t");

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    u.task.version = 1;
    u.task.agent = STR("other");
    u.task.text = STR("on it");
    OK(world_ask(&w, &u));
    EQ(u.task.version, 2);
    u.task.version = 1;
    u.task.event = &submitted;
    u.task.events = 1;
    OK(!world_ask(&w, &u));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "it has version 2, not 1");
    OK(world_ask(&w, &l));
    EQ_S(l.task.agent, "other");
    EQ_S(l.task.context, "c");
    EQ_S(l.task.text, "on it");
    EQ_S(l.task.state, "submitted");
    EQ(l.task.last_seq, 1);
}

TEST(a_final_task_cannot_change_any_more)
{
    AUTO_WORLD w;
    struct store_step s = create_step("t"), l = task_step(STORE_TASK_LOAD, "t");
    static const enum store_what by_id[] = { STORE_TASK_TAKE, STORE_TASK_CANCEL };

    world_init(&w);
    OK(world_open(&w));
    OK(world_ask(&w, &s));
    OK(end_task(&w, "t", 0));
    OK(!end_task(&w, "t", 0));
    EQ(w.e.code, ERR_INVALID);
    HAS_S(str_of(w.e.text), "task t has already ended (completed)");
    for (size_t i = 0; i < ARRAY_LEN(by_id); i++) {
        s = task_step(by_id[i], "t");
        OK(!world_ask(&w, &s));
        EQ(w.e.code, ERR_INVALID);
    }
    OK(world_ask(&w, &l));
    OK(l.task.final && !l.task.in_use && !l.task.canceled);
    OK(l.task.ended >= l.task.created);
    EQ(l.task.expires, l.task.ended + w.limits.task_keep_ms);
}

TEST(who_works_on_a_task_hears_that_it_is_canceled)
{
    AUTO_WORLD w;
    struct store_step c = task_step(STORE_TASK_CANCEL, "t"), u = update_step("t", 1);

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    OK(world_ask(&w, &c));
    OK(c.task.canceled && c.task.in_use);
    EQ(c.task.version, 1);
    u.task.version = 1;
    OK(world_ask(&w, &u));
    OK(u.task.canceled);
    c = task_step(STORE_TASK_TAKE, "t");
    OK(world_ask(&w, &c));
    OK(c.task.canceled);
}

static struct store_step answer_step(const char *task, const char *key)
{
    return (struct store_step){ STORE_TASK_ANSWER, .answer = { .task = str_of(task),
                                                               .key = str_of(key),
                                                               .answer = STR("{}"),
                                                               .by = STR("ann") } };
}

static bool is_refused(struct world *w, const char *task, const char *key, const char *why)
{
    struct store_step s = answer_step(task, key);

    if (world_ask(w, &s))
        return false;
    EQ(w->e.code, ERR_NOT_FOUND);
    HAS_S(str_of(w->e.text), why);
    return true;
}

static size_t answers(struct world *w, const char *task, int64_t after)
{
    struct store_step s = { STORE_TASK_ANSWERS,
                            .answers = { .task = str_of(task), .after = after } };

    OK(world_ask(w, &s));
    return s.answers.n;
}

TEST(an_open_question_of_a_task_is_answered_once)
{
    AUTO_WORLD w;
    struct store_step u = update_step("t", 1), a = answer_step("t", "k1"),
                      b = answer_step("t", "k2"), page;

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    OK(is_refused(&w, "nobody", "k1", "there is no task"));
    OK(is_refused(&w, "t", "k1", "is not open"));
    u.task.asks = STR("{\"k1\":{},\"k2\":{}}");
    OK(world_ask(&w, &u));
    page = (struct store_step){ STORE_TASKS, .tasks = { .only_asking = true } };
    EQ_STR(ids(&w, page), "t");
    OK(world_ask(&w, &a));
    OK(is_refused(&w, "t", "k1", "answered already"));
    OK(world_ask(&w, &b));
    OK(b.answer.n > a.answer.n);
    EQ(answers(&w, "t", 0), 2);
    EQ(answers(&w, "t", a.answer.n), 1);
    EQ(answers(&w, "t", b.answer.n), 0);
    OK(end_task(&w, "t", 0));
    EQ(answers(&w, "t", 0), 0);
    OK(is_refused(&w, "t", "k2", "has ended"));
    EQ_STR(ids(&w, page), "");
}

TEST(who_takes_a_task_takes_neither_its_questions_nor_their_answers)
{
    AUTO_WORLD w;
    struct store_step u = update_step("t", 1), a = answer_step("t", "k1"),
                      t = task_step(STORE_TASK_TAKE, "t");

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    u.task.asks = STR("{\"k1\":{}}");
    OK(world_ask(&w, &u));
    OK(world_ask(&w, &a));
    OK(world_ask(&w, &t));
    EQ(t.task.asks.n, 0);
    EQ(answers(&w, "t", 0), 0);
    OK(is_refused(&w, "t", "k1", "is not open"));
}

TEST(events_of_one_kind_can_be_asked_for)
{
    AUTO_WORLD w;
    const struct store_event ev[] = { { .kind = STR("text"), .body = STR("{}") },
                                      { .kind = STR("answered"), .body = STR("{}") },
                                      { .kind = STR("text"), .body = STR("{}") } };
    struct store_step u = update_step("t", 1);
    struct store_step s = { STORE_TASK_EVENTS,
                            .events = { .session = STR("t"), .kind = STR("answered") } };

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    u.task.event = ev;
    u.task.events = ARRAY_LEN(ev);
    OK(world_ask(&w, &u));
    OK(world_ask(&w, &s));
    EQ(s.events.n, 1);
    EQ(s.events.v[0].seq, 3);
    s.events =
        (struct store_event_page){ .session = STR("t"), .kind = STR("answered"), .after = 3 };
    OK(world_ask(&w, &s));
    EQ(s.events.n, 0);
}

TEST(events_of_a_task_come_in_pages)
{
    AUTO_WORLD w;
    struct store_step p = { STORE_TASK_EVENTS, .events = { .session = STR("t"), .most = 2 } };
    struct store_step u = update_step("t", 1);
    struct store_event v[] = { submitted, submitted, submitted };

    world_init(&w);
    OK(world_open(&w));
    create(&w, "other");
    create(&w, "t");
    create(&w, "third");
    u.task.event = v;
    u.task.events = 3;
    OK(world_ask(&w, &u));
    for (int64_t after = 0; after < 4; after += 2) {
        p.events.after = after;
        OK(world_ask(&w, &p));
        EQ(p.events.n, 2);
        EQ(p.events.v[0].seq, after + 1);
        EQ(p.events.v[1].seq, after + 2);
        EQ(p.events.more, after == 0);
    }
}

/* "N TASK/SEQ " for each event of the order behind `after`, read in pages of two. */
static const char *feed(struct world *w, int64_t after, struct store_feed_page *last)
{
    struct store_step s = { STORE_TASK_FEED, .feed = { .after = after, .most = 2 } };
    struct str all = STR("");

    do {
        OK(world_ask(w, &s));
        for (size_t i = 0; i < s.feed.n; i++) {
            const struct store_feed_event *ev = &s.feed.v[i];

            all = arena_printf(&w->place.mem, STR_FMT "%lld " STR_FMT "/%lld ", STR_ARG(all),
                               (long long)ev->n, STR_ARG(ev->task), (long long)ev->event.seq);
            s.feed.after = ev->n;
        }
    } while (s.feed.more);
    if (last)
        *last = s.feed;
    return all.p;
}

static void tell_two(struct world *w, const char *id, bool first, bool second)
{
    struct store_event v[] = { { .kind = STR("a"), .body = STR("{}"), .feed = first },
                               { .kind = STR("b"), .body = STR("{}"), .feed = second } };
    struct store_step u = update_step(id, 1);

    u.task.event = v;
    u.task.events = 2;
    OK(world_ask(w, &u));
}

TEST(events_of_all_tasks_have_one_order)
{
    AUTO_WORLD w;
    struct store_feed_page page;

    world_init(&w);
    OK(world_open(&w));
    EQ_S(str_of(feed(&w, 0, &page)), "");
    EQ(page.last, 0);
    create(&w, "x");
    create(&w, "y");
    tell_two(&w, "y", true, true);
    tell_two(&w, "x", false, true);
    tell_two(&w, "y", true, false);
    EQ_S(str_of(feed(&w, 0, &page)), "1 y/2 2 y/3 3 x/3 4 y/4 ");
    EQ(page.first, 1);
    EQ(page.last, 4);
    EQ_S(str_of(feed(&w, 2, NULL)), "3 x/3 4 y/4 ");
    world_close(&w);
    OK(world_open(&w));
    tell_two(&w, "x", true, false);
    EQ_S(str_of(feed(&w, 4, &page)), "5 x/4 ");
    EQ_S(page.v[0].context, "c");
    EQ_S(page.v[0].owner, "user:1");
    EQ_S(page.v[0].agent, "coder");
    EQ_S(page.v[0].event.kind, "a");
}

TEST(the_order_outlives_tasks_that_leave_and_forgets_what_is_old)
{
    AUTO_WORLD w;
    struct store_step g = { .what = STORE_TASKS_EXPIRE };
    struct store_feed_page page;

    world_init(&w);
    w.limits.task_feed = 3;
    OK(world_open(&w));
    create(&w, "x");
    tell_two(&w, "x", true, true);
    OK(end_task(&w, "x", 1));
    OK(world_ask(&w, &g));
    EQ_S(str_of(feed(&w, 0, &page)), "");
    EQ(page.last, 2); /* its number is not given again */
    create(&w, "y");  /* in the place of x */
    tell_two(&w, "y", true, true);
    EQ_S(str_of(feed(&w, 0, &page)), "3 y/2 4 y/3 ");
    EQ(page.first, 1);
    create(&w, "z");
    EQ_S(str_of(feed(&w, 0, &page)), "3 y/2 4 y/3 ");
    EQ(page.first, 2);
    tell_two(&w, "z", true, true);
    create(&w, "more");
    EQ_S(str_of(feed(&w, 0, &page)), "4 y/3 5 z/2 6 z/3 ");
    EQ(page.first, 4);
}

TEST(a_task_that_says_much_keeps_no_more_than_limits_task_feed)
{
    static struct store_event many[1500];
    AUTO_WORLD w;
    struct store_step u = update_step("x", 1);

    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = (struct store_event){ .kind = STR("a"), .body = STR("{}"), .feed = true };
    world_init(&w);
    w.limits.task_feed = 10;
    OK(world_open(&w));
    create(&w, "x");
    u.task.event = many;
    u.task.events = ARRAY_LEN(many);
    OK(world_ask(&w, &u));
    EQ(rows(&w, "SELECT count(*) FROM task_feed"), 10);
    EQ(rows(&w, "SELECT max(n) FROM task_feed"), 1500);
}

TEST(a_value_of_a_task_that_is_too_large_is_refused)
{
    AUTO_WORLD w;
    char big[1100];
    struct store_event v = { .kind = STR("text"), .body = { big, sizeof(big) } };
    struct store_step s = create_step("t"), u = update_step("t", 1);
    struct store_step l = { STORE_LOCK_PUT,
                            .lock = { .task = STR("t"), .paths = { big, sizeof(big) } } };

    world_init(&w);
    w.limits.store_value_bytes = 1024;
    OK(world_open(&w));
    memset(big, 'x', sizeof(big));
    s.task.spec = (struct str){ big, sizeof(big) };
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_LIMIT);
    create(&w, "t");
    u.task.event = &v;
    u.task.events = 1;
    OK(!world_ask(&w, &u));
    EQ(w.e.code, ERR_LIMIT);
    OK(!world_ask(&w, &l));
    EQ(w.e.code, ERR_LIMIT);
}

/* ---- who works on it ------------------------------------------------------------------------ */

TEST(of_two_stores_only_the_last_to_take_a_task_writes)
{
    AUTO_WORLD w;
    struct store *first;
    struct store_step t = task_step(STORE_TASK_TAKE, "t"), u = update_step("t", 1);

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    first = w.store;
    OK(world_open(&w));
    OK(world_ask(&w, &t));
    EQ(t.task.fence, 2);
    EQ(t.task.version, 2);
    EQ_S(t.task.spec, "{\"text\":\"do\"}");
    world_close(&w);
    w.store = first;
    OK(!world_ask(&w, &u));
    EQ(w.e.code, ERR_DENIED);
    HAS_S(str_of(w.e.text), "taken over by another process (token 1, now 2)");
    u.task.fence = 2;
    OK(world_ask(&w, &u));
}

static void set_process(struct world *w, const char *table, const char *name, long long lease)
{
    char sql[256];

    snprintf(sql, sizeof(sql), "UPDATE %s SET process = '%s', lease = %lld RETURNING n", table,
             name, lease);
    OK(rows(w, sql) > 0);
}

TEST(the_lease_decides_where_nobody_can_look)
{
    AUTO_WORLD w;
    struct store_step t = task_step(STORE_TASK_TAKE, "t"), lost = { .what = STORE_TASKS_LOST };

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    set_process(&w, "tasks", "elsewhere/pid:[1]/42/7", INT64_MAX);
    OK(!world_ask(&w, &t));
    EQ(w.e.code, ERR_DENIED);
    HAS_S(str_of(w.e.text), "process 42 works on task t");
    EQ_STR(ids(&w, lost), "");
    set_process(&w, "tasks", "elsewhere/pid:[1]/42/7", 1);
    EQ_STR(ids(&w, lost), "t");
    OK(world_ask(&w, &t));
    EQ(t.task.fence, 2);
    EQ_STR(ids(&w, lost), "");
}

static void put_lock(struct world *w, const char *task)
{
    struct store_step s = { STORE_LOCK_PUT, .lock = { .task = str_of(task),
                                                      .agent = STR("coder"),
                                                      .paths = STR("[\"src\"]"),
                                                      .exclusive = true } };

    OK(world_ask(w, &s));
    OK(s.lock.acquired > 0);
}

/* A process of its own that has two live tasks, a final one and a lock, and says so. */
static void live_until_killed(struct world *w, int say)
{
    w->loop = loop_new(LOOP_REAL_CLOCK);
    OK(world_open(w));
    create(w, "a");
    create(w, "b");
    create(w, "c");
    OK(end_task(w, "b", 0));
    put_lock(w, "a");
    OK(write(say, "!", 1) == 1);
    for (;;)
        pause();
}

struct child {
    pid_t pid;
};

static struct child child_new(struct world *w)
{
    struct child c;
    int pipe_fd[2];
    char said;

    OK(pipe(pipe_fd) == 0);
    c.pid = fork();
    if (!c.pid)
        live_until_killed(w, pipe_fd[1]);
    close(pipe_fd[1]);
    OK(read(pipe_fd[0], &said, 1) == 1);
    close(pipe_fd[0]);
    return c;
}

static void child_kill(struct child c)
{
    kill(c.pid, SIGKILL);
    OK(waitpid(c.pid, NULL, 0) == c.pid);
}

TEST(live_tasks_of_a_killed_process_are_lost_until_they_are_taken)
{
    AUTO_WORLD w;
    struct store_step lost = { STORE_TASKS_LOST, .tasks = { .most = 1 } };
    struct store_step t = task_step(STORE_TASK_TAKE, "a");
    struct child c;

    world_init(&w);
    c = child_new(&w);
    OK(world_open(&w));
    create(&w, "d");
    OK(!world_ask(&w, &t));
    EQ(w.e.code, ERR_DENIED);
    EQ_STR(ids(&w, lost), "");
    child_kill(c);
    EQ_STR(ids(&w, lost), "ac");
    OK(world_ask(&w, &t));
    EQ(t.task.fence, 2);
    OK(t.task.in_use);
    EQ_STR(ids(&w, lost), "c");
}

/* ---- many ----------------------------------------------------------------------------------- */

TEST(when_there_are_too_many_the_one_that_ended_first_makes_room)
{
    AUTO_WORLD w;
    struct store_step s = create_step("d");

    world_init(&w);
    w.limits.tasks = 3;
    OK(world_open(&w));
    create(&w, "a");
    create(&w, "b");
    create(&w, "c");
    OK(!world_ask(&w, &s));
    EQ(w.e.code, ERR_BUSY);
    HAS_S(str_of(w.e.text), "there are 3 unfinished tasks (limits.tasks is 3)");
    OK(end_task(&w, "c", 0));
    OK(end_task(&w, "a", 0));
    rows(&w, "UPDATE tasks SET ended = ended + 5 WHERE id = 'a'"); /* in another ms */
    s = create_step("b");
    OK(!world_ask(&w, &s)); /* nobody leaves for one that does not come */
    EQ(w.e.code, ERR_INVALID);
    OK(is_there(&w, "c"));
    create(&w, "d");
    OK(!is_there(&w, "c"));
    OK(is_there(&w, "a"));
    create(&w, "e");
    OK(!is_there(&w, "a"));
    EQ(rows(&w, "SELECT count(*) FROM task_events"), 3);
    s = create_step("f");
    OK(!world_ask(&w, &s));
    s.task.capacity = 4;
    OK(world_ask(&w, &s));
    EQ(rows(&w, "SELECT tasks FROM task_count"), 4);
}

TEST(final_tasks_leave_when_their_time_is_over)
{
    AUTO_WORLD w;
    struct store_step g = { .what = STORE_TASKS_EXPIRE };

    world_init(&w);
    OK(world_open(&w));
    for (int i = 0; i < 70; i++) {
        const char *id = arena_printf(&w.place.mem, "t%d", i).p;

        create(&w, id);
        OK(i == 1 || end_task(&w, id, i == 0 ? INT64_MAX : 1));
    }
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 64);
    OK(g.gc.more);
    OK(world_ask(&w, &g));
    EQ(g.gc.deleted, 4);
    OK(!g.gc.more);
    OK(is_there(&w, "t0"));
    OK(is_there(&w, "t1"));
    EQ(rows(&w, "SELECT count(*) FROM task_events"), 2);
    EQ(rows(&w, "SELECT tasks FROM task_count"), 2);
}

TEST(tasks_are_listed_newest_first_by_all_filters)
{
    static const struct {
        const char *owner, *context, *agent;
        bool only_live;
        const char *ids;
    } list[] = {
        { NULL, NULL, NULL, false, "hgfedcba" }, { NULL, NULL, NULL, true, "hgfe" },
        { "u0", NULL, NULL, false, "geca" },     { NULL, "c1", NULL, false, "hgdc" },
        { NULL, NULL, "a0", false, "gfca" },     { "u0", NULL, "a0", false, "gca" },
        { "u0", NULL, NULL, true, "ge" },        { "u0", "c1", "a0", true, "g" },
        { "none", NULL, NULL, false, "" },
    };
    static const char *const user[] = { "u0", "u1" }, *const context[] = { "c0", "c1" };
    AUTO_WORLD w;

    world_init(&w);
    OK(world_open(&w));
    for (int i = 0; i < 8; i++) {
        const char *id = arena_printf(&w.place.mem, "%c", 'a' + i).p;
        struct store_step s = create_step(id);

        s.task.owner = str_of(user[i % 2]);
        s.task.context = str_of(context[i / 2 % 2]);
        s.task.agent = strchr("acfg", id[0]) ? STR("a0") : STR("a1");
        OK(world_ask(&w, &s));
        OK(i >= 4 || end_task(&w, id, 0));
    }
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        for (int64_t most = 0; most < 4; most++) {
            struct store_step s = { STORE_TASKS,
                                    .tasks = { .only_live = list[i].only_live, .most = most } };

            s.tasks.owner = list[i].owner ? str_of(list[i].owner) : STR_NONE;
            s.tasks.context = list[i].context ? str_of(list[i].context) : STR_NONE;
            s.tasks.agent = list[i].agent ? str_of(list[i].agent) : STR_NONE;
            EQ_STR(ids(&w, s), list[i].ids);
        }
}

TEST(a_page_of_tasks_ends_by_its_bytes)
{
    AUTO_WORLD w;
    struct store_step p = { .what = STORE_TASKS }, s = create_step("a");
    char spec[700];

    world_init(&w);
    w.limits.store_page_bytes = 1024;
    OK(world_open(&w));
    memset(spec, 'x', sizeof(spec));
    s.task.spec = (struct str){ spec, sizeof(spec) };
    for (int i = 0; i < 3; i++) {
        s.task.id = (struct str){ &"abc"[i], 1 };
        OK(world_ask(&w, &s));
    }
    OK(world_ask(&w, &p));
    EQ(p.tasks.n, 2);
    OK(p.tasks.more);
    OK(world_ask(&w, &p));
    EQ(p.tasks.n, 1);
    EQ_S(p.tasks.v[0].id, "a");
    OK(!p.tasks.more);
}

/* ---- locks ---------------------------------------------------------------------------------- */

static const char *locked(struct world *w)
{
    struct store_step s = { .what = STORE_LOCKS };
    struct str all = STR("");

    OK(world_ask(w, &s));
    for (size_t i = 0; i < s.locks.n; i++)
        all =
            arena_printf(&w->place.mem, STR_FMT STR_FMT, STR_ARG(all), STR_ARG(s.locks.v[i].task));
    return all.p;
}

TEST(locks_are_listed_in_order_and_dropped_by_task)
{
    AUTO_WORLD w;
    struct store_step s = { .what = STORE_LOCKS };
    struct store_step d = { STORE_LOCK_DROP, .lock = { .task = STR("a") } };

    world_init(&w);
    OK(world_open(&w));
    EQ_STR(locked(&w), "");
    put_lock(&w, "a");
    put_lock(&w, "b");
    put_lock(&w, "a");
    EQ_STR(locked(&w), "aba");
    OK(world_ask(&w, &s));
    EQ_S(s.locks.v[0].agent, "coder");
    EQ_S(s.locks.v[0].paths, "[\"src\"]");
    OK(s.locks.v[0].exclusive && s.locks.v[0].acquired > 0);
    OK(world_ask(&w, &d));
    EQ_STR(locked(&w), "b");
    for (int i = 0; i < 40; i++)
        put_lock(&w, "x");
    EQ(strlen(locked(&w)), 41);
}

TEST(locks_of_a_killed_process_count_no_more_and_leave)
{
    AUTO_WORLD w;
    struct child c;

    world_init(&w);
    c = child_new(&w);
    OK(world_open(&w));
    EQ_STR(locked(&w), "a");
    child_kill(c);
    EQ_STR(locked(&w), "");
    EQ(rows(&w, "SELECT count(*) FROM locks"), 1);
    put_lock(&w, "d");
    EQ(rows(&w, "SELECT count(*) FROM locks"), 1);
    EQ_STR(locked(&w), "d");
}

TEST(a_process_drops_only_locks_of_its_own)
{
    AUTO_WORLD w;
    struct store_step d = { STORE_LOCK_DROP, .lock = { .task = STR("a") } };
    struct child c;

    world_init(&w);
    c = child_new(&w);
    OK(world_open(&w));
    put_lock(&w, "a");
    EQ_STR(locked(&w), "aa");
    OK(world_ask(&w, &d));
    EQ_STR(locked(&w), "a");
    child_kill(c);
    EQ_STR(locked(&w), "");
}

/* Also of one that lives, and does not know yet. */
TEST(who_takes_a_task_takes_its_locks_from_the_process_that_had_it)
{
    AUTO_WORLD w;
    struct store_step t = task_step(STORE_TASK_TAKE, "a");
    struct child c;

    world_init(&w);
    c = child_new(&w);
    OK(world_open(&w));
    put_lock(&w, "d");
    t.task.fence = 1;
    OK(world_ask(&w, &t));
    EQ_STR(locked(&w), "d");
    put_lock(&w, "a");
    t.task.fence = 2;
    OK(world_ask(&w, &t));
    EQ_STR(locked(&w), "da");
    child_kill(c);
}

TEST(the_lease_of_a_task_keeps_its_locks)
{
    AUTO_WORLD w;

    world_init(&w);
    OK(world_open(&w));
    create(&w, "t");
    put_lock(&w, "t");
    put_lock(&w, "other");
    set_process(&w, "locks", "elsewhere/pid:[1]/42/7", 1);
    EQ_STR(locked(&w), "t");
    rows(&w, "UPDATE tasks SET lease = 1");
    EQ_STR(locked(&w), "");
}

TEST_MAIN()
