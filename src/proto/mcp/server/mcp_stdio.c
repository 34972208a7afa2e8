#include "proto/mcp/server/mcp_stdio.h"

#include "base/container.h"

static struct mcp_stdio *mcp_stdio_of(struct stdio_peer *io)
{
    return CONTAINER_OF(io, struct mcp_stdio, io);
}

static void on_stdio_end(struct stdio_peer *io)
{
    mcp_conv_end(&mcp_stdio_of(io)->conv);
}

static bool is_stdio_idle(struct stdio_peer *io)
{
    return mcp_conv_idle(&mcp_stdio_of(io)->conv);
}

static void on_stdio_fini(struct stdio_peer *io)
{
    mcp_conv_fini(&mcp_stdio_of(io)->conv);
}

static const struct stdio_peer_hooks mcp_stdio_hooks = { on_stdio_end, is_stdio_idle,
                                                         on_stdio_fini };

static void on_stdio_done(struct stdio_peer *io, const struct err *e)
{
    struct mcp_stdio *s = mcp_stdio_of(io);

    s->done(s, e);
}

void mcp_stdio_start(struct mcp_stdio *s, struct mcp_server *server, struct stream *io,
                     enum framing framing, void (*done)(struct mcp_stdio *s, const struct err *e),
                     void *ctx)
{
    s->done = done;
    s->ctx = ctx;
    mcp_conv_init(&s->conv, server, &s->io.link.link, MCP_ASSUMED);
    s->conv.lasting = s->conv.keeps = true;
    s->conv.principal = principal_self(ORIGIN_STDIO);
    stdio_peer_start(&s->io, &s->conv.peer, &mcp_stdio_hooks, io, framing, on_stdio_done);
}

void mcp_stdio_drain(struct mcp_stdio *s)
{
    stdio_peer_drain(&s->io);
}

void mcp_stdio_stop(struct mcp_stdio *s)
{
    stdio_peer_stop(&s->io);
}
