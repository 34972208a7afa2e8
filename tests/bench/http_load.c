/*
 * http_load.c - call one echo tool over HTTP as fast as it answers, and check every answer.
 *
 *   http_load PORT PATH TOOL CONNECTIONS SECONDS [HEADER...]
 *
 * TOOL "a2a" sends A2A messages instead: SendMessage of version 1.0 with "/echo TEXT"; "a2a_stream"
 * sends SendStreamingMessage and also prints how many events came per second.
 *
 * Each connection has one call under way. Each call has its own id and its own text; an answer
 * that lacks either, or a status other than 200, counts as bad. Answers may be JSON or an event
 * stream, with a length or in chunks. Prints one line of key=value pairs.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { RESPONSE = 1 << 16, REQUEST = 4096, SAMPLES = 1 << 22, EVENTS = 256 };

struct call {
    int fd;
    long id;
    double begin;
    size_t got;
    char in[RESPONSE];
};

static struct {
    int port, epoll;
    const char *path, *tool;
    char headers[2048];
    long next_id, done, bad, reconnects, events;
    float *latency; /* milliseconds */
} load;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int write_body(const struct call *c, char *body, size_t size)
{
    if (strncmp(load.tool, "a2a", 3) == 0)
        return snprintf(body, size,
                        "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"%s\",\"params\":{"
                        "\"message\":{\"messageId\":\"m-%ld\",\"role\":\"ROLE_USER\",\"parts\":[{"
                        "\"text\":\"/echo [%ld] %0100d\"}]},\"configuration\":{}}}",
                        c->id, load.tool[3] ? "SendStreamingMessage" : "SendMessage", c->id, c->id,
                        0);
    return snprintf(body, size,
                    "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"tools/call\",\"params\":{"
                    "\"name\":\"%s\",\"arguments\":{\"text\":\"[%ld] %0100d\"}}}",
                    c->id, load.tool, c->id, 0);
}

static void send_call(struct call *c)
{
    char body[1024], text[REQUEST];
    int n, length;

    c->id = ++load.next_id;
    c->got = 0;
    length = write_body(c, body, sizeof(body));
    n = snprintf(text, sizeof(text),
                 "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                 "Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s",
                 load.path, load.port, length, load.headers, body);
    c->begin = now();
    if (write(c->fd, text, (size_t)n) != n)
        die("write");
}

static void open_connection(struct call *c)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)load.port) };
    struct epoll_event wanted = { .events = EPOLLIN, .data.ptr = c };
    int on = 1;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof(to)))
        die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (epoll_ctl(load.epoll, EPOLL_CTL_ADD, c->fd, &wanted))
        die("epoll");
    send_call(c);
}

/* Is the response whole? Then `in` is ended by a NUL. */
static int is_whole(struct call *c)
{
    char *end, *length;

    c->in[c->got] = 0;
    end = strstr(c->in, "\r\n\r\n");
    if (!end)
        return 0;
    length = strcasestr(c->in, "\r\ncontent-length:");
    if (length && length < end)
        return c->got >= (size_t)(end + 4 - c->in) + strtoul(length + 17, NULL, 10);
    return c->got >= 5 && !memcmp(c->in + c->got - 5, "0\r\n\r\n", 5);
}

static int is_good(const struct call *c)
{
    char id[48], text[48];

    snprintf(id, sizeof(id), "\"id\":%ld", c->id);
    snprintf(text, sizeof(text), "[%ld] 0000", c->id);
    return !memcmp(c->in, "HTTP/1.1 200", 12) && strstr(c->in, id) && strstr(c->in, text);
}

static long events_in(const char *text)
{
    long n = 0;

    while ((text = strstr(text, "data: {")) != NULL) {
        n++;
        text++;
    }
    return n;
}

static void finish_call(struct call *c)
{
    load.events += events_in(c->in);
    if (!is_good(c) && !load.bad++)
        fprintf(stderr, "http_load: call %ld got: %s\n", c->id, c->in);
    if (load.done < SAMPLES)
        load.latency[load.done] = (float)((now() - c->begin) * 1e3);
    load.done++;
    send_call(c);
}

static void on_readable(struct call *c)
{
    ssize_t n = read(c->fd, c->in + c->got, RESPONSE - 1 - c->got);

    if (n <= 0) {
        close(c->fd);
        load.bad += c->got > 0 || n < 0;
        load.reconnects++;
        open_connection(c);
        return;
    }
    c->got += (size_t)n;
    if (is_whole(c))
        finish_call(c);
    else if (c->got == RESPONSE - 1)
        die("an answer is too long");
}

static void run_until(double stop)
{
    struct epoll_event events[EVENTS];

    while (now() < stop) {
        int n = epoll_wait(load.epoll, events, EVENTS, 100);

        for (int i = 0; i < n; i++)
            on_readable(events[i].data.ptr);
    }
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void report(double seconds)
{
    size_t n = (size_t)(load.done < SAMPLES ? load.done : SAMPLES);

    if (!n) {
        fprintf(stderr, "http_load: no answer came\n");
        exit(1);
    }
    qsort(load.latency, n, sizeof(*load.latency), by_value);
    printf("rate=%.0f p50_ms=%.3f p99_ms=%.3f done=%ld bad=%ld reconnects=%ld events=%.0f\n",
           (double)load.done / seconds, (double)load.latency[n / 2],
           (double)load.latency[n * 99 / 100], load.done, load.bad, load.reconnects,
           (double)load.events / seconds);
}

static void take_headers(char **header)
{
    size_t n = 0;

    for (; *header && n < sizeof(load.headers); header++)
        n += (size_t)snprintf(load.headers + n, sizeof(load.headers) - n, "%s\r\n", *header);
    if (n >= sizeof(load.headers))
        die("headers are too long");
}

int main(int argc, char **argv)
{
    long connections = argc > 5 ? strtol(argv[4], NULL, 10) : 0;
    double begin;
    struct call *calls;

    if (connections <= 0) {
        fprintf(stderr, "usage: http_load PORT PATH TOOL CONNECTIONS SECONDS [HEADER...]\n");
        return 2;
    }
    load.port = (int)strtol(argv[1], NULL, 10);
    load.path = argv[2];
    load.tool = argv[3];
    take_headers(argv + 6);
    load.epoll = epoll_create1(0);
    load.latency = calloc(SAMPLES, sizeof(*load.latency));
    calls = calloc((size_t)connections, sizeof(*calls));
    if (!load.latency || !calls || load.epoll < 0)
        die("start");
    for (long i = 0; i < connections; i++)
        open_connection(&calls[i]);
    begin = now();
    run_until(begin + strtod(argv[5], NULL));
    report(now() - begin);
    return 0;
}
