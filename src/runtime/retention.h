/*
 * retention.h - delete expired tasks and sessions from the store, and old logs, periodically in a
 * process that serves. `trefoil gc` does the same once. Each step is a request to the store thread
 * or a job on the thread pool, so it does not block the loop.
 *
 *   WAITING -> TASKS -> SESSIONS -> LOGS -> WAITING
 *
 * Logs are also checked after enough was written to them since the last run, so that they do not
 * grow past their limit between two runs.
 */
#ifndef RUNTIME_RETENTION_H
#define RUNTIME_RETENTION_H

#include "core/store.h"
#include "loop/job.h"
#include "state/log_files.h"

enum retention_state { RETENTION_WAITING, RETENTION_TASKS, RETENTION_SESSIONS, RETENTION_LOGS };

struct retention {
    struct job job;    /* first: deletes logs */
    struct loop *loop; /* NULL: not started, or stopped */
    const struct limits *limits;
    struct store_port *store;
    const char *root, *state_dir; /* where logs are (log_files.h) */
    enum retention_state state;
    struct timer next;
    struct store_ask ask;
    struct store_step step;
    struct log_sweep logs;
    int64_t log_bytes; /* written since logs were last checked */
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/* The first run is after limits.gc_interval_ms. All arguments must outlive it. */
void retention_start(struct retention *r, struct loop *loop, const struct limits *limits,
                     struct store_port *store, const char *root, const char *state_dir);

/* So many bytes were added to a log. */
void retention_log_grew(struct retention *r, size_t bytes);

/* Call it before the store is closed. It calls done when no step is running, possibly at once. A
   zeroed struct is valid. */
void retention_stop(struct retention *r, void (*done)(void *ctx), void *ctx);

#endif
