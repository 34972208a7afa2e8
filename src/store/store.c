/*
 * store.c - requests to the store, on the loop.
 *
 * The loop passes requests to the worker thread, settles them when they are done, and starts long
 * requests and checkpoints on the thread pool. The worker thread (batch.c) owns the connection.
 *
 * The write-ahead log is checkpointed while commits continue: a job with a separate connection does
 * most of it (PASSIVE, so writers continue), then the worker thread does the small rest between two
 * commits. After that, SQLite writes the log from its beginning again.
 */
#include "store/store.h"

#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "loop/job.h"
#include "store/batch.h"
#include "store/lease.h"
#include "store/schema.h"

#include <assert.h>

struct store {
    struct store_port port; /* first */
    const struct limits *limits;
    char *path;
    struct batch batch; /* used by the thread only, except its atomics */
    struct worker *worker;
    int schema;
    struct job fold; /* checkpoints most of the log */
    bool folding;
    struct work fold_rest;      /* the rest of the checkpoint, on the thread */
    size_t jobs;                /* jobs that run on the pool */
    struct posted *posted_list; /* those of them that are requests */
    bool closing;
    struct post gone;
    store_closed_fn *closed;
    void *ctx;
};

static void leave_if_idle(struct store *s);

/* ---- answers -------------------------------------------------------------------------------- */

static void settle(struct store_ask *ask)
{
    if (ask->failed)
        op_fail(&ask->op, &ask->err);
    else
        op_ok(&ask->op);
}

static void refuse(struct store_ask *ask, const struct err *e)
{
    ask->failed = true;
    ask->err = *e;
    settle(ask);
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

static bool fold_bulk(struct job *job, struct err *e)
{
    struct store *s = CONTAINER_OF(job, struct store, fold);
    struct sql sql;
    bool ok;

    if (!sql_open(&sql, s->path, SQL_WRITE, s->limits->store_busy_ms, e))
        return false;
    ok = sqlite3_wal_checkpoint_v2(sql.db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) ==
             SQLITE_OK ||
         sql_fail(&sql, "store", e);
    sql_close(&sql);
    return ok;
}

/* Also after a failure, the thread does the rest and records how far the log is checkpointed. */
static void on_folded(struct op *op, const struct err *e, void *ctx)
{
    struct store *s = ctx;

    (void)op;
    (void)e;
    s->jobs--;
    if (s->closing)
        leave_if_idle(s);
    else
        worker_put(s->worker, &s->fold_rest);
}

static void fold_if_long(struct store *s)
{
    if (s->folding || s->closing || !batch_log_is_long(&s->batch))
        return;
    s->folding = true;
    s->jobs++;
    job_start(&s->fold, s->port.loop, NULL, fold_bulk, on_folded, s);
}

/* ---- requests to the thread ----------------------------------------------------------------- */

static struct store_ask *ask_of(const struct work *w)
{
    return CONTAINER_OF((struct work *)w, struct store_ask, work);
}

/* Requests up to the end of the list or the marker for folding. */
static void on_batch(void *ctx, const struct work *w)
{
    struct store *s = ctx;

    while (w) {
        struct store_ask **v = s->batch.ask;
        size_t n = 0;

        for (; w && w != &s->fold_rest && n < (size_t)s->limits->store_batch; w = w->next)
            v[n++] = ask_of(w);
        batch_run(&s->batch, n);
        if (w == &s->fold_rest) {
            batch_fold(&s->batch);
            w = w->next;
        }
    }
}

static void on_back(void *ctx, struct work *w)
{
    struct store *s = ctx;

    if (w == &s->fold_rest)
        s->folding = false;
    else
        settle(ask_of(w));
    fold_if_long(s);
}

/* ---- long requests -------------------------------------------------------------------------- */

struct posted {
    struct job job; /* first */
    struct store *store;
    struct store_ask *ask;
    struct store_brake brake;
    struct posted *next;
};

static bool do_errand(struct job *job, struct err *e)
{
    struct posted *x = (struct posted *)job;

    if (x->ask->step->what == STORE_CHECK)
        return store_file_check(x->store->path, &x->brake, e);
    return store_file_backup(x->store->path, x->ask->step->path, &x->brake, e);
}

static void forget(struct posted *x)
{
    LIST_UNLINK(x->store->posted_list, x, next);
    mem_free(x);
}

static void on_errand(struct op *op, const struct err *e, void *ctx)
{
    struct posted *x = ctx;
    struct store *s = x->store;

    (void)op;
    if (e && e->code == ERR_INVALID && x->ask->step->what == STORE_CHECK)
        batch_refuse_writes(&s->batch);
    if (e)
        refuse(x->ask, e);
    else
        op_ok(&x->ask->op);
    forget(x);
    s->jobs--;
    leave_if_idle(s);
}

static void start_errand(struct store *s, struct store_ask *ask)
{
    struct posted *x = MEM_NEW(struct posted);

    x->store = s;
    x->ask = ask;
    x->brake = STORE_BRAKE;
    x->next = s->posted_list;
    s->posted_list = x;
    s->jobs++;
    job_start(&x->job, s->port.loop, NULL, do_errand, on_errand, x);
}

/* ---- requests ------------------------------------------------------------------------------- */

static bool fits(const struct store *s, struct str value, struct err *e)
{
    return (int64_t)value.n <= s->limits->store_value_bytes ||
           fail(e, ERR_LIMIT, "the value has %zu bytes; at most %lld are stored", value.n,
                (long long)s->limits->store_value_bytes);
}

static bool events_fit(const struct store *s, const struct store_event *v, size_t n, struct err *e)
{
    for (size_t i = 0; i < n; i++)
        if (!fits(s, v[i].body, e))
            return false;
    return true;
}

static bool task_fits(const struct store *s, const struct store_task *t, struct err *e)
{
    return fits(s, t->text, e) && fits(s, t->spec, e) && fits(s, t->result, e) &&
           fits(s, t->asks, e) && events_fit(s, t->event, t->events, e);
}

/*
 * Checked before the thread gets the request: values that are too large never reach the database.
 */
static bool step_fits(const struct store *s, const struct store_step *step, struct err *e)
{
    if (step->what == STORE_APPEND)
        return events_fit(s, step->append.event, step->append.events, e);
    if (step->what == STORE_IMAGE_PUT)
        return fits(s, step->image.content, e);
    if (step->what == STORE_MEMORY_PUT)
        return fits(s, step->memory.value, e);
    if (step->what == STORE_TURN_WRITE)
        return fits(s, step->turn.calls, e) && fits(s, step->turn.results, e);
    if (step->what == STORE_TASK_CREATE || step->what == STORE_TASK_UPDATE)
        return task_fits(s, &step->task, e);
    if (step->what == STORE_TASK_ANSWER)
        return fits(s, step->answer.answer, e);
    if (step->what == STORE_LOCK_PUT)
        return fits(s, step->lock.paths, e);
    return true;
}

static bool admit(const struct store *s, const struct store_ask *ask, struct err *e)
{
    if (s->closing)
        return fail(e, ERR_CLOSED, "the store is being closed");
    if (worker_load(s->worker) >= (size_t)s->limits->store_waiting)
        return fail(e, ERR_BUSY, "the store is too busy: %lld requests are waiting",
                    (long long)s->limits->store_waiting);
    for (size_t i = 0; i < ask->steps; i++)
        if (!step_fits(s, &ask->step[i], e))
            return false;
    return true;
}

static void start(struct store_port *port, struct store_ask *ask)
{
    struct store *s = CONTAINER_OF(port, struct store, port);
    struct err e;

    assert(ask->steps > 0);
    if (!admit(s, ask, &e))
        refuse(ask, &e);
    else if (ask->step->what >= STORE_CHECK)
        start_errand(s, ask);
    else
        worker_put(s->worker, &ask->work);
}

/* ---- life ----------------------------------------------------------------------------------- */

static const struct store_kind kind = { "sqlite", start };

enum { WAL_RETRY_MS = 5 };

/*
 * Two processes that open a new database at once each hold a lock that the other waits for. SQLite
 * then fails at once instead of waiting, so this tries again.
 */
static bool use_wal(struct sql *sql, int64_t busy_ms, struct err *e)
{
    int64_t left = busy_ms;

    while (!sql_exec(sql, "PRAGMA journal_mode = WAL", e)) {
        if (e->code != ERR_TIMEOUT || left <= 0)
            return false;
        left -= sqlite3_sleep(WAL_RETRY_MS);
    }
    sql->broke = false;
    return true;
}

static bool set_up(struct store *s, struct err *e)
{
    struct sql *sql = &s->batch.sql;

    return use_wal(sql, s->limits->store_busy_ms, e) &&
           sql_exec(sql,
                    "PRAGMA synchronous = FULL; PRAGMA cache_size = -1024;"
                    " PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY",
                    e) &&
           schema_raise(sql, schema_newest, e) && schema_read(sql, &s->schema, e) &&
           lease_clock_open(sql, s->batch.holder, &s->batch.lead, e);
}

static void dispose(struct store *s)
{
    batch_fini(&s->batch);
    mem_free(s->path);
    mem_free(s);
}

bool store_open(struct loop *loop, const struct limits *limits, const char *path,
                struct store **out, struct err *e)
{
    struct store *s = MEM_NEW(struct store);
    size_t n = strlen(path) + 1;

    s->port = (struct store_port){ &kind, loop };
    s->limits = limits;
    s->path = memcpy(mem_alloc(n), path, n);
    if (!batch_init(&s->batch, limits, path, e) || !set_up(s, e) ||
        !worker_open(loop, on_batch, on_back, s, &s->worker, e)) {
        fail_in(e, "%s", path);
        dispose(s);
        return false;
    }
    batch_watch_log(&s->batch);
    *out = s;
    return true;
}

struct store_port *store_port(struct store *s)
{
    return &s->port;
}

static void on_gone(struct post *p)
{
    struct store *s = CONTAINER_OF(p, struct store, gone);
    store_closed_fn *closed = s->closed;
    void *ctx = s->ctx;

    dispose(s);
    if (closed)
        closed(ctx);
}

/* The remaining answers are posted before this. */
static void leave_if_idle(struct store *s)
{
    if (!s->closing || s->jobs)
        return;
    worker_close(s->worker);
    s->gone.fn = on_gone;
    loop_post(s->port.loop, &s->gone);
}

void store_close(struct store *s, store_closed_fn *closed, void *ctx)
{
    s->closing = true;
    s->closed = closed;
    s->ctx = ctx;
    for (struct posted *x = s->posted_list; x; x = x->next)
        store_brake_pull(&x->brake);
    leave_if_idle(s);
}

int store_schema(const struct store *s)
{
    return s->schema;
}
