#include "proto/mcp/server/mcp_session.h"

#include "base/container.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/list.h"
#include "base/mem.h"
#include "proto/http_principal.h"

#include <stdio.h>

/* ---- the stream for messages that belong to no request ------------------------------------ */

static void mcp_session_close_stream(struct mcp_session *s)
{
    sse_link_close(&s->own);
    mcp_session_release(s);
}

static void on_stream_gone(struct http_req *req)
{
    struct mcp_session *s = req->data;

    mcp_session_close_stream(s);
    if (s->kind == MCP_SESSION_SSE)
        mcp_session_end(s);
}

void mcp_session_open_stream(struct mcp_session *s, struct http_req *req,
                             const struct event_stream *from)
{
    if (s->own.stream)
        mcp_session_close_stream(s);
    s->holds++;
    req->data = s;
    req->on_gone = on_stream_gone;
    sse_link_open(&s->own, req, from);
}

/* ---- finding ----------------------------------------------------------------------------- */

static struct mcp_session **bucket_of(struct mcp_http *h, struct str id)
{
    return &h->bucket[hash_str(h->secret, id) % MCP_SESSION_BUCKETS];
}

static void mcp_session_hold(struct mcp_session *s)
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
    mcp_session_hold(s);
    s->uses++;
    return s;
}

/* ---- ending ------------------------------------------------------------------------------ */

static void on_all_sessions_closed(struct post *p)
{
    struct mcp_http *h = CONTAINER_OF(p, struct mcp_http, closing);

    if (!h->living && h->closed)
        h->closed(h->closed_ctx);
}

static void mcp_session_free_if_over(struct mcp_session *s)
{
    struct mcp_http *h = s->http;

    if (!s->ended || s->holds || !mcp_conv_idle(&s->conv))
        return;
    loop_unpost(h->server->rpc->loop, &s->bye);
    mcp_conv_fini(&s->conv);
    event_log_fini(&s->events);
    mem_free(s);
    mcp_http_one_less(h);
}

static void on_session_over(struct post *p)
{
    mcp_session_free_if_over(CONTAINER_OF(p, struct mcp_session, bye));
}

static void on_session_idle(struct peer *p)
{
    mcp_session_free_if_over(CONTAINER_OF(p, struct mcp_session, conv.peer));
}

static void mcp_session_unlist(struct mcp_session *s)
{
    LIST_UNLINK(*bucket_of(s->http, str_of(s->id)), s, chain);
    mcp_sessions_remove(s->http->all, s);
}

void mcp_session_end(struct mcp_session *s)
{
    if (s->ended)
        return;
    mcp_session_hold(s);
    s->ended = true;
    mcp_session_unlist(s);
    mcp_conv_end(&s->conv);
    peer_hang_up(&s->conv.peer);
    if (s->own.stream)
        mcp_session_close_stream(s);
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

/* 128 random bits that cannot be guessed. */
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
    s->bye.fn = on_session_over;
    name_session(s);
    event_log_init(&s->events, &h->all->events, (size_t)h->all->limits->mcp_session_events,
                   (size_t)h->all->limits->mcp_session_bytes);
    sse_link_init(&s->own, kind == MCP_SESSION_STREAMABLE ? &s->events : NULL);
    mcp_conv_init(&s->conv, h->server, &s->own.link, MCP_ASSUMED);
    s->conv.lasting = true;
    s->conv.principal = principal;
    s->conv.remote = !req->loopback;
    s->conv.peer.on_idle = on_session_idle;
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
    h->closing.fn = on_all_sessions_closed;
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
