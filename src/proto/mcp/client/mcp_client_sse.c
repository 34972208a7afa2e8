/*
 * mcp_client_sse.c - HTTP+SSE of 2024-11-05 as a wire.
 *
 * One GET stays open and delivers every message of the server. Its first event, `endpoint`, has the
 * URL for our POSTs, which must have the same origin. When the stream ends, the connection is lost:
 * the session cannot be resumed.
 */
#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "proto/mcp/client/mcp_client_exchange.h"
#include "wire/http_url.h"

struct sse_wire {
    struct mcp_wire wire; /* first */
    struct link link;
    struct rpc_exchange *list;
    struct mcp_exchange *stream; /* NULL: not yet, or over */
    struct arena mem;
    struct str endpoint; /* n == 0: not known yet */
    struct timer patience;
    struct post post; /* open the stream, later closed */
};

static struct sse_wire *sse_wire_of(struct mcp_wire *w)
{
    return CONTAINER_OF(w, struct sse_wire, wire);
}

static struct loop *sse_wire_loop(const struct sse_wire *w)
{
    return w->wire.c->world.rpc->loop;
}

static void add_sse_headers(struct sse_wire *w, const struct mcp_req *r, struct http_header_list *h)
{
    for (size_t i = 0; r && i < r->headers; i++)
        http_header_add(h, r->header[i].name, r->header[i].value);
    mcp_headers_configured(h, w->wire.c->spec);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void on_sse_wire_closed(struct post *post)
{
    struct sse_wire *w = CONTAINER_OF(post, struct sse_wire, post);

    mcp_wire_closed(&w->wire);
    arena_fini(&w->mem);
    mem_free(w);
}

static void sse_wire_drop(struct sse_wire *w, struct mcp_exchange *x)
{
    mcp_exchange_free(x);
    if (!w->wire.closing || w->list)
        return;
    w->post.fn = on_sse_wire_closed;
    loop_post(sse_wire_loop(w), &w->post);
}

static void sse_wire_broken(struct sse_wire *w, int status, const struct err *e)
{
    timer_clear(sse_wire_loop(w), &w->patience);
    if (!w->wire.closing)
        mcp_wire_failed(&w->wire, status, e);
}

/* ---- the endpoint ---------------------------------------------------------------------------- */

static bool read_endpoint(struct sse_wire *w, struct str said, struct err *e)
{
    const struct curl_api *api;
    struct http_url base, url;

    if (!curl_api_open(&api, e) ||
        !http_url_read(api, &w->mem, str_of(w->wire.c->spec->url), NULL, &base, e) ||
        !http_url_read(api, &w->mem, str_trim(said), &base, &url, e))
        return fail_in(e, "server %s: its endpoint", w->wire.c->spec->name);
    if (!http_url_same_origin(&base, &url))
        return mcp_client_fail(w->wire.c, e, ERR_DENIED,
                               "at " STR_FMT " names an endpoint at another origin, " STR_FMT,
                               STR_ARG(http_url_host(w->wire.c->spec->url)), STR_ARG(url.host));
    w->endpoint = url.text;
    return true;
}

static bool on_sse_event(struct rpc_exchange *http, const struct sse_event *ev)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct sse_wire *w = sse_wire_of(x->wire);
    struct err e;

    if (!str_eq(ev->event, STR("endpoint")))
        return false;
    if (w->endpoint.n || w->wire.closing)
        return true;
    if (!read_endpoint(w, ev->data, &e)) {
        mcp_exchange_stop(x, &e);
        return true;
    }
    timer_clear(sse_wire_loop(w), &w->patience);
    w->wire.link = &w->link;
    mcp_wire_opened(&w->wire);
    return true;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static void on_sse_head(struct rpc_exchange *http)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct err e;

    if (x->http.streams || x->http.fetch.status != 200)
        return;
    mcp_client_fail(x->wire->c, &e, ERR_INVALID,
                    "at " STR_FMT " did not answer GET with an event stream",
                    STR_ARG(http_url_host(x->wire->c->spec->url)));
    mcp_exchange_stop(x, &e);
}

static void on_stream_over(struct rpc_exchange *http, const struct err *e)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct sse_wire *w = sse_wire_of(x->wire);
    int status = x->http.streams ? 0 : x->http.fetch.status;
    struct err why;

    if (e && x->http.broke.code)
        why = *e;
    else if (e)
        mcp_client_fail(w->wire.c, &why, e->code, "failed: %s", e->text);
    else if (x->http.fetch.status != 200)
        mcp_exchange_refusal(x, &why);
    else
        mcp_client_fail(w->wire.c, &why, ERR_CLOSED, "at " STR_FMT " closed its stream",
                        STR_ARG(http_url_host(w->wire.c->spec->url)));
    w->stream = NULL;
    sse_wire_broken(w, status, &why);
    sse_wire_drop(w, x);
}

static const struct rpc_exchange_events stream_events = { on_sse_head, on_sse_event,
                                                          mcp_exchange_deliver, on_stream_over };

static void on_no_endpoint(struct timer *t)
{
    struct sse_wire *w = CONTAINER_OF(t, struct sse_wire, patience);
    struct err e;

    mcp_client_fail(w->wire.c, &e, ERR_TIMEOUT, "at " STR_FMT " names no endpoint",
                    STR_ARG(http_url_host(w->wire.c->spec->url)));
    if (w->stream)
        mcp_exchange_stop(w->stream, &e);
}

static void open_stream(struct post *post)
{
    struct sse_wire *w = CONTAINER_OF(post, struct sse_wire, post);
    struct http_header_list h = { .n = 0 };

    w->stream = mcp_exchange_new(&w->wire, &w->list, &stream_events, NULL, 0);
    http_header_add(&h, STR("Accept"), STR("text/event-stream"));
    add_sse_headers(w, NULL, &h);
    mcp_exchange_start(w->stream, "GET", str_of(w->wire.c->spec->url), &h, FETCH_NEVER);
    timer_set(sse_wire_loop(w), &w->patience, w->wire.c->world.rpc->limits->mcp_connect_ms,
              on_no_endpoint);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void on_post_over(struct rpc_exchange *http, const struct err *e)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct sse_wire *w = sse_wire_of(x->wire);
    struct err why;

    if (x->req && e) {
        mcp_client_fail(w->wire.c, &why, e->code, "failed: %s", e->text);
        rpc_out_fail(&x->req->out, &why);
    } else if (x->req && x->http.fetch.status >= 300) {
        mcp_exchange_refusal(x, &why);
        rpc_out_fail(&x->req->out, &why);
    }
    sse_wire_drop(w, x);
}

static const struct rpc_exchange_events post_events = { .on_message = mcp_exchange_deliver,
                                                        .on_over = on_post_over };

static void send_message(struct link *link, const struct str *piece, size_t n)
{
    struct sse_wire *w = CONTAINER_OF(link, struct sse_wire, link);
    struct mcp_exchange *x = mcp_exchange_new(&w->wire, &w->list, &post_events, piece, n);
    struct http_header_list h = { .n = 0 };

    x->req = w->wire.sending;
    if (x->req)
        x->req->exchange = x;
    http_header_add(&h, STR("Content-Type"), STR("application/json"));
    http_header_add(&h, STR("Accept"), STR("application/json, text/event-stream"));
    add_sse_headers(w, x->req, &h);
    mcp_exchange_start(x, "POST", w->endpoint, &h, 0);
}

static void close_nothing(struct link *link)
{
    (void)link;
}

static const struct link_kind link_kind = { .name = "sse",
                                            .send = send_message,
                                            .close = close_nothing };

/* The response arrived on the stream; the POST ends on its own. */
static void sse_wire_forget(struct mcp_wire *wire, struct mcp_req *r, bool answered)
{
    (void)wire;
    (void)answered;
    r->exchange->req = NULL;
    r->exchange = NULL;
}

static void close_sse_wire(struct mcp_wire *wire)
{
    struct sse_wire *w = sse_wire_of(wire);

    timer_clear(sse_wire_loop(w), &w->patience);
    for (struct mcp_exchange *x = mcp_exchange_next(w->list); x;
         x = mcp_exchange_next(x->http.next))
        mcp_exchange_stop(x, &(struct err){ ERR_CANCELED, "the connection is closed" });
    if (w->list)
        return;
    loop_unpost(sse_wire_loop(w), &w->post);
    w->post.fn = on_sse_wire_closed;
    loop_post(sse_wire_loop(w), &w->post);
}

static const struct mcp_wire_kind sse_kind = {
    .transport = SERVER_SSE,
    .forget = sse_wire_forget,
    .close = close_sse_wire,
};

struct mcp_wire *mcp_sse_wire_open(struct mcp_client *c)
{
    struct sse_wire *w = MEM_NEW(struct sse_wire);

    w->wire = (struct mcp_wire){ .kind = &sse_kind, .c = c };
    w->link.kind = &link_kind;
    w->post.fn = open_stream;
    loop_post(c->world.rpc->loop, &w->post);
    return &w->wire;
}
