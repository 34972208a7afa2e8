/*
 * session_log.h - write everything that happens in a session as lines of JSON: <session>.log
 * (log_dir.h).
 *
 * A work_client that wraps another one: it writes each event with its time and passes it on;
 * questions are passed on. The log is for people who look for an error; trefoil never reads it
 * back. The file is readable by the user only (0600). Past limits.session_log_bytes it is renamed to
 * <session>.1.log and a new one begins. Lines are written on the thread pool (loop/spool.h). If
 * a log cannot be written, this is reported once, as a notice, and work continues.
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
    void (*grown)(void *ctx, size_t bytes); /* so many bytes were written; may be NULL */
    void *grown_ctx;
    bool open;
};

/*
 * Writes nothing yet. root and session are copied; state (may be NULL) must live as long. `to`
 * receives everything that the log receives, and must live as long.
 */
void session_log_open(struct session_log *log, struct loop *loop, const struct limits *limits,
                      const char *root, struct state_port *state, const char *session,
                      struct work_client *to);

/* Write down something that the other client need not hear, such as a prompt. {0} writes nothing. */
void session_log_note(struct session_log *log, const struct event *ev);

/* Write the pending lines, then call done and free it. {0} is valid: done is called at once. */
void session_log_close(struct session_log *log, void (*done)(void *ctx), void *ctx);

#endif
