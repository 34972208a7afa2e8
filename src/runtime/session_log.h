/*
 * session_log.h - all that happens in a session, as lines of JSON: <session>.log (log_dir.h).
 *
 * A work_client that stands before another one: events are written down, each with its time, and
 * passed on; questions are passed on. For people who look for what went wrong; nothing reads it back.
 * The file is the user's alone (0600). Past limits.session_log_bytes it becomes <session>.1.log
 * and a new one begins. Lines are written on the pool (loop/spool.h); a log that cannot be written
 * is told of once, as a notice, and stops nothing.
 */
#ifndef RUNTIME_SESSION_LOG_H
#define RUNTIME_SESSION_LOG_H

#include "base/limits.h"
#include "core/event.h"
#include "core/state.h"
#include "loop/spool.h"

struct session_log {
    struct work_client client; /* first */
    struct work_client *to;
    struct spool spool;
    const struct limits *limits;
    char *root;
    struct state_port *state;
    char *name, *old;                       /* of the two files */
    void (*grown)(void *ctx, size_t bytes); /* a line will be written; may be NULL */
    void *grown_ctx;
    bool open;
};

/*
 * Writes nothing yet. root and session are copied, state (may be NULL) lives as long. `to` gets all
 * that the log does, and lives as long.
 */
void session_log_open(struct session_log *log, struct loop *loop, const struct limits *limits,
                      const char *root, struct state_port *state, const char *session,
                      struct work_client *to);

/* Write down something that the other client need not hear, such as a prompt. {0} writes nothing. */
void session_log_note(struct session_log *log, const struct event *ev);

/* Write what is there, then call done. After that it is gone. {0} is fine: done is called now. */
void session_log_close(struct session_log *log, void (*done)(void *ctx), void *ctx);

#endif
