/*
 * session_logs.h - the port to the log files of sessions, which help people to find out what went
 * wrong.
 */
#ifndef CORE_SESSION_SESSION_LOGS_H
#define CORE_SESSION_SESSION_LOGS_H

#include "core/event.h"

struct session_logs;

struct session_logs_kind {
    /*
     * Return a client for the turns of a session. It writes every event to the log and forwards it
     * to `to`, until close. `to` must stay valid until then; `session` is only borrowed for the
     * call.
     */
    struct work_client *(*open)(struct session_logs *l, const char *session,
                                struct work_client *to);

    /* Write an event to the log without forwarding it, such as a prompt. */
    void (*note)(struct session_logs *l, struct work_client *log, const struct event *ev);

    /* Close the log. It receives no further events; what it has buffered is still written. */
    void (*close)(struct session_logs *l, struct work_client *log);
};

/* Program lifetime. */
struct session_logs {
    const struct session_logs_kind *kind;
};

#endif
