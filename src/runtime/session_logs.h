/*
 * session_logs.h - the logs of sessions that run without a terminal: sessions of tasks, and of
 * agents that are called as tools. This file implements core/session/session_logs.h; each log is a
 * session_log.
 */
#ifndef RUNTIME_SESSION_LOGS_H
#define RUNTIME_SESSION_LOGS_H

#include "base/limits.h"
#include "core/session/session_logs.h"
#include "core/state.h"
#include "loop/loop.h"

/* `root` is copied. `limits` and `state` (may be NULL) need program lifetime. */
struct session_logs *session_logs_new(struct loop *loop, const struct limits *limits,
                                      const char *root, struct state_port *state);

/* Set the callback that is called after each write, with the number of bytes. */
void session_logs_meter(struct session_logs *l, void (*grown)(void *ctx, size_t bytes), void *ctx);

/*
 * Free *l when all logs are written, then call `done`, possibly at once. No log may be open. `l`
 * may be NULL.
 */
void session_logs_free(struct session_logs *l, void (*done)(void *ctx), void *ctx);

#endif
