/*
 * proc.c - trefoil's side of a child.
 *
 * p->state says what we want and wait for, p->open which parts are not closed, p->keeper_pid
 * whether the keeper lives. How it ended is decided in one place, when the keeper is reaped
 * (on_keeper_exit): by then all that it said is in the control socket.
 */
#include "loop/proc.h"

#include "base/container.h"
#include "base/keep_wire.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "loop/proc_spawn.h"
#include "loop/proc_sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE_IO = 1, PIECE_ERR = 2, PIECE_CONTROL = 4, PIECE_KEEPER = 8, PIECE_ALL = 15 };

/* A keeper that cannot do its work says KEEP_STUCK; one that says nothing is stuck itself. */
enum { KEEPER_MS = KEEP_STUCK_MS + 7000, SWEEP_MS = 2, SLOW_SWEEP_MS = 500 };

static void feed(struct proc *p, enum proc_event ev);

void procs_init(struct procs *all, struct loop *loop, const struct limits *limits)
{
    *all = (struct procs){ .loop = loop, .limits = limits, .keeper = "/proc/self/exe" };
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* ---- the end of it ----------------------------------------------------------------------- */

static void on_all_closed(struct post *post)
{
    struct proc *p = CONTAINER_OF(post, struct proc, closed);

    tail_fini(&p->tail);
    mem_free(p->name);
    mem_free(p->cwd);
    p->events->on_closed(p);
}

static void post_if_closed(struct proc *p)
{
    if (!p->open && p->closing)
        loop_post(p->all->loop, &p->closed);
}

static void piece_closed(struct proc *p, unsigned piece)
{
    p->open &= (uint8_t)~piece;
    post_if_closed(p);
}

static void on_control_closed(struct watch *w)
{
    piece_closed(CONTAINER_OF(w, struct proc, control_watch), PIECE_CONTROL);
}

static void on_keeper_closed(uv_handle_t *h)
{
    struct proc *p = h->data;

    mem_free(h);
    piece_closed(p, PIECE_KEEPER);
}

static void tell_exit(struct proc *p)
{
    if (p->exit_told)
        return;
    p->exit_told = true;
    p->events->on_exit(p, &p->exit);
}

static void on_line(struct str line, void *ctx)
{
    struct proc *p = ctx;

    p->events->on_stderr(p, line);
}

static tail_fn *line_fn(const struct proc *p)
{
    return p->events->on_stderr && !p->exit_told && !p->closing ? on_line : NULL;
}

/* What is still in the pipes comes before the exit: a last answer, and why it died. */
static void drain_output(struct proc *p)
{
    stream_read_rest(&p->err.s);
    tail_end(&p->tail, line_fn(p), p);
    stream_read_rest(&p->io.s);
}

static void finish(struct proc *p)
{
    timer_clear(p->all->loop, &p->timer);
    drain_output(p);
    stream_close(&p->err.s);
    watch_close(&p->control_watch, on_control_closed);
    close(p->control);
    uv_close(p->keeper, on_keeper_closed);
    tell_exit(p);
}

/* ---- states ------------------------------------------------------------------------------ */

static void on_time(struct timer *t)
{
    feed(CONTAINER_OF(t, struct proc, timer), PROC_ON_TIME);
}

static void give_time(struct proc *p, int64_t ms)
{
    timer_set(p->all->loop, &p->timer, ms, on_time);
}

/* The keeper may have been stopped, by its own child even: an order also wakes it. */
static void order(struct proc *p, enum keep_order what)
{
    struct keep_order_msg msg = { .order = what };

    if (!p->keeper_pid)
        return;
    send(p->control, &msg, sizeof(msg), MSG_NOSIGNAL | MSG_DONTWAIT);
    kill(p->keeper_pid, SIGCONT);
}

static void stuck(struct proc *p, int left)
{
    if (p->exit_told)
        return;
    p->exit = (struct proc_exit){ .how = PROC_STUCK, .code = left };
    fail(&p->exit.err, ERR_SYSTEM, "%d of its processes cannot be killed", left);
    tell_exit(p);
}

static void swept(struct proc *p)
{
    struct err e = p->exit.err;

    if (p->swept && !p->exit_told)
        fail(&p->exit.err, e.code, "%.150s; %d remaining processes killed", e.text, p->swept);
    feed(p, PROC_ON_SWEPT);
}

/* Find inherited processes and kill them, until none is found; the keeper goes first. */
static void sweep(struct proc *p)
{
    int64_t now = loop_now(p->all->loop);
    int found;

    if (p->keeper_pid) {
        kill(p->keeper_pid, SIGKILL); /* on_keeper_exit leads back here */
        return;
    }
    if (!p->sweeping_since)
        p->sweeping_since = now;
    found = proc_sweep(p->all, &p->swept);
    if (!found) {
        swept(p);
        return;
    }
    if (now - p->sweeping_since >= KEEP_STUCK_MS)
        stuck(p, found);
    give_time(p, p->exit_told ? SLOW_SWEEP_MS : SWEEP_MS);
}

/* The only writer of p->state, after the start. */
static void go(struct proc *p, enum proc_state to)
{
    const struct limits *l = p->all->limits;

    LOG(LOG_DEBUG, "loop", "child", LOG_Z("name", p->name),
        LOG_Z("from", proc_state_name(p->state)), LOG_Z("to", proc_state_name(to)));
    p->state = to;
    switch (to) {
    case PROC_STARTING:
    case PROC_RUNNING: break;
    case PROC_STOPPING:
        stream_shut(&p->io.s);
        give_time(p, l->child_polite_ms);
        break;
    case PROC_TERMINATING:
        order(p, KEEP_TERM);
        give_time(p, l->child_term_ms);
        break;
    case PROC_KILLING:
        order(p, KEEP_KILL);
        give_time(p, KEEPER_MS);
        break;
    case PROC_SWEEPING: sweep(p); break;
    case PROC_DONE: finish(p); break;
    }
}

/* In SWEEPING the keeper's end and the timer call for another look, and nothing else does. */
static void feed(struct proc *p, enum proc_event ev)
{
    enum proc_state to = proc_next(p->state, ev);

    if (to != p->state)
        go(p, to);
    else if (to == PROC_SWEEPING && (ev == PROC_ON_TIME || ev == PROC_ON_KEEPER_LOST))
        sweep(p);
}

/* ---- what the keeper says ---------------------------------------------------------------- */

static enum err_code code_of(int error)
{
    if (error == ENOENT || error == ENOTDIR)
        return ERR_NOT_FOUND;
    return error == EACCES || error == EPERM ? ERR_DENIED : ERR_SYSTEM;
}

static void not_started(struct proc *p, const struct keep_news_msg *msg)
{
    int error = msg->value;
    const char *why = strerror(error);
    struct err *e = &p->exit.err;

    p->exit.how = PROC_NOT_STARTED;
    switch ((enum keep_step)msg->step) {
    case KEEP_STEP_SETUP: fail(e, code_of(error), "set up its keeper: %s", why); return;
    case KEEP_STEP_LIMIT: fail(e, code_of(error), "limit its open files: %s", why); return;
    case KEEP_STEP_CHDIR: fail(e, code_of(error), "chdir %.150s: %s", p->cwd, why); return;
    case KEEP_STEP_EXEC: fail(e, code_of(error), "exec %.150s: %s", p->name, why); return;
    case KEEP_STEP_SANDBOX: fail(e, ERR_DENIED, "sandbox: %s", msg->text); return;
    }
}

static void exited(struct proc *p, int status)
{
    bool by_itself = WIFEXITED(status);

    p->exit.how = by_itself ? PROC_EXITED : PROC_SIGNALED;
    p->exit.code = by_itself ? WEXITSTATUS(status) : WTERMSIG(status);
}

static void hear(struct proc *p, const struct keep_news_msg *msg)
{
    switch ((enum keep_news)msg->news) {
    case KEEP_STARTED:
        p->pid = msg->value;
        feed(p, PROC_ON_STARTED);
        if (p->events->on_started && !p->closing)
            p->events->on_started(p);
        break;
    case KEEP_FAILED:
        not_started(p, msg);
        p->last_word = true;
        break;
    case KEEP_EXITED:
        exited(p, msg->value);
        p->last_word = true;
        break;
    case KEEP_STUCK: /* it needs no more of our patience: it knows what it waits for */
        feed(p, PROC_ON_KILL);
        timer_clear(p->all->loop, &p->timer);
        stuck(p, msg->value);
        break;
    }
}

static void hear_all(struct proc *p)
{
    struct keep_news_msg msg;
    ssize_t n;

    while ((n = recv(p->control, &msg, sizeof(msg), MSG_DONTWAIT)) == sizeof(msg))
        hear(p, &msg);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        watch_want(&p->control_watch, 0); /* its end; on_keeper_exit follows */
}

static void on_control_ready(struct watch *w, unsigned events)
{
    (void)events;
    hear_all(CONTAINER_OF(w, struct proc, control_watch));
}

static void forget_keeper(struct proc *p)
{
    LIST_UNLINK(p->all->first, p, next);
    p->keeper_pid = 0;
}

static void on_keeper_exit(uv_process_t *uv, int64_t code, int signum)
{
    struct proc *p = uv->data;

    forget_keeper(p);
    hear_all(p);
    if (p->last_word) {
        feed(p, PROC_ON_KEEPER_LEFT);
        return;
    }
    p->exit.how = PROC_LOST;
    if (signum)
        fail(&p->exit.err, ERR_SYSTEM, "its keeper was killed by signal %d", signum);
    else
        fail(&p->exit.err, ERR_SYSTEM, "its keeper ended with code %d", (int)code);
    feed(p, PROC_ON_KEEPER_LOST);
}

/* ---- what the child says ----------------------------------------------------------------- */

static struct proc *of_io(struct stream *s)
{
    return CONTAINER_OF(CONTAINER_OF(s, struct pipe_stream, s), struct proc, io);
}

static void on_io_bytes(struct stream *s, struct str bytes)
{
    of_io(s)->io_events->on_bytes(s, bytes);
}

static void on_io_end(struct stream *s, const struct err *e)
{
    of_io(s)->io_events->on_end(s, e);
}

static void on_io_room(struct stream *s)
{
    of_io(s)->io_events->on_room(s);
}

/* Its owner cannot reach it any more, so it has to end. */
static void on_io_closed(struct stream *s)
{
    struct proc *p = of_io(s);

    if (p->io_events->on_closed)
        p->io_events->on_closed(s);
    feed(p, PROC_ON_STOP);
    piece_closed(p, PIECE_IO);
}

static const struct stream_events io_events = { on_io_bytes, on_io_end, on_io_room, on_io_closed };

static struct proc *of_err(struct stream *s)
{
    return s->owner;
}

static void on_err_bytes(struct stream *s, struct str bytes)
{
    tail_put(&of_err(s)->tail, bytes, line_fn(of_err(s)), of_err(s));
}

static void on_err_end(struct stream *s, const struct err *e)
{
    (void)e;
    tail_end(&of_err(s)->tail, line_fn(of_err(s)), of_err(s));
}

static void on_err_closed(struct stream *s)
{
    piece_closed(of_err(s), PIECE_ERR);
}

static const struct stream_events err_events = { on_err_bytes, on_err_end, NULL, on_err_closed };

/* ---- life -------------------------------------------------------------------------------- */

static char *copy(const char *z)
{
    size_t n = z ? strlen(z) + 1 : 0;

    return z ? memcpy(mem_alloc(n), z, n) : NULL;
}

static void open_streams(struct proc *p, const struct proc_opts *o, const struct proc_ends *ends)
{
    const struct limits *l = p->all->limits;
    struct loop *loop = p->all->loop;
    struct err e;

    p->open = PIECE_ALL;
    pipe_stream_open(&p->io, loop, ends->out, ends->in, &io_events, o->io_owner,
                     (size_t)l->output_backlog_bytes);
    tail_init(&p->tail, (size_t)l->child_stderr_lines, (size_t)l->child_stderr_line_bytes);
    sock_stream_open(&p->err, loop, ends->err, &err_events, p, 0);
    stream_start(&p->err.s);
    p->control = ends->control;
    if (watch_open(&p->control_watch, loop, p->control, on_control_ready, &e))
        watch_want(&p->control_watch, WATCH_READ); /* else all is heard at the keeper's end */
}

bool proc_start(struct proc *p, struct procs *all, const struct proc_opts *o, struct err *e)
{
    uv_process_t *uv = mem_zero(sizeof(*uv));
    struct proc_ends ends;

    if (!proc_spawn(all, o, uv, on_keeper_exit, &ends, e))
        return false;
    *p = (struct proc){ .all = all,
                        .events = o->events,
                        .io_events = o->io_events,
                        .owner = o->owner,
                        .closed.fn = on_all_closed };
    p->name = copy(o->argv[0]);
    p->cwd = copy(o->cwd);
    p->keeper = uv;
    p->keeper_pid = uv->pid;
    uv->data = p;
    p->next = all->first;
    all->first = p;
    open_streams(p, o, &ends);
    return true;
}

void proc_stop(struct proc *p)
{
    feed(p, PROC_ON_STOP);
}

void proc_kill(struct proc *p)
{
    feed(p, PROC_ON_KILL);
}

void proc_close(struct proc *p)
{
    if (p->closing)
        return;
    p->closing = true;
    feed(p, PROC_ON_KILL);
    stream_close(&p->io.s);
    post_if_closed(p);
}

void proc_exit_text(const struct proc_exit *exit, char *out, size_t size)
{
    switch (exit->how) {
    case PROC_EXITED: snprintf(out, size, "exited with code %d", exit->code); break;
    case PROC_SIGNALED:
        snprintf(out, size, "was killed by signal %d (%s)", exit->code, strsignal(exit->code));
        break;
    case PROC_NOT_STARTED: snprintf(out, size, "did not start: %s", exit->err.text); break;
    case PROC_LOST: snprintf(out, size, "was lost: %s", exit->err.text); break;
    case PROC_STUCK: snprintf(out, size, "is stuck: %s", exit->err.text); break;
    }
}
