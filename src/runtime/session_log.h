/*
 * session_log.h - writes the events of a session to a log file, as lines of JSON: <session>.log
 * (log_dir.h).
 *
 * A session_log is a work_client that wraps another one. It writes each event with its time to the
 * log, and forwards events and questions to the other client. People read the log to find errors;
 * trefoil never reads it. Only the user can read the file (0600). When the file becomes larger than
 * limits.session_log_bytes, it is renamed to <session>.1.log and a new file begins. Lines are
 * written on the thread pool (loop/spool.h). If a log cannot be written, one notice reports that,
 * and work continues.
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
    char *name, *old;                       /* names of the log file and of the renamed file */
    void (*grown)(void *ctx, size_t bytes); /* called after each write; may be NULL */
    void *grown_ctx;
    bool open;
};

/*
 * Open a log; nothing is written yet. `root` and `session` are copied. `state` (may be NULL) and
 * `to`, the client that receives all events, must live as long as the log.
 */
void session_log_open(struct session_log *log, struct loop *loop, const struct limits *limits,
                      const char *root, struct state_port *state, const char *session,
                      struct work_client *to);

/* Write an event without forwarding it, such as a prompt. Does nothing if *log is zeroed. */
void session_log_note(struct session_log *log, const struct event *ev);

/*
 * Write the pending lines, close the log, then call `done`. If *log is zeroed, `done` is called at
 * once.
 */
void session_log_close(struct session_log *log, void (*done)(void *ctx), void *ctx);

#endif
