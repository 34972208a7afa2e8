/*
 * session_logs.h - the port to the log files of sessions, in which people look for errors.
 */
#ifndef CORE_SESSION_SESSION_LOGS_H
#define CORE_SESSION_SESSION_LOGS_H

#include "core/event.h"

struct session_logs;

struct session_logs_kind {
    /*
     * Open the log of a session and return a client for its turns. Until close, this client writes
     * every event to the log and forwards it to `to`. `to` must stay valid until close; `session`
     * is borrowed for the call only.
     */
    struct work_client *(*open)(struct session_logs *l, const char *session,
                                struct work_client *to);

    /* Write an event to the log without forwarding it, such as a prompt. */
    void (*note)(struct session_logs *l, struct work_client *log, const struct event *ev);

    /* Close the log, which receives no further events. Buffered events are still written. */
    void (*close)(struct session_logs *l, struct work_client *log);
};

/* Lives as long as the program. */
struct session_logs {
    const struct session_logs_kind *kind;
};

#endif
