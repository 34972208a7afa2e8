/*
 * proc.h - a child process under the keeper, with its three pipes, on the loop.
 *
 * A keeper (sandbox/keep.h) starts the child, so that neither the child nor its descendants outlive
 * trefoil. proc_state.h defines its states. For one child:
 *
 *   stdin, stdout  a stream that the owner drives like any other: proc_io()
 *   stderr         always read; the last lines are kept in p->tail
 *   exit           on_exit, once, when the child and all its descendants are gone
 *   close          proc_close(); *p may be freed after on_closed, when no descriptor, handle or
 *                  zombie is left
 *
 * Connection lifetime. Callbacks never run inside a call that the owner makes.
 */
#ifndef LOOP_PROC_H
#define LOOP_PROC_H

#include "base/limits.h"
#include "loop/fd_stream.h"
#include "loop/proc_state.h"
#include "loop/tail.h"

/* ---- what all children share ------------------------------------------------------------- */

/* Program lifetime. Fill in what differs from the preset after procs_init. */
struct procs {
    struct loop *loop;
    const struct limits *limits;
    const char *keeper; /* the program that has the verb `keep`; preset: this one */
    uint64_t nofile;    /* soft limit of open files of a child; 0 (the default): our own */
    struct proc *first; /* children whose keeper is alive */
};

/*
 * Makes this process the reaper of a dead keeper's tree (PR_SET_CHILD_SUBREAPER). Such orphans
 * differ from other children by their session, which is never ours.
 */
void procs_init(struct procs *all, struct loop *loop, const struct limits *limits);

/* ---- one child --------------------------------------------------------------------------- */

enum proc_how {
    PROC_EXITED,      /* on its own; code is its exit code */
    PROC_SIGNALED,    /* by a signal; code is its number */
    PROC_NOT_STARTED, /* the program could not be executed; err says why */
    PROC_LOST,        /* its keeper was killed; err says more */
    PROC_STUCK,       /* it was killed and does not die; err says more. on_closed waits for its
                       * end */
};

struct proc_exit {
    enum proc_how how;
    int code;
    struct err err;
};

struct proc_events {
    /* It has become its program; p->pid is set. Its first bytes may be faster. May be NULL. */
    void (*on_started)(struct proc *p);

    /* A line of stderr as tail.h shows it, borrowed for the call. May be NULL. */
    void (*on_stderr)(struct proc *p, struct str line);

    /*
     * Once, before on_closed. All it wrote was delivered before, unless the owner paused the
     * stream: then it is still there to be read.
     */
    void (*on_exit)(struct proc *p, const struct proc_exit *exit);

    /* After proc_close. */
    void (*on_closed)(struct proc *p);
};

struct proc_opts {
    const char *const *argv; /* ended by NULL; argv[0] is searched on the child's PATH */
    const char *const *env;  /* complete, ended by NULL: proc_env.h makes it */
    const char *cwd;         /* NULL: ours. A relative argv[0] counts from there */
    const struct proc_events *events;
    void *owner;                           /* p->owner */
    const struct stream_events *io_events; /* of the stream; its on_closed may be NULL */
    void *io_owner;                        /* owner of the stream */
};

struct proc {
    struct procs *all;
    struct proc *next;
    const struct proc_events *events;
    const struct stream_events *io_events;
    void *owner;
    enum proc_state state;
    int pid; /* of the child, once started */
    char *name, *cwd;
    struct pipe_stream io;
    struct sock_stream err;
    struct tail tail;
    int control;
    struct watch control_watch;
    void *keeper;   /* uv_process_t */
    int keeper_pid; /* 0: it has ended */
    struct timer timer;
    struct post closed;
    struct proc_exit exit;
    int64_t sweeping_since;
    int swept;      /* killed by us, not by the keeper */
    uint8_t open;   /* PIECE_*: parts that are not closed yet */
    bool last_word; /* the keeper has reported how it ended */
    bool exit_told, closing;
};

/*
 * Start a child. Returns false if the keeper could not be started; then no event follows and
 * there is nothing to close. on_exit reports every other failure. Copies what it needs of *o.
 */
bool proc_start(struct proc *p, struct procs *all, const struct proc_opts *o, struct err *e);

/* Its stdin and stdout. The owner starts it and may close it, which also stops the child. */
static inline struct stream *proc_io(struct proc *p)
{
    return &p->io.s;
}

/* Ask it to exit: close its stdin, later SIGTERM, later SIGKILL to the whole tree. */
void proc_stop(struct proc *p);

/* Kill the whole tree now. */
void proc_kill(struct proc *p);

/* The owner is done: what runs is killed. Only on_exit, if it is owed, and on_closed follow. */
void proc_close(struct proc *p);

/* "exited with code 3", "was killed by signal 9 (Killed)", "did not start: exec x: ...". */
void proc_exit_text(const struct proc_exit *exit, char *out, size_t size);

#endif
