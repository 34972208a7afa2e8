/*
 * attach.c - a pipe between our stdin and stdout and the daemon.
 *
 * Each side is a stream; what one brings is written to the other, and while the other is slow the
 * one is not read. Two ways to end:
 *
 *   stdin ends, or we are told to stop: the daemon is told that nothing follows, answers what is
 *   under way and closes; what it said is written, and we exit with 0
 *   the daemon closes before that: what it said is written, and we exit with 1
 */
#include "app/attach.h"

#include "base/auto.h"
#include "base/container.h"
#include "loop/fd_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

struct attached {
    struct app *app;
    struct loop *loop;
    int pid;                       /* of the daemon */
    struct pipe_stream user, door; /* the socket twice: a paused one must not lose its last bytes */
    bool done;                     /* nothing more is sent to the daemon */
    bool over;                     /* the daemon has closed */
    uint8_t closed;
    struct timer late;
    int code;
};

/* ---- at the door --------------------------------------------------------------------------- */

bool attach_is_forbidden(void)
{
    const char *set = getenv("TREFOIL_NO_ATTACH");

    return set && *set && !str_eq(str_of(set), STR("0"));
}

static bool say_hello(int fd, const struct door_hello *h)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, DOOR_LINE);
    jw_object(&w);
    jw_kint(&w, "trefoil", h->trefoil);
    jw_kstr(&w, "version", h->version);
    jw_kstr(&w, "digest", h->digest);
    jw_kstr(&w, "face", h->face);
    jw_kstr(&w, "scope", h->scope);
    jw_kstr(&w, "agent", h->agent);
    jw_kstr(&w, "framing", h->framing);
    jw_kstr(&w, "config", h->config);
    pick_strs_write(&w, "keys", &h->keys);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    return !out.full && send(fd, out.p, out.n, MSG_NOSIGNAL) == (ssize_t)out.n;
}

/* Its line comes as one piece; what follows it stays in the socket. */
static struct str await_answer(int fd, int ms, char line[DOOR_LINE])
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    struct str got = { line, 0 };
    ssize_t n = poll(&p, 1, ms) == 1 ? recv(fd, line, DOOR_LINE, MSG_PEEK) : -1;

    got.n = n > 0 ? (size_t)n : 0;
    n = str_find_byte(got, '\n');
    if (n < 0 || recv(fd, line, (size_t)n + 1, 0) != n + 1)
        return STR_NONE;
    return str_head(got, (size_t)n);
}

static bool is_let_in(struct app *app, int fd, const struct door_hello *h)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    char line[DOOR_LINE];
    struct json root = { 0 };
    struct str answer;
    struct err e;

    if (!say_hello(fd, h))
        return false;
    answer = await_answer(fd, (int)app->config.limits.attach_ms, line);
    if (answer.p && json_read(&app->mem, answer, &opts, &root, &e) &&
        json_true(json_get(root, STR("ok"))))
        return true;
    LOG(LOG_DEBUG, "attach", "not attached to the daemon",
        LOG_S("why", answer.p ? json_str(&app->mem, json_get(root, STR("error")))
                              : STR("it gave no answer")));
    return false;
}

int attach_door(struct app *app, struct door_hello hello, int *out_pid)
{
    const char *path;
    AUTO_FD fd = -1;
    struct err e;

    if (!door_path(app, false, &path, &e))
        return -1;
    fd = door_knock(path, out_pid);
    if (fd < 0)
        return -1;
    hello.trefoil = DOOR_PROTOCOL;
    hello.version = str_of(trefoil_version);
    hello.digest = door_digest(app);
    return is_let_in(app, fd, &hello) ? TAKE_FD(fd) : -1;
}

void attach_lost(int pid, struct err *e)
{
    fail(e, ERR_CLOSED, "the daemon (process %d) went away; what was under way there is lost", pid);
}

/* ---- the pipe ------------------------------------------------------------------------------ */

static void leave(struct attached *a)
{
    stream_close(&a->user.s);
    stream_close(&a->door.s);
}

static void on_closed(struct stream *io)
{
    struct attached *a = io->owner;

    if (++a->closed < 2)
        return;
    timer_clear(a->loop, &a->late);
    loop_stop(a->loop);
}

/* Behind what waits to be sent, the daemon learns that nothing follows. */
static void finish(struct attached *a)
{
    if (a->done)
        return;
    a->done = true;
    stream_pause(&a->user.s);
    stream_tell_room(&a->door.s);
}

static void on_user_bytes(struct stream *io, struct str bytes)
{
    struct attached *a = io->owner;

    if (!stream_put(&a->door.s, bytes))
        stream_pause(io);
}

static void on_user_end(struct stream *io, const struct err *e)
{
    struct attached *a = io->owner;

    if (!e) {
        finish(a);
        return;
    }
    a->code = app_fail(e);
    leave(a);
}

static void on_user_room(struct stream *io)
{
    struct attached *a = io->owner;

    if (a->over)
        leave(a);
    else
        stream_resume(&a->door.s);
}

static void on_door_bytes(struct stream *io, struct str bytes)
{
    struct attached *a = io->owner;

    if (!stream_put(&a->user.s, bytes))
        stream_pause(io);
}

static void on_door_end(struct stream *io, const struct err *why)
{
    struct attached *a = io->owner;
    struct err e;

    if (!a->done || why) {
        attach_lost(a->pid, &e);
        a->code = app_fail(&e);
    }
    a->over = a->done = true;
    stream_pause(&a->user.s);
    stream_tell_room(&a->user.s);
}

static void on_door_room(struct stream *io)
{
    struct attached *a = io->owner;

    if (a->done)
        shutdown(a->door.in, SHUT_WR);
    else
        stream_resume(&a->user.s);
}

static const struct stream_events user_events = { on_user_bytes, on_user_end, on_user_room,
                                                  on_closed };
static const struct stream_events door_events = { on_door_bytes, on_door_end, on_door_room,
                                                  on_closed };

/* ---- running ------------------------------------------------------------------------------- */

static void on_late(struct timer *t)
{
    (void)t;
    _exit(EXIT_FAILED);
}

/* The daemon finishes what is under way; a second signal does not wait. */
static void on_signal(int signum, void *who)
{
    struct attached *a = who;

    (void)signum;
    finish(a);
    timer_set(a->loop, &a->late, timer_is_set(&a->late) ? 0 : a->app->config.limits.shutdown_ms,
              on_late);
}

/* Takes the descriptor, also when it fails. */
static bool open_streams(struct attached *a, int fd, struct err *e)
{
    const size_t backlog = (size_t)a->app->config.limits.output_backlog_bytes;
    AUTO_FD door = fd;
    AUTO_FD door_out = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    AUTO_FD in = -1;
    AUTO_FD out = -1;

    if (door_out < 0)
        return fail_sys(e, "the daemon's socket");
    if (!fd_own_nonblocking(STDIN_FILENO, &in, e) || !fd_own_nonblocking(STDOUT_FILENO, &out, e))
        return false;
    pipe_stream_open(&a->user, a->loop, TAKE_FD(in), TAKE_FD(out), &user_events, a, backlog);
    pipe_stream_open(&a->door, a->loop, TAKE_FD(door), TAKE_FD(door_out), &door_events, a, backlog);
    return true;
}

static int be_a_pipe(struct app *app, int fd, int pid)
{
    struct attached *a = ARENA_NEW(&app->mem, struct attached);
    struct err e;

    a->app = app;
    a->pid = pid;
    a->loop = loop_new(LOOP_REAL_CLOCK);
    if (!open_streams(a, fd, &e)) {
        loop_free(a->loop);
        return app_fail(&e);
    }
    if (!loop_on_signal(a->loop, SIGTERM, on_signal, a, &e) ||
        !loop_on_signal(a->loop, SIGINT, on_signal, a, &e)) {
        a->code = app_fail(&e);
        leave(a);
    }
    stream_start(&a->user.s);
    stream_start(&a->door.s);
    loop_run(a->loop);
    loop_free(a->loop);
    return a->code;
}

bool attach(struct app *app, struct door_hello hello, int *out_code)
{
    int pid, fd = attach_door(app, hello, &pid);

    if (fd >= 0)
        *out_code = be_a_pipe(app, fd, pid);
    return fd >= 0;
}
