#include "runtime/session_logs.h"

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/session_log.h"

#include <assert.h>
#include <string.h>

struct logs {
    struct session_logs port; /* first */
    struct loop *loop;
    const struct limits *limits;
    char *root;
    struct state_port *state;
    void (*grown)(void *ctx, size_t bytes); /* called after each write; NULL: not called */
    void *grown_ctx;
    /* open: number of open logs; writing: number of closed logs that are still being written */
    size_t open, writing;
    void (*done)(void *ctx);
    void *ctx;
};

struct one_log {
    struct session_log log; /* first */
    struct logs *logs;
};

static struct one_log *one_of(struct work_client *c)
{
    return CONTAINER_OF(c, struct one_log, log.client);
}

/* ---- the client of a log whose session is closed: it reports gaps, and nothing else
 * ----------- */

static void on_gaps(struct work_client *c, const struct event *ev)
{
    (void)c;
    LOG(LOG_WARN, "session", "a session log is incomplete", LOG_S("why", ev->notice.text));
}

static const struct work_client_kind nobody_kind = { .event = on_gaps };
static struct work_client nobody = { &nobody_kind };

/* ---- the port -------------------------------------------------------------------------------- */

static struct work_client *open_one(struct session_logs *l, const char *session,
                                    struct work_client *to)
{
    struct logs *logs = (struct logs *)l;
    struct one_log *one = MEM_NEW(struct one_log);

    one->logs = logs;
    logs->open++;
    session_log_open(&one->log, logs->loop, logs->limits, logs->root, logs->state, session, to);
    one->log.grown = logs->grown;
    one->log.grown_ctx = logs->grown_ctx;
    return &one->log.client;
}

static void session_logs_note(struct session_logs *l, struct work_client *log,
                              const struct event *ev)
{
    (void)l;
    session_log_note(&one_of(log)->log, ev);
}

static void session_logs_settle(struct logs *logs)
{
    void (*done)(void *ctx) = logs->done;
    void *ctx = logs->ctx;

    if (!done || logs->writing)
        return;
    mem_free(logs->root);
    mem_free(logs);
    done(ctx);
}

static void on_written(void *ctx)
{
    struct one_log *one = ctx;
    struct logs *logs = one->logs;

    mem_free(one);
    logs->writing--;
    session_logs_settle(logs);
}

static void close_one(struct session_logs *l, struct work_client *log)
{
    struct logs *logs = (struct logs *)l;
    struct one_log *one = one_of(log);

    logs->open--;
    logs->writing++;
    one->log.to = &nobody;
    session_log_close(&one->log, on_written, one);
}

static const struct session_logs_kind logs_kind = { open_one, session_logs_note, close_one };

/* ---- opening and closing --------------------------------------------------------------------- */

struct session_logs *session_logs_new(struct loop *loop, const struct limits *limits,
                                      const char *root, struct state_port *state)
{
    struct logs *logs = MEM_NEW(struct logs);
    size_t n = strlen(root) + 1;

    *logs = (struct logs){ .port = { &logs_kind }, .loop = loop, .limits = limits, .state = state };
    logs->root = memcpy(mem_alloc(n), root, n);
    return &logs->port;
}

void session_logs_meter(struct session_logs *l, void (*grown)(void *ctx, size_t bytes), void *ctx)
{
    struct logs *logs = (struct logs *)l;

    logs->grown = grown;
    logs->grown_ctx = ctx;
}

void session_logs_free(struct session_logs *l, void (*done)(void *ctx), void *ctx)
{
    struct logs *logs = (struct logs *)l;

    if (!logs) {
        done(ctx);
        return;
    }
    assert(!logs->open);
    logs->done = done;
    logs->ctx = ctx;
    session_logs_settle(logs);
}
