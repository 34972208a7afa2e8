/*
 * attach.c - hands over stdin and stdout to the daemon, and waits for its last message.
 *
 * No data passes through this process meanwhile. There are two ways to end:
 *
 *   stdin ends, or this process gets a signal and tells the daemon: the daemon answers the running
 *   calls, sends {"bye":true} and disconnects; the exit code is 0
 *   the daemon disconnects without a message, or sends an error: this process prints the error; the
 *   exit code is 1
 */
#include "daemon/attach.h"
#include "base/version.h"
#include "daemon/daemon_http_client.h"
#include "term/print.h"

#include "base/auto.h"
#include "loop/fd_stream.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct attached {
    struct project *project;
    struct loop *loop;
    int pid; /* process id of the daemon */
    struct sock_stream socket;
    struct buf last; /* last message of the daemon */
    struct timer late;
    int code;
};

/* ---- attaching ------------------------------------------------------------------------------ */

/* Send one message, with the descriptors of stdin and stdout attached. */
static bool send_with_stdio(int fd, struct str line)
{
    const int stdio[FD_PACKET] = { STDIN_FILENO, STDOUT_FILENO };
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(stdio))];
    } control = { .room = { 0 } };
    struct iovec iov = { (char *)line.p, line.n };
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };

    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(sizeof(stdio));
    memcpy(CMSG_DATA(&control.head), stdio, sizeof(stdio));
    return sendmsg(fd, &m, MSG_NOSIGNAL) == (ssize_t)line.n;
}

static bool say_hello(int fd, const struct daemon_hello *h)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, DAEMON_LINE);
    jw_object(&w);
    jw_kint(&w, "trefoil", h->trefoil);
    jw_kstr(&w, "version", h->version);
    jw_kstr(&w, "digest", h->digest);
    jw_kstr(&w, "scope", h->scope);
    jw_kstr(&w, "agent", h->agent);
    jw_kstr(&w, "framing", h->framing);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    return !out.full && send_with_stdio(fd, buf_str(&out));
}

/*
 * Wait for the line with which the daemon answers. The line arrives as one piece; later data stays
 * in the socket.
 */
static struct str await_answer(int fd, int ms, char line[DAEMON_LINE])
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    struct str got = { line, 0 };
    ssize_t n = poll(&p, 1, ms) == 1 ? recv(fd, line, DAEMON_LINE, MSG_PEEK) : -1;

    got.n = n > 0 ? (size_t)n : 0;
    n = str_find_byte(got, '\n');
    if (n < 0 || recv(fd, line, (size_t)n + 1, 0) != n + 1)
        return STR_NONE;
    return str_head(got, (size_t)n);
}

static bool is_let_in(struct project *project, int fd, const struct daemon_hello *h)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    char line[DAEMON_LINE];
    struct json root = { 0 };
    struct str answer;
    struct err e;

    if (!say_hello(fd, h))
        return false;
    answer = await_answer(fd, (int)project->config.limits.attach_ms, line);
    if (answer.p && json_read(&project->mem, answer, &opts, &root, &e) &&
        json_true(json_get(root, STR("ok"))))
        return true;
    LOG(LOG_DEBUG, "attach", "not attached to the daemon",
        LOG_S("why", answer.p ? json_str(&project->mem, json_get(root, STR("error")))
                              : STR("the daemon sent no answer")));
    return false;
}

static int attach_socket(struct project *project, struct daemon_hello hello, int *out_pid)
{
    const char *path;
    AUTO_FD fd = -1;
    struct err e;

    if (!daemon_socket_path(project, false, &path, &e))
        return -1;
    fd = daemon_connect(path, out_pid);
    if (fd < 0)
        return -1;
    hello.trefoil = DAEMON_PROTOCOL;
    hello.version = str_of(trefoil_version);
    hello.digest = daemon_root_digest(project);
    return is_let_in(project, fd, &hello) ? TAKE_FD(fd) : -1;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static void on_bytes(struct stream *io, struct str bytes)
{
    buf_put(&((struct attached *)io->owner)->last, bytes);
}

static void say_lost(struct attached *a)
{
    struct err e;

    daemon_lost(a->pid, &e);
    a->code = print_error(&e);
}

static void say_why(struct attached *a, struct str why)
{
    struct err e;

    fail(&e, ERR_CLOSED, STR_FMT, STR_ARG(str_head(why, 200)));
    a->code = print_error(&e);
}

static void on_end(struct stream *io, const struct err *e)
{
    const struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct attached *a = io->owner;
    struct json word = { 0 };
    struct err bad;

    (void)e;
    if (!a->last.n || !json_read(&a->project->mem, buf_str(&a->last), &opts, &word, &bad))
        say_lost(a);
    else if (json_here(json_get(word, STR("error"))))
        say_why(a, json_str(&a->project->mem, json_get(word, STR("error"))));
    else if (!json_true(json_get(word, STR("bye"))))
        say_lost(a);
    stream_close(io);
}

static void on_room(struct stream *io)
{
    (void)io;
}

static void on_closed(struct stream *io)
{
    struct attached *a = io->owner;

    timer_clear(a->loop, &a->late);
    loop_stop(a->loop);
}

static const struct stream_events socket_events = { on_bytes, on_end, on_room, on_closed };

/* ---- running ------------------------------------------------------------------------------- */

static void on_late(struct timer *t)
{
    (void)t;
    _exit(EXIT_FAILED);
}

/* Handle a signal: let the daemon finish the running calls. A second signal does not wait. */
static void on_signal(int signum, void *ctx)
{
    struct attached *a = ctx;

    (void)signum;
    shutdown(a->socket.fd, SHUT_WR);
    timer_set(a->loop, &a->late, timer_is_set(&a->late) ? 0 : a->project->config.limits.shutdown_ms,
              on_late);
}

/*
 * Wait for the end of the connection. The function takes ownership of the descriptor. Returns the
 * exit code.
 */
static int wait_for_end(struct project *project, int fd, int pid)
{
    struct attached *a = ARENA_NEW(&project->mem, struct attached);
    struct err e;

    a->project = project;
    a->pid = pid;
    a->loop = loop_new(LOOP_REAL_CLOCK);
    buf_init(&a->last, DAEMON_LINE);
    sock_stream_open(&a->socket, a->loop, fd, &socket_events, a, DAEMON_LINE);
    if (!loop_on_signal(a->loop, SIGTERM, on_signal, a, &e) ||
        !loop_on_signal(a->loop, SIGINT, on_signal, a, &e)) {
        a->code = print_error(&e);
        stream_close(&a->socket.s);
    }
    stream_start(&a->socket.s);
    loop_run(a->loop);
    loop_free(a->loop);
    buf_fini(&a->last);
    return a->code;
}

/*
 * Is stdin or stdout a terminal? A terminal cannot be handed over, because only a foreground
 * process may read it.
 */
static bool has_terminal(void)
{
    return isatty(STDIN_FILENO) || isatty(STDOUT_FILENO);
}

/*
 * Let the daemon use stdin from now on. If sending fails, the daemon has not read anything from
 * stdin.
 */
static bool hand_over(int fd)
{
    return send(fd, "\n", 1, MSG_NOSIGNAL) == 1;
}

bool attach(struct project *project, struct daemon_hello hello, int *out_code)
{
    int pid;
    AUTO_FD fd = has_terminal() ? -1 : attach_socket(project, hello, &pid);

    if (fd < 0 || !hand_over(fd))
        return false;
    *out_code = wait_for_end(project, TAKE_FD(fd), pid);
    return true;
}
