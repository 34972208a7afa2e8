/*
 * child_link.h - JSON-RPC with a child process over its stdin and stdout.
 *
 *   opening -> open -> failed -> closed
 *      |                 ^
 *      +-----------------+
 *
 *   failed  the child could not be started, or has ended: the error explains how, and quotes the
 *           last lines of its stderr. A child that only closes its stdout is first asked to exit.
 *   closed  after child_link_close, when the child and all its descendants have ended. The link may
 *           then be freed.
 *
 * The events below report each change. They are called from the loop, never from inside
 * child_link_open or child_link_close.
 */
#ifndef RPC_CHILD_LINK_H
#define RPC_CHILD_LINK_H

#include "loop/proc.h"
#include "wire/stream_link.h"

struct child_link;

struct child_link_events {
    void (*on_open)(struct child_link *l);

    /* A message of the child, valid during this callback. */
    void (*on_frame)(struct child_link *l, const struct frame *frame);

    /* The child has ended; tail has the last lines of its stderr. May be NULL. */
    void (*on_stderr)(struct child_link *l, const struct tail *tail);

    /*
     * The link delivers no further messages. Called at most once, and not after child_link_close.
     */
    void (*on_failed)(struct child_link *l, const struct err *e);
    void (*on_closed)(struct child_link *l);
};

/* The command and its environment. Must be valid during child_link_open. */
struct child_command {
    const char *const *argv;
    const char *const *env; /* the whole environment, from proc_env */
    const char *cwd;
    const struct sandbox_profile *sandbox; /* NULL: no sandbox */
};

/* Embed it in your own struct. */
struct child_link {
    struct proc proc;
    struct stream_link link; /* &link.link sends messages to the child */
    const struct child_link_events *events;
    struct post post; /* calls on_open or on_failed from the loop */
    bool started, ended, closing;
    struct err err;
};

/*
 * Start the child. on_open or on_failed follows. False: no child was started; on_failed follows.
 */
bool child_link_open(struct child_link *l, struct procs *procs, const struct child_command *command,
                     enum framing framing, const struct child_link_events *events);

/* Instead of child_link_open, if the command is not usable: on_failed follows with this error. */
void child_link_open_failed(struct child_link *l, struct procs *procs, const struct err *e,
                            const struct child_link_events *events);

/*
 * Ask the child to exit, and kill it if it does not; on_closed follows. Call it once, at any time.
 */
void child_link_close(struct child_link *l);

#endif
