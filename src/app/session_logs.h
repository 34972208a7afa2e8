/*
 * session_logs.h - the logs of sessions that nobody sits in front of: tasks, and agents that are
 * called as tools. Each is a session_log of its own, .trefoil/logs/<session>.log.
 */
#ifndef APP_SESSION_LOGS_H
#define APP_SESSION_LOGS_H

#include "base/limits.h"
#include "core/session_logs.h"
#include "loop/loop.h"

/* `state` is the root's .trefoil, which is there; copied. limits: program lifetime. */
struct session_logs *session_logs_new(struct loop *loop, const struct limits *limits,
                                      const char *state);

/*
 * No log is open, though some may still be written: done is called when they are, which may be now.
 * Then *l is gone. NULL is fine.
 */
void session_logs_free(struct session_logs *l, void (*done)(void *who), void *who);

#endif
