#include "rpc/stdio_peer.h"

static void close_when_idle(struct peer *p)
{
    struct stdio_peer *s = p->transport;

    if (s->closing || !peer_idle(p) || (s->hooks->idle && !s->hooks->idle(s)))
        return;
    s->closing = true;
    link_close(&s->link.link);
}

static void on_stdio_frame(struct link *link, const struct frame *frame)
{
    struct stdio_peer *s = link->owner;

    peer_receive(s->peer, link, frame);
}

static void on_stdio_end(struct link *link, const struct err *e)
{
    struct stdio_peer *s = link->owner;

    if (!e) {
        stdio_peer_drain(s);
        return;
    }
    s->broken = true;
    s->why = *e;
    stdio_peer_stop(s);
}

/* The client may have closed its side before it received our last answers. */
static void on_stdio_closed(struct link *link)
{
    struct stdio_peer *s = link->owner;
    int error = s->link.io->error;

    if (error && !s->broken) {
        s->broken = true;
        fail(&s->why, ERR_CLOSED, "write: %s", strerror(-error));
    }
    if (s->hooks->fini)
        s->hooks->fini(s);
    s->done(s, s->broken ? &s->why : NULL);
}

static const struct link_events stdio_link_events = { on_stdio_frame, on_stdio_end,
                                                      on_stdio_closed };

void stdio_peer_start(struct stdio_peer *s, struct peer *peer, const struct stdio_peer_hooks *hooks,
                      struct stream *io, enum framing framing,
                      void (*done)(struct stdio_peer *s, const struct err *e))
{
    s->peer = peer;
    s->hooks = hooks;
    s->done = done;
    s->broken = s->closing = false;
    peer->transport = s;
    stream_link_open(&s->link, io, framing, peer->rpc->limits, &stdio_link_events, s);
}

static void stdio_peer_end(struct stdio_peer *s)
{
    s->peer->on_idle = close_when_idle;
    if (s->hooks->end)
        s->hooks->end(s);
    peer_await_no_more(s->peer);
}

void stdio_peer_drain(struct stdio_peer *s)
{
    stream_pause(s->link.io);
    /* otherwise reading would resume when the backlog is written */
    frame_reader_stop(&s->link.reader);
    stdio_peer_end(s);
    if (peer_idle(s->peer))
        loop_post(s->peer->rpc->loop, &s->peer->idle);
}

void stdio_peer_stop(struct stdio_peer *s)
{
    stdio_peer_end(s);
    peer_hang_up(s->peer);
}
