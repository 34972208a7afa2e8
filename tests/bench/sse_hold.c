/*
 * sse_hold.c - open event streams and hold them.
 *
 *   sse_hold PORT PATH COUNT          prints "ready" once each has its response head, then waits for
 *                                     its stdin to end
 *   sse_hold PORT PATH COUNT follow   prints "ready", then reads all of them until they end, and
 *                                     prints one line of key=value pairs: events that all have got,
 *                                     and the time from when the first one had an event until the
 *                                     last one had it; also from when it says that it was sent
 *                                     ("t" and nanoseconds of the monotonic clock in its data)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MOST = 100000, READY = 256 };

/* What all streams together know of one event. */
struct event {
    double first, last, sent; /* microseconds */
    int streams;
};

/* Where a stream stands in the text "\nid: NUMBER\n". */
struct follower {
    int fd, at;
    unsigned long id;
};

static struct event events[EVENTS_MOST];

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int open_stream(int port, const char *path)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    char text[512];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int n =
        snprintf(text, sizeof(text),
                 "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", path);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
        write(fd, text, (size_t)n) != n)
        return -1;
    return fd;
}

/* Byte by byte to the end of the head: what follows it is for who follows. */
static int has_head(int fd)
{
    char text[1024];
    size_t n = 0;

    while (n < sizeof(text) - 1 && read(fd, text + n, 1) == 1) {
        text[++n] = 0;
        if (n >= 4 && !strcmp(text + n - 4, "\r\n\r\n"))
            return strstr(text, " 200 ") && strstr(text, "text/event-stream");
    }
    return 0;
}

/* ---- following ------------------------------------------------------------------------------ */

static void note(unsigned long id, double now)
{
    struct event *e = &events[id < EVENTS_MOST ? id : 0];

    if (!e->streams++)
        e->first = now;
    e->last = now;
}

/* The id stands before the data, so the one before a stamp is its own. */
static void look_for_stamp(const struct follower *f, const char *p, const char *end)
{
    struct event *e = &events[f->id < EVENTS_MOST ? f->id : 0];

    while (!e->sent && (p = memchr(p, 't', (size_t)(end - p))) != NULL) {
        char *stop;
        unsigned long long ns = strtoull(++p, &stop, 10);

        if (stop - p > 9)
            e->sent = (double)ns * 1e-3;
    }
}

static void scan(struct follower *f, const char *p, const char *end, double now)
{
    static const char mark[] = "\nid: ";

    for (; p < end; p++) {
        if (f->at == sizeof(mark) - 1 && *p >= '0' && *p <= '9') {
            f->id = f->id * 10 + (unsigned long)(*p - '0');
        } else if (f->at == sizeof(mark) - 1) {
            note(f->id, now);
            look_for_stamp(f, p, end);
            f->at = *p == '\n';
        } else if (*p == mark[f->at]) {
            if (++f->at == sizeof(mark) - 1)
                f->id = 0;
        } else {
            f->at = *p == '\n';
        }
    }
}

/* False: it has ended. */
static int read_some(struct follower *f)
{
    static char text[1 << 16];
    double now = now_us();
    ssize_t n = read(f->fd, text, sizeof(text) - 1);

    if (n <= 0)
        return n < 0 && errno == EAGAIN;
    text[n] = 0;
    scan(f, text, text + n, now);
    return n < 5 || memcmp(text + n - 5, "0\r\n\r\n", 5) != 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_times(const char *name, double *v, size_t n)
{
    qsort(v, n, sizeof(*v), by_value);
    printf(" %s_p50_us=%.0f %s_p99_us=%.0f", name, n ? v[n / 2] : 0, name, n ? v[n * 99 / 100] : 0);
}

static void print_found(int count)
{
    static double spread[EVENTS_MOST], since[EVENTS_MOST];
    size_t n = 0, stamped = 0;
    long deliveries = 0;

    for (size_t i = 1; i < EVENTS_MOST; i++) {
        const struct event *e = &events[i];

        deliveries += e->streams;
        if (e->streams != count)
            continue;
        spread[n++] = e->last - e->first;
        if (e->sent > 0)
            since[stamped++] = e->last - e->sent;
    }
    printf("events=%zu deliveries=%ld", n, deliveries);
    print_times("spread", spread, n);
    print_times("sent", since, stamped);
    printf("\n");
}

static int follow(struct follower *f, int count)
{
    struct epoll_event ready[READY];
    int epoll = epoll_create1(0), live = count;

    for (int i = 0; i < count; i++) {
        struct epoll_event wanted = { .events = EPOLLIN, .data.ptr = &f[i] };

        fcntl(f[i].fd, F_SETFL, O_NONBLOCK);
        epoll_ctl(epoll, EPOLL_CTL_ADD, f[i].fd, &wanted);
    }
    while (live) {
        int n = epoll_wait(epoll, ready, READY, -1);

        for (int i = 0; i < n; i++) {
            struct follower *one = ready[i].data.ptr;

            if (read_some(one))
                continue;
            epoll_ctl(epoll, EPOLL_CTL_DEL, one->fd, NULL);
            live--;
        }
    }
    print_found(count);
    return 0;
}

int main(int argc, char **argv)
{
    struct rlimit lim;
    int count = argc >= 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    struct follower *f = count > 0 ? calloc((size_t)count, sizeof(*f)) : NULL;
    char byte;

    if (!f)
        return 2;
    getrlimit(RLIMIT_NOFILE, &lim);
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    for (int i = 0; i < count; i++) {
        f[i].fd = open_stream((int)strtol(argv[1], NULL, 10), argv[2]);
        if (f[i].fd < 0 || !has_head(f[i].fd)) {
            fprintf(stderr, "stream %d did not open\n", i);
            return 1;
        }
    }
    printf("ready\n");
    fflush(stdout);
    if (argc == 5)
        return follow(f, count);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
