#include "store/batch.h"

#include "base/auto.h"
#include "base/mem.h"
#include "store/lease.h"

static verb_fn *const verbs[] = {
    [STORE_SESSION_CREATE] = session_create,
    [STORE_SESSION_UPDATE] = session_update,
    [STORE_SESSION_DELETE] = session_delete,
    [STORE_SESSION_TAKE] = session_take,
    [STORE_SESSION_LEAVE] = session_leave,
    [STORE_SESSION_FORK] = session_fork_copy,
    [STORE_APPEND] = events_append,
    [STORE_TURN_WRITE] = turn_write,
    [STORE_IMAGE_PUT] = image_put,
    [STORE_IMAGES_DELETE] = images_delete,
    [STORE_MEMORY_PUT] = memory_put,
    [STORE_MEMORY_DELETE] = memory_delete,
    [STORE_GC] = gc_sessions,
    [STORE_TASK_CREATE] = db_task_create,
    [STORE_TASK_UPDATE] = db_task_update,
    [STORE_TASK_TAKE] = db_task_take,
    [STORE_TASK_CANCEL] = db_task_cancel,
    [STORE_TASK_ANSWER] = db_task_answer,
    [STORE_TASKS_EXPIRE] = db_tasks_expire,
    [STORE_LOCK_PUT] = db_lock_put,
    [STORE_LOCK_DROP] = db_lock_drop,
    [STORE_PUSH_PUT] = db_push_put,
    [STORE_PUSH_SENT] = db_push_sent,
    [STORE_PUSH_DELETE] = db_push_delete,
    [STORE_SESSION_LOAD] = session_load,
    [STORE_SESSIONS] = session_list,
    [STORE_EVENTS] = events_load,
    [STORE_TURN_LOAD] = turn_load,
    [STORE_UNFINISHED] = turns_unfinished,
    [STORE_IMAGES] = images_load,
    [STORE_MEMORY_GET] = memory_get,
    [STORE_MEMORIES] = memory_list,
    [STORE_TASK_LOAD] = db_task_load,
    [STORE_TASKS] = db_tasks,
    [STORE_TASK_EVENTS] = db_task_events,
    [STORE_TASK_ANSWERS] = db_task_answers,
    [STORE_TASKS_LOST] = db_tasks_lost,
    [STORE_TASK_FEED] = db_task_feed,
    [STORE_LOCKS] = db_locks,
    [STORE_PUSHES] = db_pushes,
};

_Static_assert(ARRAY_LEN(verbs) == STORE_CHECK, "a verb for each step that is not long");

bool batch_init(struct batch *b, const struct limits *limits, const char *path, struct err *e)
{
    b->limits = limits;
    b->sync = -1;
    holder_self(b->holder);
    b->ask = mem_alloc((size_t)limits->store_batch * sizeof(*b->ask));
    return sql_open(&b->sql, path, SQL_CREATE, limits->store_busy_ms, e);
}

static int on_log(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct batch *b = ctx;

    (void)db;
    (void)name;
    b->pages = pages;
    if (pages < b->folded) /* the log restarted at its beginning */
        b->folded = 0;
    return SQLITE_OK;
}

void batch_watch_log(struct batch *b)
{
    int64_t bytes = 4096;
    struct err e;

    sql_ask_int(&b->sql, "PRAGMA page_size", &bytes, &e);
    b->page_bytes = (int)bytes;
    sqlite3_wal_hook(b->sql.db, on_log, b);
}

void batch_fini(struct batch *b)
{
    sql_close(&b->sql);
    mem_free(b->ask);
}

void batch_fold(struct batch *b)
{
    sqlite3_wal_checkpoint_v2(b->sql.db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    b->folded = b->pages;
}

bool batch_log_is_long(const struct batch *b)
{
    return (int64_t)(b->pages - b->folded) * b->page_bytes >= b->limits->store_wal_bytes;
}

void batch_refuse_writes(struct batch *b)
{
    b->damaged = true;
}

size_t page_most(const struct run *r, int64_t most)
{
    int64_t limit = r->limits->store_page_items;

    return (size_t)(most > 0 && most < limit ? most : limit);
}

bool is_held(struct run *r, struct str holder, int64_t lease)
{
    if (!holder.n)
        return false;
    if (str_eq(holder, str_of(r->holder)))
        return true;
    if (!str_eq(holder, r->looked)) {
        r->life = holder_life(holder);
        r->looked = holder;
    }
    return r->life == HOLDER_ALIVE || (r->life == HOLDER_UNKNOWN && lease > r->lease_now);
}

int64_t lease_end(const struct run *r)
{
    return r->lease_now + r->limits->session_lease_ms;
}

/* ---- one request ---------------------------------------------------------------------------- */

static struct run run_of(struct batch *b, int64_t now, struct arena *mem)
{
    return (struct run){
        .sql = &b->sql,
        .limits = b->limits,
        .holder = b->holder,
        .now = now,
        .lease_now = lease_clock(b->lead),
        .mem = mem,
    };
}

static bool do_steps(struct batch *b, struct store_ask *ask, struct err *e)
{
    struct run r = run_of(b, ask->now, &ask->mem);

    for (size_t i = 0; i < ask->steps; i++)
        if (!room_admits(&r, &ask->step[i], b->free, e) ||
            !verbs[ask->step[i].what](&r, &ask->step[i], e))
            return false;
    return true;
}

/*
 * A single step that fails changes nothing (steps.h). For several steps a savepoint undoes the
 * first ones.
 */
static bool do_writes(struct batch *b, struct store_ask *ask, struct err *e)
{
    struct err ignored;

    if (ask->steps == 1)
        return do_steps(b, ask, e);
    if (!sql_do(&b->sql, "SAVEPOINT one", NULL, 0, e))
        return false;
    if (do_steps(b, ask, e))
        return sql_do(&b->sql, "RELEASE one", NULL, 0, e);
    if (!b->sql.broke) {
        sql_do(&b->sql, "ROLLBACK TO one", NULL, 0, &ignored);
        sql_do(&b->sql, "RELEASE one", NULL, 0, &ignored);
    }
    return false;
}

/* ---- writers -------------------------------------------------------------------------------- */

/* The strongest durability that a request needs; -1: none of them writes. */
static int durability_of(const struct batch *b, size_t n)
{
    int most = -1;

    for (size_t i = 0; i < n; i++)
        if (b->ask[i]->writes && (int)b->ask[i]->durability > most)
            most = (int)b->ask[i]->durability;
    return most;
}

/* SQLite cannot change this inside a transaction. */
static bool set_sync(struct batch *b, int durability, struct err *e)
{
    if (b->sync == durability)
        return true;
    b->sync = -1;
    if (!sql_exec(&b->sql,
                  durability == STORE_POWER ? "PRAGMA synchronous = FULL"
                                            : "PRAGMA synchronous = NORMAL",
                  e))
        return false;
    b->sync = durability;
    return true;
}

static bool make_room(struct batch *b, size_t n, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct run r = run_of(b, b->ask[0]->now, &mem);
    int64_t needed = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; b->ask[i]->writes && k < b->ask[i]->steps; k++)
            needed += room_needed(&b->ask[i]->step[k]);
    return room_make(&r, needed, &b->free, e);
}

static bool write_all(struct batch *b, size_t n, struct err *e)
{
    if (b->damaged)
        return fail(e, ERR_INVALID,
                    "the database is damaged and is now read-only: restore a backup");
    if (!set_sync(b, durability_of(b, n), e) || !sql_do(&b->sql, "BEGIN IMMEDIATE", NULL, 0, e) ||
        !make_room(b, n, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct store_ask *ask = b->ask[i];

        if (!ask->writes || do_writes(b, ask, &ask->err))
            continue;
        ask->failed = true;
        if (b->sql.broke) { /* not because of this request: the whole transaction fails */
            *e = ask->err;
            return false;
        }
    }
    return sql_do(&b->sql, "COMMIT", NULL, 0, e);
}

static void write_or_fail(struct batch *b, size_t n)
{
    struct err e;

    b->sql.broke = b->sql.corrupt = false;
    if (write_all(b, n, &e))
        return;
    if (!sqlite3_get_autocommit(b->sql.db))
        sqlite3_exec(b->sql.db, "ROLLBACK", NULL, NULL, NULL);
    if (b->sql.corrupt)
        b->damaged = true;
    for (size_t i = 0; i < n; i++)
        if (b->ask[i]->writes) {
            b->ask[i]->failed = true;
            b->ask[i]->err = e;
        }
}

/* ---- readers -------------------------------------------------------------------------------- */

/*
 * Outside of a transaction SQLite locks and unlocks the log for each statement. All reads of a
 * batch use one transaction, which ends with the batch: then the log can be checkpointed.
 */
static void read_all(struct batch *b, size_t n)
{
    struct err ignored;

    sql_do(&b->sql, "BEGIN", NULL, 0, &ignored); /* a failure costs only time */
    for (size_t i = 0; i < n; i++) {
        struct store_ask *ask = b->ask[i];

        if (!ask->writes)
            ask->failed = !do_steps(b, ask, &ask->err);
    }
    if (!sqlite3_get_autocommit(b->sql.db))
        sql_do(&b->sql, "END", NULL, 0, &ignored);
}

/* ---- both ----------------------------------------------------------------------------------- */

void batch_run(struct batch *b, size_t n)
{
    bool reads = false;

    if (durability_of(b, n) >= 0)
        write_or_fail(b, n);
    for (size_t i = 0; i < n; i++)
        reads |= !b->ask[i]->writes;
    if (reads)
        read_all(b, n);
}
