/* attack_sockets.c - sockets of the host: the victim listens, and every success is an answer of it. */
#include "attack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PROTO_MPTCP = 262, WAIT_MS = 200 };

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static bool connects(int protocol)
{
    struct sockaddr_in to = loopback(number("TCP_PORT"));
    int fd = socket(AF_INET, SOCK_STREAM, protocol);

    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
}

static bool connect_tcp(void)
{
    return connects(0);
}
static bool connect_mptcp(void)
{
    return connects(PROTO_MPTCP);
}

static bool connect_fast_open(void)
{
    struct sockaddr_in to = loopback(number("TCP_PORT"));
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return fd >= 0 && sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to, sizeof(to)) == 1;
}

static bool message_fast_open(void)
{
    struct sockaddr_in to = loopback(number("TCP_PORT"));
    char x = 'x';
    struct iovec byte = { &x, 1 };
    struct msghdr msg = {
        .msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &byte, .msg_iovlen = 1
    };
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return fd >= 0 && sendmsg(fd, &msg, MSG_FASTOPEN) == 1;
}

/* An IPv4 address in an IPv6 socket. */
static bool connect_mapped(void)
{
    struct sockaddr_in6 to = { .sin6_family = AF_INET6,
                               .sin6_port = htons((uint16_t)number("TCP_PORT")) };
    int fd = socket(AF_INET6, SOCK_STREAM, 0);

    inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
}

static bool ask_udp(void)
{
    struct sockaddr_in to = loopback(number("UDP_PORT"));
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    struct pollfd answer = { .fd = fd, .events = POLLIN };

    return fd >= 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) == 1 &&
           poll(&answer, 1, WAIT_MS) == 1 && answer.revents == POLLIN;
}

static bool connect_path(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
}

static bool connect_outside(void)
{
    return connect_path(about("UNIX_OUTSIDE"));
}
static bool connect_relative(void)
{
    return connect_path(about("UNIX_RELATIVE"));
}

static bool connect_hidden(void)
{
    return connect_path(at("HOME", ".ssh/agent"));
}
static bool connect_in_root(void)
{
    return connect_path(about("UNIX_ROOT"));
}

static bool connect_abstract(void)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t n = strlen(about("ABSTRACT"));

    memcpy(to.sun_path + 1, about("ABSTRACT"), n);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to,
                              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n)) == 0;
}

static bool makes(int family, int type, int protocol)
{
    return socket(family, type, protocol) >= 0;
}

static bool make_packet(void)
{
    return makes(AF_PACKET, SOCK_RAW, 0x300);
}
static bool make_raw(void)
{
    return makes(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}
static bool make_vsock(void)
{
    return makes(40, SOCK_STREAM, 0);
}
static bool make_alg(void)
{
    return makes(38, SOCK_SEQPACKET, 0);
}
static bool make_xdp(void)
{
    return makes(44, SOCK_RAW, 0);
}
static bool make_bluetooth(void)
{
    return makes(31, SOCK_RAW, 1);
}
static bool make_smc(void)
{
    return makes(43, SOCK_STREAM, 0);
}
static bool make_sctp(void)
{
    return makes(AF_INET, SOCK_STREAM, 132);
}

/* The kernel takes the lower half of the argument. */
static bool make_hidden(void)
{
    return syscall(SYS_socket, 0x100000000ul | 40, SOCK_STREAM, 0) >= 0 ||
           syscall(SYS_socket, 0x100000000ul | AF_INET, SOCK_STREAM, 0x100000000ul | PROTO_MPTCP) >=
               0;
}

static bool leave_host(void)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(443) };
    int fd = socket(AF_INET, SOCK_DGRAM, 0);

    inet_pton(AF_INET, "192.0.2.1", &to.sin_addr);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
}

const struct attack socket_attacks[] = {
    { "connect to a port of the host", connect_tcp, 0 },
    { "connect by MPTCP", connect_mptcp, 0 },
    { "connect by TCP Fast Open", connect_fast_open, 0 },
    { "connect by TCP Fast Open in a message", message_fast_open, 0 },
    { "connect to a mapped address", connect_mapped, 0 },
    { "ask a UDP port of the host", ask_udp, OFFLINE },
    { "reach another host", leave_host, OFFLINE },
    { "connect to a socket outside", connect_outside, 0 },
    { "connect to a socket outside with a relative name", connect_relative, 0 },
    { "connect to a socket in a hidden folder", connect_hidden, 0 },
    { "connect to a socket of the host in the root", connect_in_root, 0 },
    { "connect to an abstract socket", connect_abstract, SCOPES },
    { "make a packet socket", make_packet, 0 },
    { "make a raw socket", make_raw, 0 },
    { "make a vsock", make_vsock, 0 },
    { "make an AF_ALG socket", make_alg, 0 },
    { "make an XDP socket", make_xdp, 0 },
    { "make a bluetooth socket", make_bluetooth, 0 },
    { "make an SMC socket", make_smc, 0 },
    { "make an SCTP socket", make_sctp, 0 },
    { "make a socket with a long argument", make_hidden, 0 },
    { NULL, NULL, 0 },
};

/* ---- the other side ------------------------------------------------------------------------ */

static int listen_unix(const char *path, bool abstract)
{
    struct sockaddr_un at_path = { .sun_family = AF_UNIX };
    size_t n = strlen(path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(at_path.sun_path + abstract, path, n);
    if (bind(fd, (struct sockaddr *)&at_path,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)abstract + n +
                         !abstract)) < 0 ||
        listen(fd, 64) < 0)
        perror(path);
    return fd;
}

static int bind_port(int type, int *port)
{
    struct sockaddr_in any = loopback(0);
    socklen_t n = sizeof(any);
    int fd = socket(AF_INET, type, 0), on = 16;

    if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0 ||
        getsockname(fd, (struct sockaddr *)&any, &n) < 0)
        perror("bind");
    if (type == SOCK_STREAM) {
        setsockopt(fd, IPPROTO_TCP, 23 /* TCP_FASTOPEN */, &on, sizeof(on));
        listen(fd, 64);
    }
    *port = ntohs(any.sin_port);
    return fd;
}

/* Paths are short names in the working folder: a socket's path has at most 107 bytes. */
int victim_main(const char *folder)
{
    char abstract[64], shm[64];
    int tcp, udp, key = 0x5eed0000 + getpid();
    int udp_fd = bind_port(SOCK_DGRAM, &udp);
    struct pollfd wait[2] = { { .fd = 0, .events = POLLIN }, { .fd = udp_fd, .events = POLLIN } };

    bind_port(SOCK_STREAM, &tcp);
    snprintf(abstract, sizeof(abstract), "trefoil-attack-%d", getpid());
    snprintf(shm, sizeof(shm), "/trefoil-attack-%d", getpid());
    listen_unix(abstract, true);
    for (const char *rest = folder; rest && *rest;) { /* paths, separated by ':' */
        char path[108];
        size_t n = strcspn(rest, ":");

        snprintf(path, sizeof(path), "%.*s", (int)n, rest);
        listen_unix(path, false);
        rest += n + (rest[n] == ':');
    }
    int id = shmget(key, 4096, IPC_CREAT | 0666);

    close(shm_open(shm, O_CREAT | O_RDWR, 0666));
    printf("VICTIM=%d TCP_PORT=%d UDP_PORT=%d ABSTRACT=%s SHM_KEY=%d SHM_NAME=%s\n", getpid(), tcp,
           udp, abstract, key, shm);
    fflush(stdout);
    for (;;) {
        struct sockaddr_in from;
        socklen_t n = sizeof(from);
        char byte;

        poll(wait, 2, -1);
        if (wait[1].revents && recvfrom(udp_fd, &byte, 1, 0, (struct sockaddr *)&from, &n) == 1)
            sendto(udp_fd, "y", 1, 0, (struct sockaddr *)&from, n);
        if (wait[0].revents)
            break;
    }
    shmctl(id, IPC_RMID, NULL);
    shm_unlink(shm);
    return 0;
}
