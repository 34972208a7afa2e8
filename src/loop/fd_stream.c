#include "loop/fd_stream.h"

#include "base/auto.h"
#include "base/container.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_fd(int fd, char *to, size_t room)
{
    ssize_t n = read(fd, to, room);

    return n < 0 ? -errno : n;
}

static ssize_t write_fd(int fd, const struct iovec *iov, int n)
{
    ssize_t wrote = writev(fd, iov, n);

    return wrote < 0 ? -errno : wrote;
}

/* A watch that would not open: the stream is broken from the start. */
static void watch_or_break(struct watch *w, struct stream *s, int fd, watch_ready_fn *on_ready)
{
    struct err e;

    if (watch_open(w, s->loop, fd, on_ready, &e))
        return;
    s->error = -EIO;
    loop_post(s->loop, &s->failed);
}

/* ---- one descriptor --------------------------------------------------------------------- */

static struct sock_stream *sock(struct stream *s)
{
    return CONTAINER_OF(s, struct sock_stream, s);
}

static ssize_t sock_read(struct stream *s, char *to, size_t room)
{
    return read_fd(sock(s)->fd, to, room);
}

static ssize_t sock_write(struct stream *s, const struct iovec *iov, int n)
{
    return write_fd(sock(s)->fd, iov, n);
}

static void sock_want(struct stream *s, unsigned events)
{
    watch_want(&sock(s)->watch, events);
}

static void sock_shut(struct stream *s)
{
    shutdown(sock(s)->fd, SHUT_WR);
}

static void on_sock_closed(struct watch *w)
{
    stream_closed(&CONTAINER_OF(w, struct sock_stream, watch)->s);
}

static void sock_close(struct stream *s)
{
    watch_close(&sock(s)->watch, on_sock_closed);
    close(sock(s)->fd);
    sock(s)->fd = -1;
}

static const struct stream_kind sock_kind = {
    "socket", sock_read, sock_write, sock_want, sock_shut, sock_close,
};

static void on_sock_ready(struct watch *w, unsigned events)
{
    stream_ready(&CONTAINER_OF(w, struct sock_stream, watch)->s, events);
}

void sock_stream_open(struct sock_stream *s, struct loop *loop, int fd,
                      const struct stream_events *events, void *owner, size_t backlog)
{
    stream_init(&s->s, &sock_kind, loop, events, owner, backlog);
    s->fd = fd;
    watch_or_break(&s->watch, &s->s, fd, on_sock_ready);
}

/* ---- two descriptors -------------------------------------------------------------------- */

static struct pipe_stream *pair(struct stream *s)
{
    return CONTAINER_OF(s, struct pipe_stream, s);
}

/* More than there is room for were not asked for. */
static void put_in(struct fd_packet *p, const int *fd, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p->n < FD_PACKET)
            p->fd[p->n++] = fd[i];
        else
            close(fd[i]);
    }
}

static ssize_t read_packet(int fd, char *to, size_t room, struct fd_packet *p)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(FD_PACKET * sizeof(int))];
    } control;
    struct iovec iov = { to, room };
    struct msghdr m = {
        .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);

    if (n < 0)
        return -errno;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
            put_in(p, (const int *)(void *)CMSG_DATA(c), (c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    return n;
}

void fd_packet_fini(struct fd_packet *p)
{
    while (p->n)
        close(p->fd[--p->n]);
}

static ssize_t pipe_read(struct stream *s, char *to, size_t room)
{
    if (pair(s)->packet)
        return read_packet(pair(s)->in, to, room, pair(s)->packet);
    return read_fd(pair(s)->in, to, room);
}

static ssize_t pipe_write(struct stream *s, const struct iovec *iov, int n)
{
    return write_fd(pair(s)->out, iov, n);
}

/* A pipe hangs up while bytes are still in it, so a paused one is not asked about that. */
static void pipe_want(struct stream *s, unsigned events)
{
    watch_want(&pair(s)->in_watch, events & WATCH_READ);
    if (pair(s)->out >= 0)
        watch_want(&pair(s)->out_watch, events & WATCH_WRITE);
}

static void one_closed(struct pipe_stream *s)
{
    if (--s->open_watches == 0)
        stream_closed(&s->s);
}

static void on_in_closed(struct watch *w)
{
    one_closed(CONTAINER_OF(w, struct pipe_stream, in_watch));
}

static void on_out_closed(struct watch *w)
{
    one_closed(CONTAINER_OF(w, struct pipe_stream, out_watch));
}

static void pipe_shut(struct stream *s)
{
    if (pair(s)->out < 0)
        return;
    watch_close(&pair(s)->out_watch, on_out_closed);
    close(pair(s)->out);
    pair(s)->out = -1;
}

static void pipe_close(struct stream *s)
{
    pipe_shut(s);
    watch_close(&pair(s)->in_watch, on_in_closed);
    close(pair(s)->in);
    pair(s)->in = -1;
}

static const struct stream_kind pipe_kind = {
    "pipes", pipe_read, pipe_write, pipe_want, pipe_shut, pipe_close,
};

static void on_in_ready(struct watch *w, unsigned events)
{
    stream_ready(&CONTAINER_OF(w, struct pipe_stream, in_watch)->s, events);
}

static void on_out_ready(struct watch *w, unsigned events)
{
    stream_ready(&CONTAINER_OF(w, struct pipe_stream, out_watch)->s, events);
}

void pipe_stream_open(struct pipe_stream *s, struct loop *loop, int in, int out,
                      const struct stream_events *events, void *owner, size_t backlog)
{
    stream_init(&s->s, &pipe_kind, loop, events, owner, backlog);
    s->in = in;
    s->out = out;
    s->packet = NULL;
    s->open_watches = 2;
    watch_or_break(&s->in_watch, &s->s, in, on_in_ready);
    watch_or_break(&s->out_watch, &s->s, out, on_out_ready);
}

/* ---- stdio ------------------------------------------------------------------------------ */

static bool reopen(int fd, int *out_fd)
{
    char path[32];
    int mode = fcntl(fd, F_GETFL);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    *out_fd = mode < 0 ? -1 : open(path, (mode & O_ACCMODE) | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return *out_fd >= 0;
}

bool fd_own_nonblocking(int fd, int *out_fd, struct err *e)
{
    struct stat st;
    AUTO_FD own = -1;

    if (fstat(fd, &st) < 0)
        return fail_sys(e, "descriptor %d", fd);
    if ((S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) && reopen(fd, &own)) {
        *out_fd = TAKE_FD(own);
        return true;
    }
    own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0 || fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK) < 0)
        return fail_sys(e, "descriptor %d", fd);
    *out_fd = TAKE_FD(own);
    return true;
}

bool fd_own_stdio(int *in_fd, int *out_fd, struct err *e)
{
    AUTO_FD in = -1;

    if (!fd_own_nonblocking(STDIN_FILENO, &in, e) || !fd_own_nonblocking(STDOUT_FILENO, out_fd, e))
        return false;
    *in_fd = TAKE_FD(in);
    return true;
}
