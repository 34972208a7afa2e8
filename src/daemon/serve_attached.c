#include "daemon/serve_attached.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/log.h"

/* ---- the end --------------------------------------------------------------------------------- */

static void check_done(struct attached_mcp *g)
{
    if (g->over && (g->shut || !g->handed))
        g->done(g);
}

static void say_last(struct attached_mcp *g, const struct err *e)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1024);
    jw_object(&w);
    if (e)
        jw_kstr(&w, "error", str_of(e->text));
    else
        jw_kbool(&w, "bye", true);
    jw_object_end(&w);
    buf_putc(&out, '\n');
    stream_put(g->socket, buf_str(&out));
    stream_tell_room(g->socket);
}

static void on_stdio_done(struct mcp_stdio *stdio, const struct err *e)
{
    struct attached_mcp *g = stdio->ctx;

    if (e)
        LOG(LOG_DEBUG, "daemon", "an attached client disconnected early", LOG_Z("why", e->text));
    g->over = true;
    if (g->handed && g->dismissed)
        stream_close(g->socket);
    else if (g->handed && !g->shut)
        say_last(g, e);
    check_done(g);
}

/* ---- the socket of a client that has passed its descriptors --------------------------------- */

static void begin(struct attached_mcp *g)
{
    g->begun = true;
    g->own.s.events = &stream_link_events;
    g->own.s.owner = &g->stdio.io.link;
    mcp_stdio_start(&g->stdio, g->server, &g->own.s, g->framing, on_stdio_done, g);
}

/* The client does the work in its own process instead. The daemon has not used its descriptors. */
static void abandon(struct attached_mcp *g)
{
    stream_close(&g->own.s);
    stream_close(g->socket);
}

static void on_bytes(struct stream *io, struct str bytes)
{
    struct attached_mcp *g = io->owner;

    (void)bytes; /* any byte means that the client no longer uses its stdin */
    if (!g->begun)
        begin(g);
}

static void on_end(struct stream *io, const struct err *e)
{
    struct attached_mcp *g = io->owner;

    if (!g->begun)
        abandon(g);
    else if (g->over)
        stream_close(io);
    else if (e)
        attached_mcp_gone(g);
    else
        mcp_stdio_drain(&g->stdio);
}

static void on_room(struct stream *io)
{
    struct attached_mcp *g = io->owner;

    if (g->over)
        stream_close(io);
}

static void on_closed(struct stream *io)
{
    struct attached_mcp *g = io->owner;

    g->shut = true;
    check_done(g);
}

static const struct stream_events socket_events = { on_bytes, on_end, on_room, on_closed };

/*
 * The events of the handed-over descriptors until the daemon may use them: the stream is not read
 * and can only be closed.
 */
static void no_bytes(struct stream *io, struct str bytes)
{
    (void)io;
    (void)bytes;
}

static void no_end(struct stream *io, const struct err *e)
{
    (void)io;
    (void)e;
}

static void no_room(struct stream *io)
{
    (void)io;
}

static void on_abandoned(struct stream *io)
{
    struct attached_mcp *g = io->owner;

    g->over = true;
    check_done(g);
}

static const struct stream_events idle_events = { no_bytes, no_end, no_room, on_abandoned };

/* ---- start and end --------------------------------------------------------------------------- */

/*
 * Take the descriptors. If possible, they are reopened, so that the daemon can make them
 * non-blocking without a change for other processes.
 */
static bool take_over(struct attached_mcp *g, struct fd_packet *packet, struct err *e)
{
    AUTO_FD in = -1;
    AUTO_FD out = -1;
    bool ok =
        fd_own_nonblocking(packet->fd[0], &in, e) && fd_own_nonblocking(packet->fd[1], &out, e);

    fd_packet_fini(packet);
    if (!ok)
        return false;
    pipe_stream_open(&g->own, g->socket->loop, TAKE_FD(in), TAKE_FD(out), &idle_events, g,
                     g->socket->out.max);
    return true;
}

bool attached_mcp_start(struct attached_mcp *g, struct mcp_server *server, enum framing framing,
                        struct stream *socket, struct fd_packet *packet,
                        void (*done)(struct attached_mcp *g), void *ctx, struct err *e)
{
    g->socket = socket;
    g->handed = packet->n == FD_PACKET;
    g->over = g->shut = g->dismissed = false;
    g->begun = !g->handed;
    g->server = server;
    g->framing = framing;
    g->done = done;
    g->ctx = ctx;
    if (g->handed && !take_over(g, packet, e))
        return false;
    fd_packet_fini(packet);
    socket->events = g->handed ? &socket_events : &stream_link_events;
    socket->owner = g->handed ? (void *)g : &g->stdio.io.link;
    stream_put(socket, STR("{\"ok\":true}\n"));
    if (!g->handed)
        mcp_stdio_start(&g->stdio, server, socket, framing, on_stdio_done, g);
    return true;
}

void attached_mcp_drain(struct attached_mcp *g)
{
    g->dismissed = true;
    if (!g->begun)
        abandon(g);
    else if (!g->over)
        mcp_stdio_drain(&g->stdio);
}

void attached_mcp_gone(struct attached_mcp *g)
{
    if (!g->begun) {
        abandon(g);
    } else if (!g->over) {
        mcp_stdio_drain(&g->stdio); /* stops reading */
        mcp_stdio_stop(&g->stdio);
    }
}

void attached_mcp_stop(struct attached_mcp *g)
{
    g->dismissed = true;
    attached_mcp_gone(g);
    if (!g->begun)
        return;
    if (!g->over)
        stream_break(g->stdio.io.link.io);
    else if (!g->shut)
        stream_close(g->socket);
}
