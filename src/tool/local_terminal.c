#include "tool/local_terminal.h"

#include "base/container.h"
#include "base/mem.h"
#include "loop/job.h"
#include "tool/file/beneath.h"
#include "tool/tool_resources.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

struct local_terminal {
    struct proc proc;
    struct terminal *t;
    int cwd; /* until the command has started; -1: closed */
};

/* ---- events ------------------------------------------------------------------------------ */

static void on_local_bytes(struct stream *s, struct str bytes)
{
    struct local_terminal *l = s->owner;

    l->t->events->on_output(l->t, bytes);
}

static void on_local_end(struct stream *s, const struct err *e)
{
    (void)s, (void)e;
}

static void on_local_room(struct stream *s)
{
    (void)s;
}

static const struct stream_events local_io_events = {
    .on_bytes = on_local_bytes,
    .on_end = on_local_end,
    .on_room = on_local_room,
};

static void on_local_stderr(struct proc *p, struct str line)
{
    struct local_terminal *l = p->owner;

    l->t->events->on_output(l->t, line);
    l->t->events->on_output(l->t, STR("\n"));
}

static void close_folder(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void on_local_started(struct proc *p)
{
    struct local_terminal *l = p->owner;

    close_folder(&l->cwd);
}

static void on_local_exit(struct proc *p, const struct proc_exit *exit)
{
    struct local_terminal *l = p->owner;

    close_folder(&l->cwd);
    l->t->events->on_exit(l->t, exit);
    proc_close(p);
}

static void on_local_closed(struct proc *p)
{
    struct local_terminal *l = p->owner;
    struct terminal *t = l->t;

    mem_free(l);
    t->own = NULL;
    t->events->on_closed(t);
}

static const struct proc_events local_proc_events = {
    .on_started = on_local_started,
    .on_stderr = on_local_stderr,
    .on_exit = on_local_exit,
    .on_closed = on_local_closed,
};

/* ---- starting ---------------------------------------------------------------------------- */

/* In the memory of the request. */
struct local_start {
    struct job job; /* first */
    struct terminal *t;
    int cwd;
};

static void close_unused_folder(void *ptr)
{
    close_folder(&((struct local_start *)ptr)->cwd);
}

static bool open_folder_on_pool(struct job *job, struct err *e)
{
    struct local_start *s = CONTAINER_OF(job, struct local_start, job);

    return beneath_open(&s->t->cwd, O_PATH | O_DIRECTORY, 0, &s->cwd, e);
}

/*
 * The path by which the keeper enters the folder that was opened. In a sandbox /proc shows other
 * processes, so the child gets the path of the folder, which leads nowhere that it may not reach.
 */
static bool folder_path(const struct terminal *t, int fd, char *out, size_t size, struct err *e)
{
    char link[64];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)getpid(), fd);
    if (!t->sandbox) {
        snprintf(out, size, "%s", link);
        return true;
    }
    n = readlink(link, out, size - 1);
    if (n < 0)
        return fail_sys(e, "find the path of the working folder");
    out[n] = 0;
    return true;
}

static bool start_command(struct local_start *s, struct err *e)
{
    struct terminal *t = s->t;
    struct local_terminal *l = MEM_NEW(struct local_terminal);
    char folder[PATH_MAX];
    struct proc_opts opts = {
        .argv = t->argv,
        .env = t->env,
        .cwd = folder,
        .sandbox = t->sandbox,
        .events = &local_proc_events,
        .owner = l,
        .io_events = &local_io_events,
        .io_owner = l,
    };

    if (!folder_path(t, s->cwd, folder, sizeof(folder), e) ||
        !proc_start(&l->proc, t->host->world->procs, &opts, e)) {
        mem_free(l);
        return false;
    }
    l->cwd = s->cwd;
    s->cwd = -1;
    l->t = t;
    t->own = l;
    stream_start(proc_io(&l->proc));
    return true;
}

static void on_folder_opened(struct op *op, const struct err *e, void *ctx)
{
    struct local_start *s = ctx;
    struct err failed;

    (void)op;
    if (e)
        op_fail(&s->t->op, e);
    else if (start_command(s, &failed))
        op_ok(&s->t->op);
    else
        op_fail(&s->t->op, &failed);
}

/* The job settles the op, also when it is cancelled. */
static void cancel_local_start(struct op *op)
{
    (void)op;
}

static const struct op_kind local_start_kind = {
    .name = "local terminal",
    .cancel = cancel_local_start,
};

void local_terminal_run(struct workspace *w, struct terminal *t, struct op *parent,
                        op_done_fn *done, void *ctx)
{
    struct local_start *s = ARENA_NEW(t->mem, struct local_start);

    (void)w;
    s->t = t;
    s->cwd = -1;
    arena_defer(t->mem, close_unused_folder, s);
    op_begin(&t->op, &local_start_kind, t->host->loop, parent, done, ctx);
    job_start(&s->job, t->host->loop, &t->op, open_folder_on_pool, on_folder_opened, s);
}

/* ---- a command that was started ---------------------------------------------------------- */

struct stream *local_terminal_input(struct terminal *t)
{
    struct local_terminal *l = t->own;

    return proc_io(&l->proc);
}

void local_terminal_kill(struct terminal *t)
{
    struct local_terminal *l = t->own;

    proc_kill(&l->proc);
}

void local_terminal_release(struct terminal *t)
{
    struct local_terminal *l = t->own;

    proc_close(&l->proc);
}
