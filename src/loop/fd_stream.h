/*
 * fd_stream.h - streams (stream.h) over file descriptors.
 *
 * sock_stream: one descriptor for both directions, such as a socket, or one end of a pipe.
 * pipe_stream: one descriptor to read from and one to write to, such as stdio or a child's pipes.
 *
 * Both own their descriptors, which must be non-blocking, and close them. The open functions report
 * no failure: if a descriptor cannot be watched, the loop later ends the stream with an error. The
 * struct must stay valid until on_closed.
 */
#ifndef LOOP_FD_STREAM_H
#define LOOP_FD_STREAM_H

#include "loop/stream.h"

struct sock_stream {
    struct stream s; /* first */
    int fd;
    struct watch watch;
};

/* Descriptors that were passed along with bytes through a Unix socket. */
enum { FD_PACKET = 2 };

struct fd_packet {
    int fd[FD_PACKET];
    size_t n;
};

void fd_packet_fini(struct fd_packet *p); /* close the descriptors that are still in it */

struct pipe_stream {
    struct stream s; /* first */
    int in, out;
    struct fd_packet *packet; /* receives passed descriptors; NULL: they are dropped */
    struct watch in_watch, out_watch;
    uint8_t open_watches;
};

void sock_stream_open(struct sock_stream *s, struct loop *loop, int fd,
                      const struct stream_events *events, void *owner, size_t backlog);

void pipe_stream_open(struct pipe_stream *s, struct loop *loop, int in, int out,
                      const struct stream_events *events, void *owner, size_t backlog);

/*
 * Open a separate non-blocking descriptor for stdin or stdout, so that the descriptor shared with
 * the shell or the parent keeps its mode. Pipes and terminals are reopened through /proc. A
 * descriptor that cannot be reopened (a socket, another user's pipe) is switched to non-blocking
 * for all processes that share it.
 */
bool fd_own_nonblocking(int fd, int *out_fd, struct err *e);

/* The same for stdin and stdout. Both or none of the two descriptors are opened. */
bool fd_own_stdio(int *in_fd, int *out_fd, struct err *e);

#endif
