/*
 * store_bench.c - durable appends to sessions, through the store and by bare SQLite.
 *
 *   store_bench ours|bare DB WRITERS MS power|process [none|inside|beside]
 *
 * ours: so many writers, a session each; each appends one event and waits for its acknowledgement.
 * bare: one loop that runs the same statements, as many appends per transaction as there are
 *       writers, with SQLite's own checkpoints.
 * The last word adds a reader of whole pages of events to `ours`: through the store, or beside it
 * with a connection and a thread of its own. Prints rate, p50_us, p99_us and pages (read per second).
 */
#include "store_bench.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LONG_EVENTS = 2000, PAGE_EVENTS = 256 };

static const char body[] =
    "{\"type\":\"text\",\"text\":\"A turn of an agent appends events of about this size, most of "
    "them pieces of what the model says, or the beginning and the end of a tool call, with its "
    "arguments and a short "
    "result.\",\"turn\":\"0197f0a2-7c5e-7b1a-9d3e-1f2a3b4c5d6e\",\"n\":12345}";

struct bench;

struct writer {
    struct store_ask ask;
    struct store_step step;
    struct store_event event;
    struct bench *bench;
    char id[24];
    int64_t fence, asked_at;
};

struct bench {
    struct loop *loop;
    struct limits limits;
    struct store *store;
    const char *path;
    int writers, live;
    enum store_durability durability;
    int64_t until, pages;
    struct tally tally;
    struct writer *writer;
    struct store_ask read;
    struct store_step read_step;
    atomic_bool stop; /* of the reader beside */
};

/* ---- through the store ---------------------------------------------------------------------- */

static void append(struct writer *w);

static void leave(struct bench *b)
{
    if (!--b->live)
        loop_stop(b->loop);
}

static void on_appended(struct op *op, const struct err *e, void *ctx)
{
    struct writer *w = ctx;
    struct bench *b = w->bench;

    (void)op;
    must(!e, e ? e->text : "");
    if (w->step.what == STORE_SESSION_CREATE)
        w->fence = w->step.session.fence;
    else
        note(&b->tally, w->asked_at);
    if (now_ns() < b->until)
        append(w);
    else
        leave(b);
}

static void start(struct writer *w)
{
    w->ask.step = &w->step;
    w->ask.steps = 1;
    w->ask.durability = w->bench->durability;
    w->asked_at = now_ns();
    store_start(store_port(w->bench->store), &w->ask, NULL, on_appended, w);
}

static void append(struct writer *w)
{
    w->event = (struct store_event){ .kind = STR("text"), .body = { body, sizeof(body) - 1 } };
    w->step = (struct store_step){
        STORE_APPEND,
        .append = { .session = str_of(w->id), .fence = w->fence, .event = &w->event, .events = 1 }
    };
    start(w);
}

static void create(struct bench *b, int i)
{
    struct writer *w = &b->writer[i];

    w->bench = b;
    snprintf(w->id, sizeof(w->id), "session-%08d", i);
    w->step = (struct store_step){ STORE_SESSION_CREATE, .session = { .id = str_of(w->id) } };
    b->live++;
    start(w);
}

/* ---- a reader ------------------------------------------------------------------------------- */

static void read_page(struct bench *b);

static void on_page(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    must(!e, e ? e->text : "");
    b->pages++;
    b->read_step.events.after =
        b->read_step.events.more ? b->read_step.events.v[b->read_step.events.n - 1].seq : 0;
    store_ask_fini(&b->read);
    if (now_ns() < b->until)
        read_page(b);
    else
        leave(b);
}

static void read_page(struct bench *b)
{
    int64_t after = b->read_step.events.after;

    b->read_step =
        (struct store_step){ STORE_EVENTS, .events = { .session = STR("long"), .after = after } };
    b->read = (struct store_ask){ .step = &b->read_step, .steps = 1 };
    store_start(store_port(b->store), &b->read, NULL, on_page, b);
}

static void *read_beside(void *arg)
{
    struct bench *b = arg;
    sqlite3 *db;
    sqlite3_stmt *st;

    must(sqlite3_open_v2(b->path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, "open");
    must(sqlite3_prepare_v2(db,
                            "SELECT place, at, kind, body FROM events WHERE place > ?"
                            " ORDER BY place LIMIT 256",
                            -1, &st, NULL) == SQLITE_OK,
         "prepare");
    for (int64_t place = 0; !b->stop; b->pages++) {
        int rows = 0;
        struct arena mem = { 0 };

        sqlite3_bind_int64(st, 1, place);
        for (; sqlite3_step(st) == SQLITE_ROW; rows++) {
            place = sqlite3_column_int64(st, 0);
            arena_str(&mem, (struct str){ sqlite3_column_blob(st, 3),
                                          (size_t)sqlite3_column_bytes(st, 3) });
        }
        sqlite3_reset(st);
        arena_fini(&mem);
        place = rows < PAGE_EVENTS ? 0 : place;
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    return NULL;
}

/* A session of LONG_EVENTS events of 4 KB: pages end by their bytes. */
static void make_long(struct bench *b)
{
    char *text = memset(mem_alloc(4096), 'x', 4096);
    struct store_event *v = mem_zero(LONG_EVENTS * sizeof(*v));
    struct store_step step[2] = {
        { STORE_SESSION_CREATE, .session = { .id = STR("long") } },
        { STORE_APPEND,
          .append = { .session = STR("long"), .fence = 1, .event = v, .events = LONG_EVENTS } },
    };
    struct store_ask ask = { .step = step, .steps = 2 };

    for (int i = 0; i < LONG_EVENTS; i++)
        v[i] = (struct store_event){ .kind = STR("text"), .body = { text, 4096 } };
    b->live = 1;
    b->until = 0;
    b->pages = -1;
    store_start(store_port(b->store), &ask, NULL, on_page, b);
    loop_run(b->loop);
    mem_free(v);
    mem_free(text);
}

static void report_all(struct bench *b, int64_t took)
{
    report(&b->tally, took);
    printf(" pages=%.0f\n", (double)b->pages * 1e9 / (double)took);
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void on_closed(void *ctx)
{
    loop_stop(((struct bench *)ctx)->loop);
}

static void run_ours(struct bench *b, int64_t ms, struct str reader)
{
    pthread_t beside;
    int64_t began;
    struct err e;

    limits_preset(&b->limits);
    b->loop = loop_new(LOOP_REAL_CLOCK);
    must(store_open(b->loop, &b->limits, b->path, &b->store, &e), e.text);
    make_long(b);
    b->writer = mem_zero((size_t)b->writers * sizeof(*b->writer));
    began = now_ns();
    b->until = began + ms * 1000000;
    for (int i = 0; i < b->writers; i++)
        create(b, i);
    if (str_eq(reader, STR("inside"))) {
        b->live++;
        read_page(b);
    }
    if (str_eq(reader, STR("beside")))
        must(pthread_create(&beside, NULL, read_beside, b) == 0, "thread");
    loop_run(b->loop);
    began = now_ns() - began;
    b->stop = true;
    if (str_eq(reader, STR("beside")))
        pthread_join(beside, NULL);
    report_all(b, began);
    store_close(b->store, on_closed, b);
    loop_run(b->loop);
    loop_free(b->loop);
    mem_free(b->writer);
}

/* On a database that the store made. */
static void run_bare(struct bench *b, int64_t ms)
{
    sqlite3 *db = bare_open(b->path, b->durability);
    sqlite3_stmt *begin, *commit, *touch, *find, *insert;
    int64_t began;
    char id[24];

    begin = prepared(db, "BEGIN IMMEDIATE");
    commit = prepared(db, "COMMIT");
    touch = prepared(db, "UPDATE sessions SET updated = max(updated, ?3), version = version + 1,"
                         " last_seq = last_seq + ?4, bytes = bytes + ?5, lease = ?6"
                         " WHERE id = ?1 AND fence = ?2");
    find = prepared(db, "SELECT n, last_seq FROM sessions WHERE id = ?1");
    insert = prepared(db, "INSERT INTO events VALUES (?, ?, ?, ?)");
    for (began = now_ns(), b->until = began + ms * 1000000; now_ns() < b->until;) {
        int64_t at = now_ns();

        step_once(begin);
        for (int i = 0; i < b->writers; i++) {
            snprintf(id, sizeof(id), "session-%08d", i);
            sqlite3_bind_text(touch, 1, id, -1, SQLITE_STATIC);
            sqlite3_bind_int64(touch, 2, 1);
            sqlite3_bind_int64(touch, 3, at / 1000000);
            sqlite3_bind_int64(touch, 4, 1);
            sqlite3_bind_int64(touch, 5, sizeof(body) + 3);
            sqlite3_bind_int64(touch, 6, at / 1000000 + 60000);
            step_once(touch);
            sqlite3_bind_text(find, 1, id, -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 1, step_once(find));
            sqlite3_bind_int64(insert, 2, at / 1000000);
            sqlite3_bind_text(insert, 3, "text", -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 4, body, sizeof(body) - 1, SQLITE_STATIC);
            step_once(insert);
        }
        step_once(commit);
        for (int i = 0; i < b->writers; i++)
            note(&b->tally, at);
    }
    report_all(b, now_ns() - began);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(touch);
    sqlite3_finalize(find);
    sqlite3_finalize(insert);
    sqlite3_close(db);
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };
    uint64_t writers, ms;

    if (argc < 6 || !str_uint(str_of(argv[3]), 1, 10000, &writers) ||
        !str_uint(str_of(argv[4]), 1, 600000, &ms))
        return 2;
    b.path = argv[2];
    b.writers = (int)writers;
    b.durability = str_eq(str_of(argv[5]), STR("power")) ? STORE_POWER : STORE_PROCESS;
    if (str_eq(str_of(argv[1]), STR("ours")))
        run_ours(&b, (int64_t)ms, str_of(argc > 6 ? argv[6] : "none"));
    else
        run_bare(&b, (int64_t)ms);
    return 0;
}
