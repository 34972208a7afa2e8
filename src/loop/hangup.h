/*
 * hangup.h - notices who is gone altogether.
 *
 * A socket that brings no more bytes may still be read by the other side, which waits for answers;
 * a stream cannot tell that from a process that has died. One struct hangups watches any number of
 * Unix sockets and tells when one has no other side any more.
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

/* Watch a socket until all descriptors of it are closed; `who` must live as long. */
bool hangups_add(struct hangups *h, int socket, void *ctx, struct err *e);

void hangups_close(struct hangups *h, void (*closed)(struct hangups *h));

#endif
