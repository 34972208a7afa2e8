#include "proto/mcp/server/mcp_stdio.h"

#include "base/container.h"

static struct mcp_stdio *of_peer(struct peer *p)
{
    return CONTAINER_OF(p, struct mcp_stdio, conv.peer);
}

static void close_when_idle(struct peer *p)
{
    struct mcp_stdio *s = of_peer(p);

    if (s->closing || !mcp_conv_idle(&s->conv))
        return;
    s->closing = true;
    link_close(&s->link.link);
}

static void on_frame(struct link *link, const struct frame *frame)
{
    struct mcp_stdio *s = link->owner;

    peer_receive(&s->conv.peer, link, frame);
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
    mcp_conv_fini(&s->conv);
    s->done(s, s->broken ? &s->why : NULL);
}

static const struct link_events events = { on_frame, on_end, on_closed };

void mcp_stdio_start(struct mcp_stdio *s, struct mcp_server *server, struct stream *io,
                     enum framing framing, void (*done)(struct mcp_stdio *s, const struct err *e),
                     void *ctx)
{
    s->done = done;
    s->ctx = ctx;
    s->broken = s->closing = false;
    mcp_conv_init(&s->conv, server, &s->link.link, MCP_ASSUMED);
    s->conv.lasting = s->conv.keeps = true;
    s->conv.principal = principal_self(ORIGIN_STDIO);
    stream_link_open(&s->link, io, framing, server->rpc->limits, &events, s);
}

void mcp_stdio_drain(struct mcp_stdio *s)
{
    stream_pause(s->link.io);
    frame_reader_stop(&s->link.reader); /* reading goes on when a backlog has gone */
    s->conv.peer.on_idle = close_when_idle;
    mcp_conv_end(&s->conv);
    if (peer_idle(&s->conv.peer))
        loop_post(s->conv.peer.rpc->loop, &s->conv.peer.idle);
}

void mcp_stdio_stop(struct mcp_stdio *s)
{
    s->conv.peer.on_idle = close_when_idle;
    mcp_conv_end(&s->conv);
    peer_hang_up(&s->conv.peer);
}
