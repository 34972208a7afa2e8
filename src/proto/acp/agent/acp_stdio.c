#include "proto/acp/agent/acp_stdio.h"

#include "base/container.h"

static struct acp_stdio *acp_stdio_of(struct stdio_peer *io)
{
    return CONTAINER_OF(io, struct acp_stdio, io);
}

static void on_stdio_end(struct stdio_peer *io)
{
    acp_conn_end(&acp_stdio_of(io)->conn);
}

static bool is_stdio_idle(struct stdio_peer *io)
{
    return acp_conn_idle(&acp_stdio_of(io)->conn);
}

static void on_stdio_fini(struct stdio_peer *io)
{
    acp_conn_fini(&acp_stdio_of(io)->conn);
}

static const struct stdio_peer_hooks acp_stdio_hooks = { on_stdio_end, is_stdio_idle,
                                                         on_stdio_fini };

static void on_stdio_done(struct stdio_peer *io, const struct err *e)
{
    struct acp_stdio *s = acp_stdio_of(io);

    s->done(s, e);
}

void acp_stdio_start(struct acp_stdio *s, const struct acp_agent *agent, struct stream *io,
                     void (*done)(struct acp_stdio *s, const struct err *e), void *ctx)
{
    s->done = done;
    s->ctx = ctx;
    acp_conn_init(&s->conn, agent, &s->io.link.link);
    stdio_peer_start(&s->io, &s->conn.peer, &acp_stdio_hooks, io, FRAMING_LINE, on_stdio_done);
}

void acp_stdio_drain(struct acp_stdio *s)
{
    stdio_peer_drain(&s->io);
}
