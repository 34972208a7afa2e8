/*
 * hangup.h - detect that the peer of a Unix socket has closed it or died.
 *
 * When a peer has closed its sending side, a stream reports only the end of the input: the peer may
 * have died, or may still read our answers. One struct hangups watches any number of Unix sockets
 * and reports each socket whose peer is gone.
 */
#ifndef LOOP_HANGUP_H
#define LOOP_HANGUP_H

#include "loop/loop.h"

struct hangups {
    int fd;
    struct watch watch;
    void (*gone)(void *ctx);
    void (*closed)(struct hangups *h);
};

/*
 * `gone` is called from the loop, once for each socket, with the ctx that was passed to
 * hangups_add. On failure, do not call hangups_close.
 */
bool hangups_open(struct hangups *h, struct loop *loop, void (*gone)(void *ctx), struct err *e);

/* Watch a socket until all its descriptors are closed. `ctx` must stay valid until then. */
bool hangups_add(struct hangups *h, int socket, void *ctx, struct err *e);

void hangups_close(struct hangups *h, void (*closed)(struct hangups *h));

#endif
