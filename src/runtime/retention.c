#include "runtime/retention.h"

#include "base/clock.h"
#include "base/container.h"
#include "base/log.h"
#include "state/agent_homes.h"

enum { LOG_PART = 8 }; /* logs are checked when they have grown by 1/LOG_PART of their limit */

static void on_next(struct timer *t);
static void step_store(struct retention *r);

/* ---- states ------------------------------------------------------------------------------ */

static void retention_wait(struct retention *r)
{
    void (*closed)(void *ctx) = r->closed;

    r->state = RETENTION_WAITING;
    if (closed) {
        r->loop = NULL;
        closed(r->closed_ctx);
    } else {
        timer_set(r->loop, &r->next, r->limits->gc_interval_ms, on_next);
    }
}

static void retention_failed(const char *what, const struct err *e)
{
    LOG(LOG_WARN, "gc", what, LOG_Z("why", e->text));
}

/* ---- logs -------------------------------------------------------------------------------- */

static bool delete_logs(struct job *job, struct err *e)
{
    struct retention *r = CONTAINER_OF(job, struct retention, job);

    r->logs = (struct log_sweep){ .now = clock_wall_ms() };
    agent_homes_sweep(r->state_dir, r->limits, r->logs.now);
    return log_files_sweep(r->root, r->state_dir, r->limits, &r->logs, e);
}

static void step_logs(struct retention *r);

static bool logs_grew_much(const struct retention *r)
{
    return r->log_bytes >= r->limits->log_keep_bytes / LOG_PART;
}

static void on_logs_deleted(struct op *op, const struct err *e, void *ctx)
{
    struct retention *r = ctx;

    (void)op;
    if (e)
        retention_failed("cannot delete old logs", e);
    if (!e && !r->closed && logs_grew_much(r)) /* the logs grew while this run checked them */
        step_logs(r);
    else
        retention_wait(r);
}

static void step_logs(struct retention *r)
{
    r->state = RETENTION_LOGS;
    r->log_bytes = 0;
    job_start(&r->job, r->loop, NULL, delete_logs, on_logs_deleted, r);
}

/* ---- the store --------------------------------------------------------------------------- */

static void on_stored(struct op *op, const struct err *e, void *ctx)
{
    struct retention *r = ctx;
    bool more = !e && r->step.gc.more && !r->closed;

    (void)op;
    store_ask_fini(&r->ask);
    if (e)
        retention_failed("cannot delete expired data from the store", e);
    if (r->closed) {
        retention_wait(r);
    } else if (more) {
        step_store(r);
    } else if (r->state == RETENTION_TASKS) {
        r->state = RETENTION_SESSIONS;
        step_store(r);
    } else {
        step_logs(r);
    }
}

/* Delete some rows with one request. Other requests can run before the next one. */
static void step_store(struct retention *r)
{
    r->step =
        (struct store_step){ .what = r->state == RETENTION_TASKS ? STORE_TASKS_EXPIRE : STORE_GC };
    r->ask = (struct store_ask){ .step = &r->step, .steps = 1 };
    store_start(r->store, &r->ask, NULL, on_stored, r);
}

static void on_next(struct timer *t)
{
    struct retention *r = CONTAINER_OF(t, struct retention, next);

    r->state = RETENTION_TASKS;
    step_store(r);
}

/* ---- start and stop ---------------------------------------------------------------------- */

void retention_start(struct retention *r, struct loop *loop, const struct limits *limits,
                     struct store_port *store, const char *root, const char *state_dir)
{
    *r = (struct retention){
        .loop = loop, .limits = limits, .store = store, .root = root, .state_dir = state_dir
    };
    timer_set(loop, &r->next, limits->gc_interval_ms, on_next);
}

void retention_log_grew(struct retention *r, size_t bytes)
{
    r->log_bytes += (int64_t)bytes;
    if (!r->loop || r->state != RETENTION_WAITING || !logs_grew_much(r))
        return;
    timer_clear(r->loop, &r->next);
    step_logs(r);
}

void retention_stop(struct retention *r, void (*done)(void *ctx), void *ctx)
{
    r->closed = done;
    r->closed_ctx = ctx;
    if (r->loop)
        timer_clear(r->loop, &r->next);
    if (!r->loop || r->state == RETENTION_WAITING)
        retention_wait(r);
}
