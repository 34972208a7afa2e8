#include "proto/mcp/server/mcp_session.h"

#include "base/container.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "proto/http_principal.h"

#include <stdio.h>

/* ---- events ------------------------------------------------------------------------------ */

void mcp_send_event(struct http_req *req, struct str id, const struct str *piece, size_t n)
{
    AUTO_BUF text;
    size_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += piece[i].n;
    buf_init(&text, bytes);
    for (size_t i = 0; i < n; i++)
        buf_put(&text, piece[i]);
    http_sse_send(req, &(struct sse_out){ STR("message"), id, buf_str(&text), 0 });
}

void mcp_send_priming(struct mcp_session *s, struct http_req *req, struct mcp_event_stream *events,
                      uint32_t retry_ms)
{
    char id[MCP_EVENT_ID];

    http_sse_send(req, &(struct sse_out){ .id = mcp_events_number(&s->events, events, id),
                                          .data = STR(""),
                                          .retry_ms = retry_ms });
}

void mcp_send_kept(struct mcp_session *s, struct http_req *req, struct mcp_event_stream from)
{
    char id[MCP_EVENT_ID];
    bool lost;

    for (const struct mcp_event *ev = mcp_events_after(&s->events, from, &lost); ev;
         ev = mcp_events_next(ev))
        mcp_send_event(req, mcp_event_id(&s->events, ev, id), &(struct str){ ev->text, ev->n }, 1);
}

/* ---- what belongs to no request ---------------------------------------------------------- */

static void send_own(struct link *link, const struct str *piece, size_t n)
{
    struct mcp_session *s = CONTAINER_OF(link, struct mcp_session, own);
    struct str text = STR_NONE;
    char id[MCP_EVENT_ID];

    if (s->kind == MCP_SESSION_STREAMABLE)
        text = mcp_events_keep(&s->events, &s->own_events, piece, n, id);
    if (!s->stream)
        return;
    s->own_sent = s->own_events.told;
    mcp_send_event(s->stream, text, piece, n);
}

static void close_own(struct link *link)
{
    (void)link; /* ends with the session */
}

static const struct link_kind own_kind = { .name = "session",
                                           .send = send_own,
                                           .close = close_own };

static void close_stream(struct mcp_session *s)
{
    struct http_req *req = s->stream;

    s->stream = NULL;
    http_stream_end(req);
    mcp_session_release(s);
}

static void on_stream_gone(struct http_req *req)
{
    struct mcp_session *s = req->data;

    close_stream(s);
    if (s->kind == MCP_SESSION_SSE)
        mcp_session_end(s);
}

void mcp_session_open_stream(struct mcp_session *s, struct http_req *req,
                             const struct mcp_event_stream *from)
{
    struct mcp_event_stream sent = { .newest = s->own_sent };

    if (s->stream)
        close_stream(s);
    s->holds++;
    s->stream = req;
    req->data = s;
    req->on_gone = on_stream_gone;
    mcp_send_kept(s, req, from ? *from : sent);
    s->own_sent = s->own_events.told;
}

/* ---- finding ----------------------------------------------------------------------------- */

static struct mcp_session **bucket_of(struct mcp_http *h, struct str id)
{
    return &h->bucket[hash_str(h->secret, id) % MCP_SESSION_BUCKETS];
}

static void hold(struct mcp_session *s)
{
    if (!s->holds++)
        mcp_sessions_busy(s->http->all, s);
}

struct mcp_session *mcp_session_find(struct mcp_http *h, enum mcp_session_kind kind, struct str id,
                                     const struct http_req *req)
{
    struct principal principal = http_principal(req);
    struct mcp_session *s = *bucket_of(h, id);

    while (s && !str_eq(str_of(s->id), id))
        s = s->chain;
    if (!s || s->kind != kind || strcmp(s->conv.principal.name, principal.name) != 0)
        return NULL;
    hold(s);
    s->uses++;
    return s;
}

/* ---- ending ------------------------------------------------------------------------------ */

static void on_all_closed(struct post *p)
{
    struct mcp_http *h = CONTAINER_OF(p, struct mcp_http, closing);

    if (!h->living && h->closed)
        h->closed(h->closed_ctx);
}

static void free_if_over(struct mcp_session *s)
{
    struct mcp_http *h = s->http;

    if (!s->ended || s->holds || !mcp_conv_idle(&s->conv))
        return;
    loop_unpost(h->server->rpc->loop, &s->bye);
    mcp_conv_fini(&s->conv);
    mcp_events_fini(&s->events);
    mem_free(s);
    mcp_http_one_less(h);
}

static void on_bye(struct post *p)
{
    free_if_over(CONTAINER_OF(p, struct mcp_session, bye));
}

static void on_peer_idle(struct peer *p)
{
    free_if_over(CONTAINER_OF(p, struct mcp_session, conv.peer));
}

static void leave_table(struct mcp_session *s)
{
    struct mcp_session **at = bucket_of(s->http, str_of(s->id));

    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    mcp_sessions_remove(s->http->all, s);
}

void mcp_session_end(struct mcp_session *s)
{
    if (s->ended)
        return;
    hold(s);
    s->ended = true;
    leave_table(s);
    mcp_conv_end(&s->conv);
    peer_hang_up(&s->conv.peer);
    if (s->stream)
        close_stream(s);
    mcp_session_release(s);
}

void mcp_session_release(struct mcp_session *s)
{
    if (--s->holds)
        return;
    if (s->ended)
        loop_post(s->http->server->rpc->loop, &s->bye);
    else
        mcp_sessions_idle(s->http->all, s);
}

/* ---- beginning --------------------------------------------------------------------------- */

/* 128 bits nobody can guess. */
static void name_session(struct mcp_session *s)
{
    uint8_t r[(MCP_SESSION_ID - 1) / 2];

    id_random(r, sizeof(r));
    for (size_t i = 0; i < sizeof(r); i++)
        snprintf(s->id + 2 * i, 3, "%02x", r[i]);
}

struct mcp_session *mcp_session_new(struct mcp_http *h, enum mcp_session_kind kind,
                                    const struct http_req *req)
{
    struct principal principal = http_principal(req);
    struct mcp_session *s, **bucket;

    if (!mcp_sessions_make_room(h->all, &principal))
        return NULL;
    s = mem_zero(sizeof(*s));
    s->http = h;
    s->kind = kind;
    s->holds = 1;
    s->bye.fn = on_bye;
    s->own = (struct link){ &own_kind, NULL, s, NULL };
    name_session(s);
    mcp_events_init(&s->events, h->all->limits, &h->all->events);
    mcp_conv_init(&s->conv, h->server, &s->own, MCP_ASSUMED);
    s->conv.lasting = true;
    s->conv.principal = principal;
    s->conv.remote = !req->loopback;
    s->conv.peer.on_idle = on_peer_idle;
    bucket = bucket_of(h, str_of(s->id));
    s->chain = *bucket;
    *bucket = s;
    mcp_sessions_add(h->all, s);
    h->living++;
    return s;
}

/* ---- all of them ------------------------------------------------------------------------- */

void mcp_http_init(struct mcp_http *h, struct mcp_server *server, struct mcp_sessions *all)
{
    *h = (struct mcp_http){ .server = server, .all = all, .secret = hash_secret() };
    h->closing.fn = on_all_closed;
}

void mcp_http_one_less(struct mcp_http *h)
{
    if (!--h->living && h->closed)
        loop_post(h->server->rpc->loop, &h->closing);
}

void mcp_http_drain(struct mcp_http *h)
{
    for (size_t i = 0; i < MCP_SESSION_BUCKETS; i++)
        for (struct mcp_session *s = h->bucket[i]; s; s = s->chain)
            mcp_conv_end(&s->conv);
}

void mcp_http_close(struct mcp_http *h, void (*done)(void *ctx), void *ctx)
{
    h->closed = done;
    h->closed_ctx = ctx;
    for (size_t i = 0; i < MCP_SESSION_BUCKETS; i++)
        while (h->bucket[i])
            mcp_session_end(h->bucket[i]);
    loop_post(h->server->rpc->loop, &h->closing);
}
