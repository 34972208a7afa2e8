/*
 * task_bench.c - tasks through the store and by bare SQLite, and look-ups among many.
 *
 *   task_bench ours|bare DB CLIENTS MS
 *   task_bench fill DB TASKS
 *   task_bench load|page|owner|live DB TASKS MS
 *
 * ours: so many clients at once; each creates a task, updates it twice, completes it, and begins
 *       anew. Each step has an event, survives a power cut, and is waited for.
 * bare: one loop that runs the same statements, each of the four steps for as many tasks per
 *       transaction as there are clients, with SQLite's own checkpoints.
 * fill: so many tasks that have ended, but for a few.
 * load: one of them after the other, by a random id; page, owner, live: the first page, of all, of
 *       one owner, of those that live.
 * Prints rate, p50_us and p99_us, of whole tasks or of look-ups.
 */
#include "store_bench.h"

enum { STEPS = 4, LIVE = 100 };

static const struct str spec =
    STR("{\"agent\":\"coder\",\"text\":\"Look at the tests that fail, find out why, and repair "
        "what is broken; then say in a few sentences what it was.\",\"caller\":\"mcp\"}");
static const struct str result =
    STR("{\"summary\":\"A bound was off by one.\",\"response\":\"The tests failed since a bound "
        "was off by one in the second loop; it is repaired, and they pass.\",\"artifacts\":[],"
        "\"stop\":\"end_turn\",\"duration_seconds\":12.5}");
static const struct str body = STR("{\"state\":\"working\",\"text\":\"Reading the tests.\"}");

struct bench;

struct client {
    struct store_ask ask;
    struct store_step step;
    struct store_event event;
    struct bench *bench;
    char id[32];
    int at; /* of its STEPS */
    int64_t fence, began;
};

struct bench {
    struct loop *loop;
    struct limits limits;
    struct store *store;
    const char *path;
    int64_t until, made, tasks;
    int live;
    uint64_t dice;
    struct tally tally;
};

/* ---- through the store ---------------------------------------------------------------------- */

static void leave(struct bench *b)
{
    if (!--b->live)
        loop_stop(b->loop);
}

static struct store_task first(struct client *c)
{
    snprintf(c->id, sizeof(c->id), "task-%08lld", (long long)c->bench->made++);
    return (struct store_task){ .id = str_of(c->id),
                                .context = str_of(c->id),
                                .owner = STR("user:1"),
                                .agent = STR("coder"),
                                .state = STR("submitted"),
                                .spec = spec };
}

static struct store_task further(const struct client *c)
{
    struct store_task t = { .id = str_of(c->id), .fence = c->fence, .state = STR("working") };

    if (c->at == STEPS - 1) {
        t.state = STR("completed");
        t.result = result;
        t.final = true;
    }
    return t;
}

static void on_step(struct op *op, const struct err *e, void *ctx);

static void next_step(struct client *c)
{
    c->event = (struct store_event){ .kind = STR("status"), .body = body, .feed = true };
    c->step.what = c->at ? STORE_TASK_UPDATE : STORE_TASK_CREATE;
    c->step.task = c->at ? further(c) : first(c);
    c->step.task.event = &c->event;
    c->step.task.events = 1;
    c->ask = (struct store_ask){ .step = &c->step, .steps = 1, .durability = STORE_POWER };
    if (!c->at)
        c->began = now_ns();
    store_start(store_port(c->bench->store), &c->ask, NULL, on_step, c);
}

static void on_step(struct op *op, const struct err *e, void *ctx)
{
    struct client *c = ctx;

    (void)op;
    must(!e, e ? e->text : "");
    store_ask_fini(&c->ask);
    if (!c->at)
        c->fence = c->step.task.fence;
    c->at = (c->at + 1) % STEPS;
    if (!c->at) {
        note(&c->bench->tally, c->began);
        if (now_ns() >= c->bench->until) {
            leave(c->bench);
            return;
        }
    }
    next_step(c);
}

/* ---- life of the store ---------------------------------------------------------------------- */

static void on_closed(void *ctx)
{
    loop_stop(((struct bench *)ctx)->loop);
}

static void open_store(struct bench *b)
{
    struct err e;

    limits_preset(&b->limits);
    b->limits.tasks = INT64_MAX;
    b->loop = loop_new(LOOP_REAL_CLOCK);
    must(store_open(b->loop, &b->limits, b->path, &b->store, &e), e.text);
}

static void close_store(struct bench *b)
{
    store_close(b->store, on_closed, b);
    loop_run(b->loop);
    loop_free(b->loop);
}

static void run_ours(struct bench *b, int clients, int64_t ms)
{
    struct client *c = mem_zero((size_t)clients * sizeof(*c));
    int64_t began;

    open_store(b);
    began = now_ns();
    b->until = began + ms * 1000000;
    b->live = clients;
    for (int i = 0; i < clients; i++) {
        c[i].bench = b;
        next_step(&c[i]);
    }
    loop_run(b->loop);
    report(&b->tally, now_ns() - began);
    close_store(b);
    mem_free(c);
}

/* ---- bare SQLite ---------------------------------------------------------------------------- */

struct bare {
    sqlite3_stmt *begin, *commit, *count, *insert, *touch, *end, *event, *feed, *trim;
    int64_t ms; /* wall clock */
};

static struct bare prepare_all(sqlite3 *db)
{
    return (struct bare){
        .begin = prepared(db, "BEGIN IMMEDIATE"),
        .commit = prepared(db, "COMMIT"),
        .count = prepared(db, "SELECT tasks, 0 FROM task_count"),
        .insert = prepared(
            db, "INSERT INTO tasks (id, created, updated, ended, expires, last_seq, version, fence,"
                " process, lease, final, canceled, context, owner, agent, model, mode, session,"
                " state, text, asks, spec, result)"
                " VALUES (?1, ?2, ?2, 0, 0, 1, 1, 1, ?3, ?2 + 60000, 0, 0, ?1, 'local', 'coder',"
                " '', '', '', 'submitted', '', '', ?4, '') RETURNING n, last_seq"),
        .touch = prepared(
            db, "UPDATE tasks SET updated = max(updated, ?2), version = version + 1,"
                " last_seq = last_seq + 1, lease = ?2 + 60000, model = coalesce(NULL, model),"
                " mode = coalesce(NULL, mode), session = coalesce(NULL, session),"
                " state = coalesce(?3, state), text = coalesce(NULL, text),"
                " asks = coalesce(NULL, asks), spec = coalesce(NULL, spec),"
                " result = coalesce(?4, result)"
                " WHERE id = ?1 AND fence = 1 AND (0 = 0 OR version = 0) AND final = 0"
                " RETURNING n, last_seq, created, updated, version, canceled"),
        .end = prepared(db, "UPDATE tasks SET final = 1, ended = ?2, expires = ?2 + 3600000,"
                            " process = '' WHERE n = ?1"),
        .event = prepared(db, "INSERT INTO task_events VALUES (?, ?, 'status', ?)"),
        .feed = prepared(db, "INSERT INTO task_feed (place, task) VALUES (?, ?)"),
        .trim = prepared(
            db, "DELETE FROM task_feed WHERE n <= (SELECT max(n) FROM task_feed) - 100000"),
    };
}

static void finish_all(struct bare *x)
{
    sqlite3_stmt *const all[] = { x->begin, x->commit, x->count, x->insert, x->touch,
                                  x->end,   x->event,  x->feed,  x->trim };

    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        sqlite3_finalize(all[i]);
}

static void bind_str(sqlite3_stmt *st, int at, struct str s)
{
    sqlite3_bind_text(st, at, s.p, (int)s.n, SQLITE_STATIC);
}

static int64_t bare_create(struct bare *x, struct str id)
{
    step_once(x->count);
    bind_str(x->insert, 1, id);
    sqlite3_bind_int64(x->insert, 2, x->ms);
    bind_str(x->insert, 3, STR("0f5d2c1e-1b1c-4c59-9d55-0d5b7e1b3c11/pid:[4026531836]/123456/789"));
    bind_str(x->insert, 4, spec);
    return step_once(x->insert);
}

static int64_t bare_update(struct bare *x, struct str id, bool last)
{
    int64_t place;

    bind_str(x->touch, 1, id);
    sqlite3_bind_int64(x->touch, 2, x->ms);
    bind_str(x->touch, 3, last ? STR("completed") : STR("working"));
    bind_str(x->touch, 4, last ? result : STR_NONE);
    place = step_once(x->touch);
    if (last) {
        sqlite3_bind_int64(x->end, 1, place >> 32);
        sqlite3_bind_int64(x->end, 2, x->ms);
        step_once(x->end);
    }
    return place;
}

/* One step of so many tasks. */
static void bare_step(struct bare *x, int at, int64_t from, int count)
{
    char id[32];
    int64_t place;

    x->ms = now_ns() / 1000000;
    step_once(x->begin);
    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof(id), "task-%08lld", (long long)from + i);
        place = at ? bare_update(x, str_of(id), at == STEPS - 1) : bare_create(x, str_of(id));
        sqlite3_bind_int64(x->event, 1, place);
        sqlite3_bind_int64(x->event, 2, x->ms);
        bind_str(x->event, 3, body);
        step_once(x->event);
        sqlite3_bind_int64(x->feed, 1, place);
        bind_str(x->feed, 2, str_of(id));
        step_once(x->feed);
        if (!at)
            step_once(x->trim);
    }
    step_once(x->commit);
}

static void run_bare(struct bench *b, int clients, int64_t ms)
{
    sqlite3 *db;
    struct bare x;
    int64_t began;

    open_store(b); /* makes the tables */
    close_store(b);
    db = bare_open(b->path, STORE_POWER);
    x = prepare_all(db);
    for (began = now_ns(), b->until = began + ms * 1000000; now_ns() < b->until;) {
        int64_t at = now_ns();

        for (int i = 0; i < STEPS; i++)
            bare_step(&x, i, b->made, clients);
        b->made += clients;
        for (int i = 0; i < clients; i++)
            note(&b->tally, at);
    }
    report(&b->tally, now_ns() - began);
    finish_all(&x);
    sqlite3_close(db);
}

/* ---- look-ups among many -------------------------------------------------------------------- */

static void fill(struct bench *b)
{
    sqlite3 *db;
    sqlite3_stmt *st;

    open_store(b);
    close_store(b);
    db = bare_open(b->path, STORE_PROCESS);
    st =
        prepared(db, "WITH RECURSIVE i (x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i"
                     " WHERE x < ?1 - 1)"
                     " INSERT INTO tasks SELECT NULL, printf('task-%08d', x), x, x, x, x + 3600000,"
                     " 0, 4, 1, '', 0, x < ?1 - ?2, 0, printf('context-%08d', x / 4),"
                     " printf('user-%d', x % 10), 'coder', '', '', '', 'completed', '', '', ?3, ?4"
                     " FROM i");
    sqlite3_bind_int64(st, 1, b->tasks);
    sqlite3_bind_int64(st, 2, LIVE);
    bind_str(st, 3, spec);
    bind_str(st, 4, result);
    step_once(st);
    sqlite3_finalize(st);
    sqlite3_close(db);
}

static struct store_step look_step(struct bench *b, struct client *c, struct str what)
{
    if (str_eq(what, STR("load"))) {
        b->dice = b->dice * 6364136223846793005u + 1442695040888963407u;
        snprintf(c->id, sizeof(c->id), "task-%08lld",
                 (long long)((b->dice >> 33) % (uint64_t)b->tasks));
        return (struct store_step){ STORE_TASK_LOAD, .task = { .id = str_of(c->id) } };
    }
    return (struct store_step){
        STORE_TASKS,
        .tasks = { .owner = str_eq(what, STR("owner")) ? STR("user-3") : STR_NONE,
                   .only_live = str_eq(what, STR("live")),
                   .most = 50 },
    };
}

static void on_looked(struct op *op, const struct err *e, void *ctx)
{
    struct client *c = ctx;

    (void)op;
    must(!e, e ? e->text : "");
    note(&c->bench->tally, c->began);
    loop_stop(c->bench->loop);
}

static void run_look(struct bench *b, struct str what, int64_t ms)
{
    struct client c = { .bench = b };
    int64_t began;

    open_store(b);
    for (began = now_ns(), b->until = began + ms * 1000000; now_ns() < b->until;) {
        c.step = look_step(b, &c, what);
        c.ask = (struct store_ask){ .step = &c.step, .steps = 1 };
        c.began = now_ns();
        store_start(store_port(b->store), &c.ask, NULL, on_looked, &c);
        loop_run(b->loop);
        store_ask_fini(&c.ask);
    }
    report(&b->tally, now_ns() - began);
    close_store(b);
}

int main(int argc, char **argv)
{
    struct bench b = { .path = argc > 2 ? argv[2] : NULL };
    struct str what = str_of(argc > 1 ? argv[1] : "");
    uint64_t count, ms = 0;

    if (argc < 4 || !str_uint(str_of(argv[3]), 1, 10000000, &count) ||
        (argc > 4 && !str_uint(str_of(argv[4]), 1, 600000, &ms)))
        return 2;
    b.tasks = (int64_t)count;
    if (str_eq(what, STR("ours")))
        run_ours(&b, (int)count, (int64_t)ms);
    else if (str_eq(what, STR("bare")))
        run_bare(&b, (int)count, (int64_t)ms);
    else if (str_eq(what, STR("fill")))
        fill(&b);
    else
        run_look(&b, what, (int64_t)ms);
    printf("\n");
    return 0;
}
