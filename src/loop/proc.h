/*
 * proc.h - run a child process under a keeper, with pipes for stdin, stdout and stderr.
 *
 * A keeper (sandbox/keep.h) starts the child, so that neither the child nor its descendants outlive
 * trefoil. proc_state.h defines the states of a child. The owner of a child uses:
 *
 *   stdin, stdout  one stream, used like any other stream: proc_io()
 *   stderr read automatically; p->tail keeps the last lines exit on_exit is called once, when the
 *   child and all its descendants are gone
 *   close          after proc_close(), on_closed is called when no descriptor, handle or zombie is
 *                  left; then *p may be freed
 *
 * Callbacks never run inside a call that the owner makes.
 */
#ifndef LOOP_PROC_H
#define LOOP_PROC_H

#include "base/limits.h"
#include "loop/fd_stream.h"
#include "loop/proc_state.h"
#include "loop/sandbox_profile.h"
#include "loop/tail.h"

/* ---- what all children share ------------------------------------------------------------- */

/* Exists as long as the program. procs_init sets defaults, which the program may then change. */
struct procs {
    struct loop *loop;
    const struct limits *limits;
    const char *keeper; /* the program that has the verb `keep`; default: this program */
    uint64_t nofile;    /* soft limit of open files of a child; 0 (the default): our own */
    struct proc *first; /* children whose keeper is alive */

    /*
     * If tests use another program as keeper: the sandbox features that this program reports; set
     * when first needed.
     */
    struct sandbox_support support;
    bool support_known;
};

/*
 * Makes this process a subreaper (PR_SET_CHILD_SUBREAPER): if a keeper dies, we inherit the
 * processes that it supervised. They differ from our other children by their session id, which is
 * never ours.
 */
void procs_init(struct procs *all, struct loop *loop, const struct limits *limits);

/* ---- one child --------------------------------------------------------------------------- */

enum proc_how {
    PROC_EXITED,      /* the child exited; code is its exit code */
    PROC_SIGNALED,    /* a signal killed the child; code is the number of the signal */
    PROC_NOT_STARTED, /* the program could not be executed; err has the reason */
    PROC_LOST,        /* the keeper was killed; err has details */
    PROC_STUCK,       /* the child was killed but does not die; err has details. on_closed is
                       * called when it has died */
};

struct proc_exit {
    enum proc_how how;
    int code;
    struct err err;
};

struct proc_events {
    /* The child has executed its program; p->pid is set. Its first output may be delivered before
     * this call. May be NULL. */
    void (*on_started)(struct proc *p);

    /* A line of stderr, made displayable as in tail.h; valid during this call. May be NULL. */
    void (*on_stderr)(struct proc *p, struct str line);

    /*
     * The child has ended, or did not start. Called once, before on_closed. All output of the child
     * was delivered before, unless the owner paused the stream: then the rest can still be read.
     */
    void (*on_exit)(struct proc *p, const struct proc_exit *exit);

    /* proc_close is complete: *p may be freed. */
    void (*on_closed)(struct proc *p);
};

struct proc_opts {
    const char *const *argv; /* ends with NULL; argv[0] is searched in the child's PATH */
    const char *const *env;  /* the whole environment, from proc_env(); ends with NULL */
    const char *cwd;         /* NULL: our own. A relative argv[0] is relative to cwd */
    const struct sandbox_profile *sandbox; /* NULL: no sandbox */
    const struct proc_events *events;
    void *owner;                           /* copied to p->owner */
    const struct stream_events *io_events; /* callbacks of the stream; on_closed may be NULL */
    void *io_owner;                        /* owner of the stream */
};

struct proc {
    struct procs *all;
    struct proc *next;
    const struct proc_events *events;
    const struct stream_events *io_events;
    void *owner;
    enum proc_state state;
    int pid; /* pid of the child, valid from on_started on */
    char *name, *cwd;
    struct pipe_stream io;
    struct sock_stream err;
    struct tail tail;
    int control;
    struct watch control_watch;
    void *keeper;   /* uv_process_t */
    int keeper_pid; /* 0: the keeper has ended */
    struct timer timer;
    struct post closed;
    struct proc_exit exit;
    int64_t sweeping_since;
    int swept;      /* number of processes that we killed instead of the keeper */
    uint8_t open;   /* PIECE_*: parts that are not closed yet */
    bool last_word; /* the keeper has sent its final report */
    bool exit_told, closing;
};

/*
 * Start a child. False: the keeper could not be started; then no callback follows, and proc_close
 * must not be called. on_exit reports every other failure. *o is needed only during this call.
 */
bool proc_start(struct proc *p, struct procs *all, const struct proc_opts *o, struct err *e);

/* The stream of the child's stdin and stdout. The owner must call stream_start, and may close the
 * stream, which also stops the child. */
static inline struct stream *proc_io(struct proc *p)
{
    return &p->io.s;
}

/*
 * Ask the child to exit: first close its stdin, then send SIGTERM, and finally kill the whole tree.
 */
void proc_stop(struct proc *p);

/* Kill the whole tree now. */
void proc_kill(struct proc *p);

/*
 * The owner no longer needs the child: kill its whole tree. Only on_exit (unless it has been called
 * already) and on_closed follow.
 */
void proc_close(struct proc *p);

/* Describe the end of a child: "exited with code 3", "was killed by signal 9 (Killed)", "did not
 * start: exec x: ...". */
void proc_exit_text(const struct proc_exit *exit, char *out, size_t size);

#endif
