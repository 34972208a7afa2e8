/*
 * retention.h - deletes expired tasks and sessions from the store, and old logs. A process that
 * serves clients does this periodically; `trefoil gc` does it once. Each step is a request to the
 * store thread or a job on the thread pool, so it does not block the loop.
 *
 *   WAITING -> TASKS -> SESSIONS -> LOGS -> WAITING
 *
 * When many bytes were written to logs since the last run, logs are checked at once, so that they
 * do not grow past their limit between two runs.
 */
#ifndef RUNTIME_RETENTION_H
#define RUNTIME_RETENTION_H

#include "core/store.h"
#include "loop/job.h"
#include "state/log_files.h"

enum retention_state { RETENTION_WAITING, RETENTION_TASKS, RETENTION_SESSIONS, RETENTION_LOGS };

struct retention {
    struct job job;    /* must be first; the job that deletes logs */
    struct loop *loop; /* NULL: not started, or stopped */
    const struct limits *limits;
    struct store_port *store;
    const char *root, *state_dir; /* folders that contain logs (log_files.h) */
    enum retention_state state;
    struct timer next;
    struct store_ask ask;
    struct store_step step;
    struct log_sweep logs;
    int64_t log_bytes; /* bytes that were written to logs since logs were last checked */
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/*
 * Start the periodic runs. The first run begins after limits.gc_interval_ms. All arguments must
 * stay valid until retention_stop is done.
 */
void retention_start(struct retention *r, struct loop *loop, const struct limits *limits,
                     struct store_port *store, const char *root, const char *state_dir);

/* Report that this number of bytes was added to a log. */
void retention_log_grew(struct retention *r, size_t bytes);

/*
 * Stop. Call this before the store is closed. `done` is called when no step is running, possibly at
 * once. If *r is zeroed, there is nothing to stop.
 */
void retention_stop(struct retention *r, void (*done)(void *ctx), void *ctx);

#endif
