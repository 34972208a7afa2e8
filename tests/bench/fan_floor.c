/*
 * fan_floor.c - the floor for event streams: the same bytes to all sockets, one write each.
 *
 *   fan_floor STREAMS EVENTS PAUSE_MS   prints the port, answers so many requests with the head of a
 *                                       stream, and after a byte on stdin sends so many events to all
 *
 * Nothing is parsed, stored or kept for who reads slowly.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int listen_somewhere(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t size = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) || listen(fd, 4096) ||
        getsockname(fd, (struct sockaddr *)&at, &size))
        die("listen");
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return fd;
}

static int accept_stream(int listener)
{
    static const char head[] = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                               "transfer-encoding: chunked\r\n\r\n";
    char request[1024];
    int fd = accept(listener, NULL, NULL);

    if (fd < 0 || read(fd, request, sizeof(request)) <= 0 ||
        write(fd, head, sizeof(head) - 1) != sizeof(head) - 1)
        die("accept");
    return fd;
}

/* As large as an event of a task with one word. */
static int write_event(char *out, size_t room, int id)
{
    char event[512];
    struct timespec t;
    int n;

    clock_gettime(CLOCK_MONOTONIC, &t);
    n = snprintf(event, sizeof(event),
                 "event: text\nid: %d\ndata: {\"seq\":%d,\"time\":\"2026-11-16T08:00:00.000Z\","
                 "\"kind\":\"text\",\"body\":{\"type\":\"text\",\"message\":"
                 "\"01a2b3c4-0000-7000-8000-000000000000\",\"text\":\"t%lld%09ld \"}}\n\n",
                 id, id, (long long)t.tv_sec, t.tv_nsec);
    return snprintf(out, room, "%x\r\n%s\r\n", (unsigned)n, event);
}

static void send_all(const int *fd, int count, const char *text, int n)
{
    for (int i = 0; i < count; i++)
        if (write(fd[i], text, (size_t)n) != n)
            die("write");
}

int main(int argc, char **argv)
{
    struct rlimit lim;
    int count = argc == 4 ? (int)strtol(argv[1], NULL, 10) : 0, n;
    int *fd = count > 0 ? calloc((size_t)count, sizeof(*fd)) : NULL;
    char text[1024];

    if (!fd)
        return 2;
    getrlimit(RLIMIT_NOFILE, &lim);
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    n = listen_somewhere();
    for (int i = 0; i < count; i++)
        fd[i] = accept_stream(n);
    if (read(STDIN_FILENO, text, 1) != 1)
        return 1;
    for (int i = 1; i <= (int)strtol(argv[2], NULL, 10); i++) {
        poll(NULL, 0, (int)strtol(argv[3], NULL, 10));
        n = write_event(text, sizeof(text), i);
        send_all(fd, count, text, n);
    }
    send_all(fd, count, "0\r\n\r\n", 5);
    if (read(STDIN_FILENO, text, 1) < 0) /* our time is read before we go */
        return 1;
    return 0;
}
