/* http_bind.h - open the listening sockets of an address. Part of the HTTP server. */
#ifndef WIRE_HTTP_BIND_H
#define WIRE_HTTP_BIND_H

#include "base/err.h"
#include "base/str.h"

#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>

enum { HTTP_HOST_TEXT = INET6_ADDRSTRLEN + 2 };

union http_sockaddr {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un un;
};

/* A listening, non-blocking socket. */
struct http_bound {
    int fd;
    char local[HTTP_HOST_TEXT]; /* its address without port; empty for a wildcard or a path */
    char path[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* path of a Unix socket; else empty */
    int lock;  /* descriptor of the locked file PATH.lock (see http_bind) */
    dev_t dev; /* identity of the file at `path` */
    ino_t ino;
};

/*
 * Listen on an address in the form of http_server_listen. "localhost" yields two sockets if the
 * machine has both loopback addresses. *out_text, of HTTP_ADDRESS bytes, gets the real address. The
 * Unix socket of a server that has died is replaced: a server locks PATH.lock as long as it runs,
 * so if the lock is free, the server is dead.
 */
bool http_bind(struct str address, struct http_bound out[2], size_t *out_n, char *out_text,
               struct err *e);

/* Close the socket and remove its file, unless another server has replaced it. */
void http_unbind(struct http_bound *b);

/* Write the address as a Host without port: "127.0.0.1" or "[::1]". */
void http_host_text(const union http_sockaddr *a, char out[HTTP_HOST_TEXT]);
uint16_t http_port(const union http_sockaddr *a);

#endif
