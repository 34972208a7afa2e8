/*
 * session_logs.h - where all that happens in sessions is written down, for people who look for what
 * went wrong. A port: core stores nothing.
 */
#ifndef CORE_SESSION_SESSION_LOGS_H
#define CORE_SESSION_SESSION_LOGS_H

#include "core/event.h"

struct session_logs;

struct session_logs_kind {
    /*
     * A client for the turns of a session, which writes down what it is told and passes all on to
     * `to`, until it is closed. `to` lives until then, the session's id only for the call.
     */
    struct work_client *(*open)(struct session_logs *l, const char *session,
                                struct work_client *to);

    /* Write down something that `to` need not hear, such as a prompt. */
    void (*note)(struct session_logs *l, struct work_client *log, const struct event *ev);

    /* It is told nothing any more; what it was told is written in a while. */
    void (*close)(struct session_logs *l, struct work_client *log);
};

/* Program lifetime. */
struct session_logs {
    const struct session_logs_kind *kind;
};

#endif
