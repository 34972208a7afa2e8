#include "proto/mcp/mcp_stdio.h"

#include "base/container.h"

static struct mcp_stdio *of_peer(struct peer *p)
{
    return CONTAINER_OF(p, struct mcp_stdio, peer);
}

static void close_when_idle(struct peer *p)
{
    struct mcp_stdio *s = of_peer(p);

    if (s->closing)
        return;
    s->closing = true;
    link_close(&s->link.link);
}

static void on_frame(struct link *link, const struct frame *frame)
{
    struct mcp_stdio *s = link->owner;

    peer_receive(&s->peer, link, frame);
}

static void on_end(struct link *link, const struct err *e)
{
    struct mcp_stdio *s = link->owner;

    if (!e) {
        mcp_stdio_drain(s);
        return;
    }
    s->broken = true;
    s->why = *e;
    mcp_stdio_stop(s);
}

/* A client that closed its side may not have got our last answers either. */
static void on_closed(struct link *link)
{
    struct mcp_stdio *s = link->owner;
    int error = s->link.io->error;

    if (error && !s->broken) {
        s->broken = true;
        fail(&s->why, ERR_CLOSED, "write: %s", strerror(-error));
    }
    peer_fini(&s->peer);
    s->done(s, s->broken ? &s->why : NULL);
}

static const struct link_events events = { on_frame, on_end, on_closed };

void mcp_stdio_start(struct mcp_stdio *s, struct mcp_server *server, struct stream *io,
                     enum framing framing, void (*done)(struct mcp_stdio *s, const struct err *e),
                     void *who)
{
    s->done = done;
    s->who = who;
    s->broken = s->closing = false;
    mcp_peer_init(&s->peer, server, &s->link.link, MCP_ASSUMED);
    stream_link_open(&s->link, io, framing, server->rpc->limits, &events, s);
}

void mcp_stdio_drain(struct mcp_stdio *s)
{
    stream_pause(s->link.io);
    s->peer.on_idle = close_when_idle;
    if (peer_idle(&s->peer))
        loop_post(s->peer.rpc->loop, &s->peer.idle);
}

void mcp_stdio_stop(struct mcp_stdio *s)
{
    s->peer.on_idle = close_when_idle;
    peer_hang_up(&s->peer);
}
