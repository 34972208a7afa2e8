/*
 * child_link.h - JSON-RPC with a child process over its stdin and stdout.
 *
 *   opening -> open -> failed -> closed      told by the events below, from the loop, never from
 *      |                 ^                   inside child_link_open or child_link_close
 *      +-----------------+
 *
 * failed  the child could not be started, or has ended: the reason says how, and quotes the last
 *         lines of its stderr. A child that only closes its stdout is asked to exit first.
 * closed  after child_link_close, when the child and all its descendants are gone. The link may be
 *         freed then.
 */
#ifndef RPC_CHILD_LINK_H
#define RPC_CHILD_LINK_H

#include "loop/proc.h"
#include "wire/stream_link.h"

struct child_link;

struct child_link_events {
    void (*on_open)(struct child_link *l);

    /* A message of the child, borrowed for the call. */
    void (*on_frame)(struct child_link *l, const struct frame *frame);

    /* The child has ended: the last lines of its stderr. May be NULL. */
    void (*on_stderr)(struct child_link *l, const struct tail *tail);

    /* It will carry nothing more. Called at most once, and not after child_link_close. */
    void (*on_failed)(struct child_link *l, const struct err *e);
    void (*on_closed)(struct child_link *l);
};

/* The command and its environment. Copied as far as needed. */
struct child_command {
    const char *const *argv;
    const char *const *env; /* complete, as proc_env makes it */
    const char *cwd;
};

/* Embed it. */
struct child_link {
    struct proc proc;
    struct stream_link link; /* &link.link sends messages to the child */
    const struct child_link_events *events;
    struct post post; /* tell that it is open, or could not be started */
    bool started, ended, closing;
    struct err err;
};

/* Start the child. Never fails at once: on_open or on_failed follows. False if nothing started. */
bool child_link_open(struct child_link *l, struct procs *procs, const struct child_command *command,
                     enum framing framing, const struct child_link_events *events);

/* The same, for a command that could not even be prepared, and why. */
void child_link_open_failed(struct child_link *l, struct procs *procs, const struct err *e,
                            const struct child_link_events *events);

/* Stop the child politely; on_closed follows. May be called once, at any time. */
void child_link_close(struct child_link *l);

#endif
