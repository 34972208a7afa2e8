/*
 * http_server.c - the states of the server.
 *
 *   serving -> draining -> (drained) -> closing -> freed
 *
 * Draining and closing begin in a post, since a handler may start them: its on_gone must not be
 * called before the handler has returned.
 */
#include "wire/http_server.h"

#include "base/container.h"
#include "base/mem.h"
#include "wire/http_conn.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void http_server_end(struct http_server *s)
{
    void (*closed)(void *ctx) = s->closed;
    void *ctx = s->closed_ctx;

    arena_pool_fini(&s->arenas);
    if (s->reserve_fd >= 0)
        close(s->reserve_fd);
    http_gate_fini(&s->gate);
    mem_free(s);
    if (closed)
        closed(ctx);
}

static void tell_drained(struct http_server *s)
{
    void (*drained)(void *ctx) = s->drained;

    s->drained = NULL;
    if (drained)
        drained(s->drained_ctx);
}

/* Connections leave the list from the loop only, so walking it is safe. */
static void each_conn(struct http_server *s, void (*fn)(struct http_conn *c))
{
    for (struct http_conn *c = s->conns; c; c = c->next)
        fn(c);
}

static void on_work(struct post *p)
{
    struct http_server *s = CONTAINER_OF(p, struct http_server, work);

    http_listeners_close(s);
    each_conn(s, s->closing ? http_conn_close : http_conn_drain);
    if (s->count || s->listeners)
        return; /* the last to leave brings us back */
    if (s->closing)
        http_server_end(s);
    else
        tell_drained(s);
}

void http_server_one_less(struct http_server *s)
{
    if (s->draining && !s->count && !s->listeners)
        loop_post(s->loop, &s->work);
}

struct http_server *http_server_new(const struct http_server_opts *opts)
{
    struct http_server *s = MEM_NEW(struct http_server);

    s->loop = opts->loop;
    s->limits = opts->limits;
    s->ctx = opts->ctx;
    s->work.fn = on_work;
    s->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    http_gate_init(&s->gate, opts);
    return s;
}

void http_server_accept(struct http_server *s, struct stream *io, const struct http_peer *peer,
                        void (*release)(struct stream *io))
{
    http_conn_open(s, io, peer, release,
                   s->draining || s->count >= (size_t)s->limits->http_connections);
}

size_t http_server_connections(const struct http_server *s)
{
    return s->count;
}

void http_server_drain(struct http_server *s, void (*done)(void *ctx), void *ctx)
{
    s->draining = true;
    s->drained = done;
    s->drained_ctx = ctx;
    loop_post(s->loop, &s->work);
}

void http_server_close(struct http_server *s, void (*done)(void *ctx), void *ctx)
{
    s->draining = s->closing = true;
    s->drained = NULL;
    s->closed = done;
    s->closed_ctx = ctx;
    loop_post(s->loop, &s->work);
}

/* ---- shared by the connections ----------------------------------------------------------- */

struct str http_server_date(struct http_server *s)
{
    int64_t now = loop_now(s->loop);

    if (!s->date_n || now >= s->date_until) {
        int64_t wall = loop_wall(s->loop);
        char text[HTTP_DATE];

        http_date(wall, text);
        s->date_n = (uint8_t)snprintf(s->date, sizeof(s->date), "Date: %s\r\n", text);
        s->date_until = now + 1000 - wall % 1000;
    }
    return (struct str){ s->date, s->date_n };
}
