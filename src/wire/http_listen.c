/*
 * http_listen.c - accept connections.
 *
 * A listener is LISTENING; or it is RESTING for a moment, because the kernel had no descriptor or
 * memory for another connection. If accept fails because there is no descriptor left, the client
 * stays in the queue and the socket stays ready, so the loop would never sleep. Therefore a
 * reserved descriptor is closed to accept the client, send it an error and disconnect it.
 */
#include "base/container.h"
#include "base/list.h"
#include "base/mem.h"
#include "loop/fd_stream.h"
#include "wire/http_bind.h"
#include "wire/http_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>

enum {
    ACCEPTS_PER_EVENT = 64, /* then others get their turn */
    REST_MS = 100,
    EXTRA = 64, /* connections past the limit that get an error response; further ones are just
                 * closed */
};

struct http_listener {
    struct http_server *server;
    struct http_listener *next;
    struct http_bound bound; /* fd is -1 once closing */
    struct watch watch;
    struct timer rest; /* set: resting */
};

/* ---- one connection ---------------------------------------------------------------------- */

static void release_sock(struct stream *io)
{
    mem_free(CONTAINER_OF(io, struct sock_stream, s));
}

static bool is_loopback(const union http_sockaddr *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

/* On a wildcard socket every connection has an address of ours of its own. */
static void find_local(const struct http_listener *l, int fd, char out[HTTP_HOST_TEXT])
{
    union http_sockaddr at;
    socklen_t size = sizeof(at);

    if (l->bound.local[0])
        memcpy(out, l->bound.local, HTTP_HOST_TEXT);
    else if (getsockname(fd, &at.any, &size) == 0)
        http_host_text(&at, out);
}

static void open_conn(struct http_server *s, int fd, const struct http_peer *peer)
{
    struct sock_stream *io = mem_alloc(sizeof(*io));

    sock_stream_open(io, s->loop, fd, NULL, NULL, (size_t)s->limits->output_backlog_bytes);
    http_server_accept(s, &io->s, peer, release_sock);
}

static void find_user(int fd, struct http_peer *out)
{
    struct ucred user;
    socklen_t size = sizeof(user);

    out->has_uid = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) == 0;
    if (out->has_uid)
        out->uid = user.uid;
}

static void take_in(struct http_listener *l, int fd, const union http_sockaddr *from)
{
    char host[HTTP_HOST_TEXT], remote[HTTP_HOST_TEXT + 8], local[HTTP_HOST_TEXT] = "";
    struct http_peer peer = { .remote = STR("unix"), .loopback = true, .any_host = true };

    if (l->bound.path[0]) {
        find_user(fd, &peer);
    } else {
        http_host_text(from, host);
        snprintf(remote, sizeof(remote), "%s:%u", host, http_port(from));
        find_local(l, fd, local);
        peer = (struct http_peer){ .remote = str_of(remote),
                                   .local = str_of(local),
                                   .loopback = is_loopback(from) };
    }
    open_conn(l->server, fd, &peer);
}

/* ---- accepting --------------------------------------------------------------------------- */

static void on_rested(struct timer *t)
{
    struct http_listener *l = CONTAINER_OF(t, struct http_listener, rest);

    watch_want(&l->watch, WATCH_READ);
}

static void listener_pause(struct http_listener *l)
{
    watch_want(&l->watch, 0);
    timer_set(l->server->loop, &l->rest, REST_MS, on_rested);
}

/* Without a connection of its own: as far as one system call goes. */
static void turn_away(int fd)
{
    static const char no[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n"
                             "Connection: close\r\n\r\n";
    ssize_t n = send(fd, no, sizeof(no) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);

    (void)n;
    close(fd);
}

/* No descriptors are left. Returns whether the client at the front of the queue is dealt with. */
static bool use_reserve(struct http_listener *l)
{
    struct http_server *s = l->server;
    int fd;

    if (s->reserve_fd < 0)
        return false;
    close(s->reserve_fd);
    fd = accept4(l->bound.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        turn_away(fd);
    s->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0;
}

/* False when there is nothing more to accept now. */
static bool accept_failed(struct http_listener *l, int error)
{
    switch (error) {
    case EAGAIN: return false;
    case EMFILE:
    case ENFILE:
        if (use_reserve(l))
            return true;
        listener_pause(l);
        return false;
    case ENOBUFS:
    case ENOMEM: listener_pause(l); return false;
    }
    return true; /* this client is gone already; the next one may not be */
}

static bool accept_one(struct http_listener *l)
{
    struct http_server *s = l->server;
    union http_sockaddr from;
    socklen_t size = sizeof(from);
    int fd = accept4(l->bound.fd, &from.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

    if (fd < 0)
        return accept_failed(l, errno);
    if (s->count >= (size_t)s->limits->http_connections + EXTRA)
        turn_away(fd);
    else
        take_in(l, fd, &from);
    return true;
}

static void on_ready(struct watch *w, unsigned events)
{
    struct http_listener *l = CONTAINER_OF(w, struct http_listener, watch);

    (void)events;
    for (int i = 0; i < ACCEPTS_PER_EVENT && accept_one(l); i++)
        ;
}

/* ---- listening --------------------------------------------------------------------------- */

static void on_watch_closed(struct watch *w)
{
    struct http_listener *l = CONTAINER_OF(w, struct http_listener, watch);
    struct http_server *s = l->server;

    LIST_UNLINK(s->listeners, l, next);
    mem_free(l);
    http_server_one_less(s);
}

void http_listeners_close(struct http_server *s)
{
    for (struct http_listener *l = s->listeners; l; l = l->next) {
        if (l->bound.fd < 0)
            continue;
        timer_clear(s->loop, &l->rest);
        watch_close(&l->watch, on_watch_closed);
        http_unbind(&l->bound);
    }
}

static bool add_listener(struct http_server *s, struct http_bound *bound, struct err *e)
{
    struct http_listener *l = MEM_NEW(struct http_listener);

    l->server = s;
    l->bound = *bound;
    if (!watch_open(&l->watch, s->loop, bound->fd, on_ready, e)) {
        http_unbind(bound);
        mem_free(l);
        return false;
    }
    l->next = s->listeners;
    s->listeners = l;
    watch_want(&l->watch, WATCH_READ);
    return true;
}

bool http_server_listen(struct http_server *s, struct str address, char *out_bound, struct err *e)
{
    struct http_bound bound[2];
    size_t n;
    bool ok = true;

    if (!http_bind(address, bound, &n, out_bound, e))
        return false;
    for (size_t i = 0; i < n; i++)
        ok = add_listener(s, &bound[i], e) && ok;
    return ok;
}
