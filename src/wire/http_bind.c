#include "wire/http_bind.h"

#include "base/auto.h"
#include "wire/http1_parse.h"
#include "wire/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/file.h>

enum { PORT_TRIES = 16 };

_Static_assert(HTTP_ADDRESS >= sizeof("unix:") + sizeof(((struct sockaddr_un *)0)->sun_path),
               "room for any path");

/* ---- addresses --------------------------------------------------------------------------- */

static bool is_v4(const union http_sockaddr *a)
{
    return a->any.sa_family == AF_INET;
}

uint16_t http_port(const union http_sockaddr *a)
{
    return ntohs(is_v4(a) ? a->v4.sin_port : a->v6.sin6_port);
}

void http_host_text(const union http_sockaddr *a, char out[HTTP_HOST_TEXT])
{
    char text[INET6_ADDRSTRLEN] = "";

    if (is_v4(a))
        inet_ntop(AF_INET, &a->v4.sin_addr, text, sizeof(text));
    else
        inet_ntop(AF_INET6, &a->v6.sin6_addr, text, sizeof(text));
    snprintf(out, HTTP_HOST_TEXT, is_v4(a) ? "%s" : "[%s]", text);
}

static bool is_wildcard(const union http_sockaddr *a)
{
    if (is_v4(a))
        return a->v4.sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr);
}

static bool set_address(union http_sockaddr *out, struct str host, uint16_t port)
{
    char text[INET6_ADDRSTRLEN];

    *out = (union http_sockaddr){ 0 };
    if (host.p[0] == '[') {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons(port);
        host = (struct str){ host.p + 1, host.n - 2 };
        return str_to_c(host, text, sizeof(text)) &&
               inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons(port);
    return str_to_c(host, text, sizeof(text)) && inet_pton(AF_INET, text, &out->v4.sin_addr) == 1;
}

/* ---- TCP --------------------------------------------------------------------------------- */

static bool set_up(int fd, bool v4)
{
    const int on = 1;

    /* connections inherit TCP_NODELAY from the listening socket */
    return setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
           (v4 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0);
}

/* *a gets the port that the kernel chose. */
static bool bind_tcp(union http_sockaddr *a, struct http_bound *out, struct err *e)
{
    socklen_t size = is_v4(a) ? sizeof(a->v4) : sizeof(a->v6);
    AUTO_FD fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    *out = (struct http_bound){ .fd = -1 };
    http_host_text(a, out->local);
    if (fd < 0 || !set_up(fd, is_v4(a)) || bind(fd, &a->any, size) || listen(fd, SOMAXCONN) ||
        getsockname(fd, &a->any, &size))
        return fail_sys(e, "listen on %s:%u", out->local, http_port(a));
    if (is_wildcard(a))
        out->local[0] = 0;
    out->fd = TAKE_FD(fd);
    return true;
}

static bool has_v6_loopback(void)
{
    union http_sockaddr a;
    AUTO_FD fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    set_address(&a, STR("[::1]"), 0);
    return fd >= 0 && bind(fd, &a.any, sizeof(a.v6)) == 0;
}

static bool bind_both(uint16_t port, union http_sockaddr *v4, struct http_bound out[2],
                      size_t *out_n, struct err *e)
{
    union http_sockaddr v6;

    set_address(v4, STR("127.0.0.1"), port);
    if (!bind_tcp(v4, &out[0], e))
        return false;
    *out_n = 1;
    if (!has_v6_loopback())
        return true;
    set_address(&v6, STR("[::1]"), http_port(v4));
    if (!bind_tcp(&v6, &out[1], e)) {
        http_unbind(&out[0]);
        return false;
    }
    *out_n = 2;
    return true;
}

/*
 * Both loopback addresses on one port: some clients try ::1 first, some know only 127.0.0.1, and
 * another process must not listen on the other address. A port that the kernel chose for one may be
 * taken for the other; then another port is requested.
 */
static bool bind_localhost(uint16_t port, union http_sockaddr *v4, struct http_bound out[2],
                           size_t *out_n, struct err *e)
{
    for (int i = port ? 1 : PORT_TRIES; i > 0; i--)
        if (bind_both(port, v4, out, out_n, e))
            return true;
    return false;
}

static bool bind_name(struct str address, struct http_bound out[2], size_t *out_n, char *out_text,
                      struct err *e)
{
    union http_sockaddr a;
    char host_text[HTTP_HOST_TEXT];
    struct str host, port_text;
    uint64_t port = 0;
    bool ok;

    if (!http1_authority(address, &host, &port_text) || !str_uint(port_text, 0, 65535, &port))
        return fail(e, ERR_INVALID, "listen on " STR_FMT ": not HOST:PORT or unix:PATH",
                    STR_ARG(str_head(address, HTTP_ADDRESS)));
    if (str_eq_nocase(host, STR("localhost"))) {
        ok = bind_localhost((uint16_t)port, &a, out, out_n, e);
    } else {
        if (!set_address(&a, host, (uint16_t)port))
            return fail(e, ERR_INVALID,
                        "listen on " STR_FMT ": the host must be localhost, an IPv4 address or an "
                        "IPv6 address in brackets",
                        STR_ARG(str_head(address, HTTP_ADDRESS)));
        *out_n = 1;
        ok = bind_tcp(&a, &out[0], e);
    }
    if (!ok)
        return false;
    http_host_text(&a, host_text);
    snprintf(out_text, HTTP_ADDRESS, "%s:%u", host_text, http_port(&a));
    return true;
}

/* ---- Unix sockets ------------------------------------------------------------------------ */

/*
 * A server that listens at a path holds PATH.lock: two servers that find a stale socket at once
 * would each remove the other's. The file is kept: a lock on a removed file excludes no one.
 */
static bool lock_path(const struct sockaddr_un *a, int *out, struct err *e)
{
    char path[sizeof(a->sun_path) + sizeof(".lock")];
    AUTO_FD fd = -1;

    snprintf(path, sizeof(path), "%s.lock", a->sun_path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return fail_sys(e, "listen on unix:%s: open %s", a->sun_path, path);
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return fail(e, ERR_SYSTEM, "listen on unix:%s: in use by a server, which holds %s",
                    a->sun_path, path);
    *out = TAKE_FD(fd); /* also where the file system has no locks: there is nothing better */
    return true;
}

/* The server of this socket has died, and no other listens there. */
static bool is_stale(const struct sockaddr_un *a)
{
    struct stat st;
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || lstat(a->sun_path, &st) || !S_ISSOCK(st.st_mode))
        return false;
    return connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 && errno == ECONNREFUSED;
}

static bool bind_replacing(int fd, const struct sockaddr_un *a, struct err *e)
{
    if (bind(fd, (const struct sockaddr *)a, sizeof(*a)) == 0)
        return true;
    if (errno != EADDRINUSE)
        return fail_sys(e, "listen on unix:%s", a->sun_path);
    if (!is_stale(a))
        return fail(e, ERR_SYSTEM, "listen on unix:%s: in use by a server, or not a socket",
                    a->sun_path);
    if (unlink(a->sun_path) || bind(fd, (const struct sockaddr *)a, sizeof(*a)))
        return fail_sys(e, "replace the stale unix:%s", a->sun_path);
    return true;
}

static bool bind_unix(struct str path, struct http_bound *out, char *out_text, struct err *e)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    struct stat st;
    AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    AUTO_FD lock = -1;

    if (!path.n || !str_to_c(path, a.sun_path, sizeof(a.sun_path)))
        return fail(e, ERR_INVALID, "listen on a Unix socket: its path must have 1 to %zu bytes",
                    sizeof(a.sun_path) - 1);
    if (fd < 0 || fchmod(fd, 0600)) /* the file gets the mode of the socket */
        return fail_sys(e, "listen on unix:%s", a.sun_path);
    if (!lock_path(&a, &lock, e) || !bind_replacing(fd, &a, e))
        return false;
    if (listen(fd, SOMAXCONN) || lstat(a.sun_path, &st))
        return fail_sys(e, "listen on unix:%s", a.sun_path);
    *out = (struct http_bound){
        .fd = TAKE_FD(fd), .lock = TAKE_FD(lock), .dev = st.st_dev, .ino = st.st_ino
    };
    memcpy(out->path, a.sun_path, sizeof(a.sun_path));
    snprintf(out_text, HTTP_ADDRESS, "unix:%s", a.sun_path);
    return true;
}

/* ---- either ------------------------------------------------------------------------------ */

bool http_bind(struct str address, struct http_bound out[2], size_t *out_n, char *out_text,
               struct err *e)
{
    if (!str_starts(address, STR("unix:")))
        return bind_name(address, out, out_n, out_text, e);
    *out_n = 1;
    return bind_unix(str_skip(address, 5), &out[0], out_text, e);
}

void http_unbind(struct http_bound *b)
{
    struct stat st;

    if (b->path[0] && lstat(b->path, &st) == 0 && st.st_dev == b->dev && st.st_ino == b->ino)
        unlink(b->path);
    close(b->fd);
    b->fd = -1;
    if (b->path[0])
        close(b->lock);
}
