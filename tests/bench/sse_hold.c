/*
 * sse_hold.c - open event streams and hold them.
 *
 *   sse_hold PORT PATH COUNT      prints "ready" once each has its response head, then waits for
 *                                 its stdin to end
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

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

static int has_head(int fd)
{
    char text[1024];
    ssize_t n = read(fd, text, sizeof(text) - 1);

    if (n <= 0)
        return 0;
    text[n] = 0;
    return strstr(text, " 200 ") && strstr(text, "text/event-stream");
}

int main(int argc, char **argv)
{
    struct rlimit lim;
    int count = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    char byte;

    if (count <= 0)
        return 2;
    getrlimit(RLIMIT_NOFILE, &lim);
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    for (int i = 0; i < count; i++) {
        int fd = open_stream((int)strtol(argv[1], NULL, 10), argv[2]);

        if (fd < 0 || !has_head(fd)) {
            fprintf(stderr, "stream %d did not open\n", i);
            return 1;
        }
    }
    printf("ready\n");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    return 0;
}
