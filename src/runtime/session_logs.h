/*
 * session_logs.h - the logs of sessions without a user in front of them: tasks, and agents that are
 * called as tools. Each is a separate session_log.
 */
#ifndef RUNTIME_SESSION_LOGS_H
#define RUNTIME_SESSION_LOGS_H

#include "base/limits.h"
#include "core/session/session_logs.h"
#include "core/state.h"
#include "loop/loop.h"

/* root is copied; limits and state (may be NULL): program lifetime. */
struct session_logs *session_logs_new(struct loop *loop, const struct limits *limits,
                                      const char *root, struct state_port *state);

/* Set the callback that gets the number of bytes of each write. */
void session_logs_meter(struct session_logs *l, void (*grown)(void *ctx, size_t bytes), void *ctx);

/*
 * No log is open, though some may still be written: done is called when they are, which may be now.
 * Then *l is freed. NULL is fine.
 */
void session_logs_free(struct session_logs *l, void (*done)(void *ctx), void *ctx);

#endif
