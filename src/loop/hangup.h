/*
 * hangup.h - detect that the peer of a Unix socket is gone.
 *
 * A socket that delivers no more bytes may still be open for our answers, and a stream cannot tell
 * that case from a peer that has died. One struct hangups watches any number of Unix sockets and
 * reports when one has no peer any more.
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

/* `gone` is called from the loop, once per socket. After a failure there is nothing to close. */
bool hangups_open(struct hangups *h, struct loop *loop, void (*gone)(void *ctx), struct err *e);

/* Watch a socket until all its descriptors are closed; `ctx` must live as long. */
bool hangups_add(struct hangups *h, int socket, void *ctx, struct err *e);

void hangups_close(struct hangups *h, void (*closed)(struct hangups *h));

#endif
