/* hangup.c - a separate epoll, which waits for no event: it always reports hang-ups anyway. */
#include "loop/hangup.h"

#include "base/auto.h"
#include "base/container.h"

#include <sys/epoll.h>

enum { AT_ONCE = 64 };

static void on_ready(struct watch *w, unsigned events)
{
    struct hangups *h = CONTAINER_OF(w, struct hangups, watch);
    struct epoll_event event[AT_ONCE];
    int n = epoll_wait(h->fd, event, AT_ONCE, 0);

    (void)events;
    for (int i = 0; i < n; i++)
        h->gone(event[i].data.ptr);
}

bool hangups_open(struct hangups *h, struct loop *loop, void (*gone)(void *ctx), struct err *e)
{
    AUTO_FD fd = epoll_create1(EPOLL_CLOEXEC);

    *h = (struct hangups){ .gone = gone };
    if (fd < 0)
        return fail_sys(e, "epoll");
    if (!watch_open(&h->watch, loop, fd, on_ready, e))
        return false;
    watch_want(&h->watch, WATCH_READ);
    h->fd = TAKE_FD(fd);
    return true;
}

/* Once is enough: until it is closed, every turn of the loop would report the end. */
bool hangups_add(struct hangups *h, int socket, void *ctx, struct err *e)
{
    struct epoll_event event = { .events = EPOLLONESHOT, .data.ptr = ctx };

    return epoll_ctl(h->fd, EPOLL_CTL_ADD, socket, &event) == 0 || fail_sys(e, "epoll");
}

static void on_closed(struct watch *w)
{
    struct hangups *h = CONTAINER_OF(w, struct hangups, watch);

    h->closed(h);
}

void hangups_close(struct hangups *h, void (*closed)(struct hangups *h))
{
    h->closed = closed;
    watch_close(&h->watch, on_closed);
    close(h->fd);
    h->fd = -1;
}
