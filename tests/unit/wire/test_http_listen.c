/* The server on real sockets: addresses, accepting, leaving, running out of descriptors. */
#include "base/auto.h"
#include "base/clock.h"
#include "http_world.h"
#include "loop/fd_stream.h"
#include "tap.h"
#include "wire/http_bind.h"
#include "wire/http_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { PATIENCE_MS = 20000 };

/* A server on the real clock, and what its handlers saw. */
static struct site {
    struct loop *loop;
    struct limits limits;
    struct http_server *server;
    char bound[HTTP_ADDRESS];
    char remote[64];
    bool loopback;
    int gone, drained, closed;
} site;

#define UNTIL(cond)                                                                                \
    do {                                                                                           \
        int64_t start_ = clock_mono_ms();                                                          \
        while (!(cond) && clock_mono_ms() - start_ < PATIENCE_MS)                                  \
            loop_run_once(site.loop);                                                              \
        OK(cond);                                                                                  \
    } while (0)

static void serve_hi(struct http_req *req)
{
    snprintf(site.remote, sizeof(site.remote), STR_FMT, STR_ARG(req->remote));
    site.loopback = req->loopback;
    http_reply(req, 200, "text/plain", NULL, 0, &STR("hi"), 1);
}

static void on_gone(struct http_req *req)
{
    site.gone++;
    http_stream_end(req);
}

static void serve_events(struct http_req *req)
{
    req->on_gone = on_gone;
    http_sse_begin(req, NULL, 0);
    http_forget_request(req);
}

static const struct http_route routes[] = {
    { "GET", "/hi", serve_hi },
    { "POST", "/hi", serve_hi },
    { "GET", "/events", serve_events },
};

static void site_open(const char *address)
{
    struct http_server_opts opts = { .limits = &site.limits,
                                     .route = routes,
                                     .routes = ARRAY_LEN(routes) };
    struct err e = { 0 };

    memset(&site, 0, sizeof(site));
    limits_preset(&site.limits);
    site.limits.http_linger_ms = 200;
    site.loop = opts.loop = loop_new(LOOP_REAL_CLOCK);
    site.server = http_server_new(&opts);
    if (address && !http_server_listen(site.server, str_of(address), site.bound, &e))
        TAP_NOT("%s", e.text);
}

static void on_closed(void *ctx)
{
    (void)ctx;
    site.closed++;
}

static void site_close(void)
{
    http_server_close(site.server, on_closed, NULL);
    UNTIL(site.closed);
    loop_free(site.loop);
}

/* A socket that is connected to an address as http_server_listen writes it; -1: refused. */
static int dial(const char *address)
{
    union http_sockaddr a = { 0 };
    const char *colon = strrchr(address, ':');
    socklen_t size = sizeof(a.v6);
    int fd;

    if (!strncmp(address, "unix:", 5)) {
        size = sizeof(a.un);
        a.un.sun_family = AF_UNIX;
        str_to_c(str_of(address + 5), a.un.sun_path, sizeof(a.un.sun_path));
    } else if (address[0] == '[') {
        a.v6.sin6_family = AF_INET6;
        a.v6.sin6_addr = in6addr_loopback;
        a.v6.sin6_port = htons((uint16_t)strtol(colon + 1, NULL, 10));
    } else {
        size = sizeof(a.v4);
        a.v4.sin_family = AF_INET;
        a.v4.sin_addr.s_addr =
            htonl(0x7f000000 | (unsigned)strtol(strrchr(address, '.') + 1, NULL, 10));
        a.v4.sin_port = htons((uint16_t)strtol(colon + 1, NULL, 10));
    }
    fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, &a.any, size)) {
        close(fd);
        return -1;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void say(int fd, const char *text)
{
    EQ(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Read until `part` has come or the server has closed. */
static const char *hear(int fd, const char *part)
{
    static char text[65536];
    size_t have = 0;
    ssize_t n = -1;
    int64_t start = clock_mono_ms();

    text[0] = 0;
    while (n && !(part && strstr(text, part)) && clock_mono_ms() - start < PATIENCE_MS) {
        loop_run_once(site.loop);
        n = recv(fd, text + have, sizeof(text) - 1 - have, 0);
        if (n < 0 && errno != EAGAIN)
            return strerror(errno);
        have += n > 0 ? (size_t)n : 0;
        text[have] = 0;
    }
    return text;
}

#define HEARS(fd, part)                                                                            \
    do {                                                                                           \
        const char *h_ = hear(fd, part);                                                           \
        if (!strstr(h_, part))                                                                     \
            TAP_NOT("\"%s\" did not come but \"%.200s\"", part, h_);                               \
    } while (0)

#define GET_HI(host) "GET /hi HTTP/1.1\r\nHost: " host "\r\n\r\n"

/* ---- addresses --------------------------------------------------------------------------- */

TEST(it_serves_on_ipv4)
{
    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);

        say(fd, GET_HI("127.0.0.1"));
        HEARS(fd, "\r\n\r\nhi");
        OK(!strncmp(site.remote, "127.0.0.1:", 10) && site.loopback);
        say(fd, GET_HI("evil.example"));
        HEARS(fd, " 403 ");
    }
    site_close();
}

static bool has_v6(void)
{
    struct http_bound b[2];
    char text[HTTP_ADDRESS];
    struct err e;
    size_t n;

    if (!http_bind(STR("[::1]:0"), b, &n, text, &e))
        return false;
    http_unbind(&b[0]);
    return true;
}

TEST(it_serves_on_ipv6)
{
    if (!has_v6())
        return;
    site_open("[::1]:0");
    {
        AUTO_FD fd = dial(site.bound);

        OK(!strncmp(site.bound, "[::1]:", 6));
        say(fd, GET_HI("[::1]:80"));
        HEARS(fd, "\r\n\r\nhi");
        OK(!strncmp(site.remote, "[::1]:", 6) && site.loopback);
    }
    site_close();
}

TEST(localhost_is_both_of_them)
{
    char other[HTTP_ADDRESS];

    site_open("localhost:0");
    snprintf(other, sizeof(other), "[::1]:%s", strrchr(site.bound, ':') + 1);
    {
        AUTO_FD a = dial(site.bound);
        AUTO_FD b = has_v6() ? dial(other) : -1;

        say(a, GET_HI("localhost"));
        HEARS(a, "\r\n\r\nhi");
        if (b >= 0) {
            say(b, GET_HI("localhost"));
            HEARS(b, "\r\n\r\nhi");
        }
        EQ(b >= 0, has_v6());
    }
    site_close();
}

TEST(on_all_addresses_the_one_that_was_reached_is_a_valid_host)
{
    char there[HTTP_ADDRESS];

    site_open("0.0.0.0:0");
    snprintf(there, sizeof(there), "127.0.0.2:%s", strrchr(site.bound, ':') + 1);
    {
        AUTO_FD fd = dial(there);

        say(fd, GET_HI("127.0.0.2"));
        HEARS(fd, "\r\n\r\nhi");
        say(fd, GET_HI("127.0.0.3"));
        HEARS(fd, " 403 ");
        say(fd, GET_HI("0.0.0.0"));
        HEARS(fd, " 403 ");
    }
    site_close();
}

TEST(what_is_no_address_is_refused)
{
    static const struct str bad[] = {
        STR(""),           STR("127.0.0.1"),      STR("127.0.0.1:"), STR("127.0.0.1:65536"),
        STR(":80"),        STR("example.org:80"), STR("1.2.3:80"),   STR("[::1:80"),
        STR("[1.2.3]:80"), STR("127.0.0.1:80 "),  STR("::1:80"),     STR("unix:"),
        STR("unix:a\0b"),  STR("localhost:http"), STR("[]:80"),
    };

    site_open(NULL);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err e = { 0 };

        if (http_server_listen(site.server, bad[i], site.bound, &e))
            TAP_NOT("row %zu is accepted", i);
        EQ(e.code, ERR_INVALID);
        OK(e.text[0]);
    }
    site_close();
}

TEST(a_port_in_use_is_an_error)
{
    struct err e = { 0 };
    char text[HTTP_ADDRESS];

    site_open("127.0.0.1:0");
    OK(!http_server_listen(site.server, str_of(site.bound), text, &e));
    EQ(e.code, ERR_SYSTEM);
    OK(strstr(e.text, site.bound) && strstr(e.text, "in use"));
    snprintf(text, sizeof(text), "localhost:%s", strrchr(site.bound, ':') + 1);
    OK(!http_server_listen(site.server, str_of(text), text, &e));
    site_close();
}

/* ---- Unix sockets ------------------------------------------------------------------------ */

static char folder[] = "/tmp/test_http_listen.XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[200];

    snprintf(path, sizeof(path), "unix:%s/%s", folder, name);
    return path;
}

TEST(it_serves_on_a_unix_socket_of_its_user)
{
    struct stat st;

    OK(mkdtemp(folder));
    site_open(in_folder("a"));
    EQ_STR(site.bound, in_folder("a"));
    OK(!lstat(in_folder("a") + 5, &st));
    EQ(st.st_mode & 0777, 0600);
    {
        AUTO_FD fd = dial(site.bound);

        say(fd, GET_HI("anything.example"));
        HEARS(fd, "\r\n\r\nhi");
        EQ_STR(site.remote, "unix");
        OK(site.loopback);
    }
    site_close();
    OK(lstat(in_folder("a") + 5, &st)); /* it tidies up */
}

TEST(a_stale_socket_is_replaced_and_a_live_one_is_not)
{
    struct err e = { 0 };
    struct http_bound left[2];
    char text[HTTP_ADDRESS];
    struct stat st;
    size_t n;

    OK(http_bind(str_of(in_folder("s")), left, &n, text, &e));
    close(left[0].fd); /* as after kill -9 */
    close(left[0].lock);
    site_open(in_folder("s"));
    OK(!http_server_listen(site.server, str_of(in_folder("s")), text, &e));
    OK(strstr(e.text, "in use"));
    {
        AUTO_FD fd = dial(site.bound);

        say(fd, GET_HI("x"));
        HEARS(fd, "\r\n\r\nhi");
    }
    site_close();
    OK(lstat(in_folder("s") + 5, &st));
}

TEST(what_is_no_socket_is_left_alone)
{
    struct err e = { 0 };
    struct stat st;
    char text[HTTP_ADDRESS];

    close(creat(in_folder("file") + 5, 0600));
    site_open(NULL);
    OK(!http_server_listen(site.server, str_of(in_folder("file")), text, &e));
    OK(!lstat(in_folder("file") + 5, &st) && S_ISREG(st.st_mode));
    unlink(in_folder("file") + 5);
    site_close();
}

TEST(a_socket_of_somebody_else_is_not_removed)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    AUTO_FD other = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat st;

    site_open(in_folder("o"));
    unlink(in_folder("o") + 5);
    OK(str_to_c(str_of(in_folder("o") + 5), a.sun_path, sizeof(a.sun_path)));
    OK(!bind(other, (const struct sockaddr *)&a, sizeof(a)));
    site_close();
    OK(!lstat(in_folder("o") + 5, &st));
    OK(!unlink(in_folder("o") + 5));
}

TEST(a_path_is_taken_also_when_its_socket_was_deleted)
{
    struct err e = { 0 };
    struct http_bound other[2];
    char text[HTTP_ADDRESS];
    size_t n;

    site_open(in_folder("d"));
    unlink(in_folder("d") + 5);
    OK(!http_bind(str_of(in_folder("d")), other, &n, text, &e));
    OK(strstr(e.text, "in use by a server, which holds"));
    site_close();
    OK(http_bind(str_of(in_folder("d")), other, &n, text, &e));
    http_unbind(&other[0]);
}

/* libuv and the kernel would cut it and bind another name. */
TEST(a_path_that_does_not_fit_is_refused)
{
    char path[120], text[HTTP_ADDRESS];
    struct err e = { 0 };

    snprintf(path, sizeof(path), "%s/%0*d", in_folder(""), (int)(112 - strlen(in_folder("")) - 1),
             0);
    EQ(strlen(path) - 5, 107);
    site_open(path);
    EQ_STR(site.bound, path);
    path[112] = 'x';
    path[113] = 0;
    OK(!http_server_listen(site.server, str_of(path), text, &e));
    EQ(e.code, ERR_INVALID);
    OK(strstr(e.text, "107"));
    site_close();
    rmdir(folder);
}

/* ---- coming and going -------------------------------------------------------------------- */

static struct sock_stream *first_sock(void)
{
    return (struct sock_stream *)site.server->conns->io;
}

TEST(a_connection_does_not_delay_small_answers_and_is_not_inherited)
{
    int on = 0;
    socklen_t size = sizeof(on);

    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);

        OK(fd >= 0);
        UNTIL(http_server_connections(site.server) == 1);
        OK(!getsockopt(first_sock()->fd, IPPROTO_TCP, TCP_NODELAY, &on, &size) && on);
        OK(fcntl(first_sock()->fd, F_GETFD) & FD_CLOEXEC);
        OK(fcntl(first_sock()->fd, F_GETFL) & O_NONBLOCK);
    }
    site_close();
}

TEST(a_client_that_leaves_an_idle_event_stream_is_noticed)
{
    site_open("127.0.0.1:0");
    {
        AUTO_FD plain = dial(site.bound);
        AUTO_FD pipelined = dial(site.bound);

        say(plain, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        say(pipelined, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hi");
        HEARS(plain, "\r\n\r\n");
        HEARS(pipelined, "\r\n\r\n");
        EQ(site.gone, 0);
    }
    UNTIL(site.gone == 2);
    UNTIL(http_server_connections(site.server) == 0);
    site_close();
}

TEST(a_client_that_resets_an_idle_event_stream_is_noticed)
{
    struct linger reset = { 1, 0 };

    site_open("127.0.0.1:0");
    {
        AUTO_FD plain = dial(site.bound);
        AUTO_FD pipelined = dial(site.bound);

        say(plain, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        say(pipelined, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hi");
        HEARS(plain, "\r\n\r\n");
        HEARS(pipelined, "\r\n\r\n");
        setsockopt(plain, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
        setsockopt(pipelined, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    }
    UNTIL(site.gone == 2);
    UNTIL(http_server_connections(site.server) == 0);
    site_close();
}

/* Closing with unread bytes in the socket would send a reset, which overtakes the answer. */
TEST(a_client_in_the_middle_of_a_large_upload_gets_our_refusal)
{
    static char junk[1 << 20];

    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);
        size_t sent = 0;

        say(fd, "POST /nope HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n");
        while (sent < 4000000) {
            ssize_t n = send(fd, junk, sizeof(junk), MSG_NOSIGNAL);

            if (n < 0 && errno != EAGAIN)
                break;
            sent += n > 0 ? (size_t)n : 0;
            loop_run_once(site.loop);
        }
        OK(sent >= 4000000);
        HEARS(fd, " 404 ");
    }
    site_close();
}

TEST(a_large_answer_arrives_whole_at_a_slow_reader)
{
    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);
        char text[4096];
        size_t have = 0, want = 0;
        int64_t start = clock_mono_ms();

        for (int i = 0; i < 300; i++)
            say(fd, GET_HI("localhost"));
        want = 300 * (sizeof("HTTP/1.1 200 OK\r\n" WORLD_DATE
                             "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi") -
                      1);
        while (have < want && clock_mono_ms() - start < PATIENCE_MS) {
            ssize_t n = recv(fd, text, sizeof(text), 0);

            have += n > 0 ? (size_t)n : 0;
            loop_run_once(site.loop);
        }
        EQ(have, want);
    }
    site_close();
}

static void on_drained(void *ctx)
{
    (void)ctx;
    site.drained++;
}

TEST(a_draining_server_listens_no_more)
{
    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);

        say(fd, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        HEARS(fd, "\r\n\r\n");
        http_server_drain(site.server, on_drained, NULL);
        HEARS(fd, "0\r\n\r\n");
        EQ(dial(site.bound), -1);
        EQ(site.drained, 0);
    }
    UNTIL(site.drained);
    site_close();
}

/* ---- too many ---------------------------------------------------------------------------- */

TEST(connections_past_the_limit_are_told_or_closed)
{
    enum { CLIENTS = 80, LIMIT = 2 };
    int fd[CLIENTS], told = 0, served = 0;

    site_open("127.0.0.1:0");
    site.limits.http_connections = LIMIT;
    for (int i = 0; i < CLIENTS; i++) {
        fd[i] = dial(site.bound);
        say(fd[i], GET_HI("localhost"));
        if (i < LIMIT)
            HEARS(fd[i], "\r\n\r\nhi");
    }
    for (int i = LIMIT; i < CLIENTS; i++) {
        const char *text = hear(fd[i], "\r\n\r\n");

        told += strstr(text, " 503 ") != NULL;
        served += strstr(text, " 200 ") != NULL;
    }
    OK(told >= 64); /* the rest may see a reset */
    EQ(served, 0);
    for (int i = 0; i < CLIENTS; i++)
        close(fd[i]);
    UNTIL(http_server_connections(site.server) == 0);
    site_close();
}

/* Take all descriptors but n. Returns how many were taken. */
static int hoard(int *taken, int most, int n)
{
    int got = 0;

    while (got < most && (taken[got] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        got++;
    for (; n && got; n--)
        close(taken[--got]);
    return got;
}

TEST(running_out_of_descriptors_neither_spins_nor_hangs)
{
    struct rlimit was, few;
    int taken[256], got, waiting;

    getrlimit(RLIMIT_NOFILE, &was);
    few = (struct rlimit){ 128, was.rlim_max };
    site_open("127.0.0.1:0");
    waiting = dial(site.bound);
    setrlimit(RLIMIT_NOFILE, &few);
    got = hoard(taken, 256, 0);

    /* the reserve lets us tell the client */
    say(waiting, GET_HI("localhost"));
    HEARS(waiting, " 503 ");
    close(waiting);
    EQ(http_server_connections(site.server), 0);

    /* without a reserve the listener rests, and goes on when there are descriptors again */
    waiting = dial(site.bound);
    close(site.server->reserve_fd);
    site.server->reserve_fd = -1;
    got += hoard(taken + got, 1, 0);
    say(waiting, GET_HI("localhost"));
    for (int i = 0; i < 100; i++)
        loop_run_once(site.loop);
    EQ(http_server_connections(site.server), 0);
    while (got)
        close(taken[--got]);
    HEARS(waiting, "\r\n\r\nhi");
    close(waiting);
    setrlimit(RLIMIT_NOFILE, &was);
    site_close();
}

TEST(a_descriptor_that_cannot_be_watched_ends_its_connection_only)
{
    struct sock_stream twin;
    struct http_peer peer = { .remote = STR("twin"), .loopback = true, .any_host = true };

    site_open("127.0.0.1:0");
    {
        AUTO_FD fd = dial(site.bound);

        UNTIL(http_server_connections(site.server) == 1);
        sock_stream_open(&twin, site.loop, first_sock()->fd, NULL, NULL, 1000); /* twice */
        twin.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        http_server_accept(site.server, &twin.s, &peer, NULL);
        UNTIL(http_server_connections(site.server) == 1);
        say(fd, GET_HI("localhost"));
        HEARS(fd, "\r\n\r\nhi");
    }
    site_close();
}

TEST_MAIN()
