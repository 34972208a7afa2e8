/* watch.c - wait for events of a descriptor. */
#include "base/container.h"
#include "loop/loop.h"

#include <assert.h>
#include <uv.h>

_Static_assert(sizeof(uv_poll_t) <= sizeof(((struct watch *)0)->uv), "room for a uv_poll_t");

static uv_poll_t *poll_of(struct watch *w)
{
    return (uv_poll_t *)w->uv;
}

static void on_again(struct post *p)
{
    struct watch *w = CONTAINER_OF(p, struct watch, again);
    unsigned ready = w->wanted & (WATCH_READ | WATCH_WRITE);

    if (w->closing || !ready)
        return;
    loop_post(w->loop, &w->again);
    w->on_ready(w, ready);
}

bool watch_open(struct watch *w, struct loop *loop, int fd, watch_ready_fn *on_ready, struct err *e)
{
    int rc;

    *w = (struct watch){ .loop = loop, .on_ready = on_ready, .again.fn = on_again };
    rc = uv_poll_init(loop_uv(loop), poll_of(w), fd);
    poll_of(w)->data = w;
    w->always = rc != 0; /* libuv has no handle for it then */
    w->dead = rc && rc != UV_EPERM;
    return !w->dead || fail(e, ERR_SYSTEM, "watch descriptor %d: %s", fd, uv_strerror(rc));
}

static void on_poll(uv_poll_t *h, int status, int events);

static void start(struct watch *w)
{
    int uv = 0;

    if (w->wanted & WATCH_READ)
        uv |= UV_READABLE;
    if (w->wanted & WATCH_WRITE)
        uv |= UV_WRITABLE;
    if (w->wanted & WATCH_HANGUP)
        uv |= UV_DISCONNECT;
    w->failed = false;
    if (uv)
        uv_poll_start(poll_of(w), uv, on_poll);
    else
        uv_poll_stop(poll_of(w));
}

/*
 * An error: libuv has stopped; reading or writing will report which. Reading the last bytes of the
 * other side may take many reads, so a reader that wants more than this one gets it.
 */
static void on_error(struct watch *w)
{
    w->failed = true;
    w->on_ready(w, w->wanted);
    if (w->failed && w->wanted && !w->closing)
        start(w);
}

static void on_poll(uv_poll_t *h, int status, int events)
{
    struct watch *w = h->data;
    unsigned ready = 0;

    if (events & UV_READABLE)
        ready |= WATCH_READ;
    if (events & UV_WRITABLE)
        ready |= WATCH_WRITE;
    if (events & UV_DISCONNECT)
        ready |= WATCH_HANGUP;
    if (status < 0)
        on_error(w);
    else
        w->on_ready(w, ready);
}

void watch_want(struct watch *w, unsigned events)
{
    if (w->wanted == events || w->closing || w->dead)
        return;
    w->wanted = (uint8_t)events;
    if (!w->always)
        start(w);
    else if (events & (WATCH_READ | WATCH_WRITE))
        loop_post(w->loop, &w->again);
}

static void on_uv_closed(uv_handle_t *h)
{
    struct watch *w = h->data;

    if (w->on_closed)
        w->on_closed(w);
}

static void on_always_closed(struct post *p)
{
    struct watch *w = CONTAINER_OF(p, struct watch, again);

    if (w->on_closed)
        w->on_closed(w);
}

void watch_close(struct watch *w, watch_closed_fn *on_closed)
{
    assert(!w->closing);
    w->closing = true;
    w->on_closed = on_closed;
    if (!w->always) {
        uv_close((uv_handle_t *)poll_of(w), on_uv_closed);
        return;
    }
    loop_unpost(w->loop, &w->again);
    w->again.fn = on_always_closed;
    loop_post(w->loop, &w->again);
}
