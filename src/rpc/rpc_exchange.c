#include "rpc/rpc_exchange.h"

#include "base/container.h"
#include "base/utf8.h"

static struct rpc_exchange *rpc_exchange_of(struct fetch *f)
{
    return CONTAINER_OF(f, struct rpc_exchange, fetch);
}

struct str http_url_host(const char *url)
{
    struct str s = str_of(url);
    ptrdiff_t at = str_find(s, STR("://"));

    if (at >= 0)
        s = str_skip(s, (size_t)at + 3);
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '/' || s.p[i] == '?' || s.p[i] == '#')
            return str_head(s, i);
    return s;
}

/* ---- life -------------------------------------------------------------------------------- */

static void join_list(struct rpc_exchange *x, struct rpc_exchange **list)
{
    x->next = *list;
    x->link = list;
    if (x->next)
        x->next->link = &x->next;
    *list = x;
}

static struct str copy_body(struct arena *mem, const struct str *piece, size_t n)
{
    size_t total = 0, at = 0;
    char *body;

    for (size_t i = 0; i < n; i++)
        total += piece[i].n;
    body = arena_alloc(mem, total + 1);
    for (size_t i = 0; i < n; at += piece[i++].n)
        if (piece[i].n)
            memcpy(body + at, piece[i].p, piece[i].n);
    return n ? (struct str){ body, total } : STR_NONE;
}

void *rpc_exchange_new(size_t size, struct rpc *rpc, struct rpc_exchange **list,
                       const struct rpc_exchange_events *events, const struct str *piece, size_t n)
{
    struct arena mem = arena_pool_take(&rpc->arenas);
    struct rpc_exchange *x = memset(arena_alloc(&mem, size), 0, size);

    x->body = copy_body(&mem, piece, n);
    x->mem = mem;
    x->rpc = rpc;
    x->events = events;
    join_list(x, list);
    return x;
}

void rpc_exchange_free(struct rpc_exchange *x)
{
    struct rpc *rpc = x->rpc;
    struct arena mem;

    if (x->next)
        x->next->link = x->link;
    *x->link = x->next;
    buf_fini(&x->text);
    if (x->sse.max)
        sse_read_fini(&x->sse);
    mem = x->mem;
    arena_pool_give(&rpc->arenas, &mem); /* also frees *x */
}

/* ---- the answer -------------------------------------------------------------------------- */

static void deliver_message(struct rpc_exchange *x, struct str text, struct buf *own)
{
    x->events->on_message(x, &(struct frame){ FRAME_MESSAGE, text, own });
}

static void on_exchange_event(const struct sse_event *ev, void *ctx)
{
    struct rpc_exchange *x = ctx;

    if (x->events->on_event && x->events->on_event(x, ev))
        return;
    if (ev->data.n && str_eq(ev->event, STR("message")))
        deliver_message(x, ev->data, ev->own);
}

static bool has_content_type(const struct rpc_exchange *x, struct str type)
{
    struct str s = fetch_header(&x->fetch, "Content-Type");

    return s.p && str_eq_nocase(str_trim(str_cut(&s, ';')), type);
}

static void on_exchange_head(struct fetch *f)
{
    struct rpc_exchange *x = rpc_exchange_of(f);

    x->streams = f->status == 200 && has_content_type(x, STR("text/event-stream"));
    if (x->events->on_head)
        x->events->on_head(x);
}

static void on_exchange_bytes(struct fetch *f, struct str bytes)
{
    struct rpc_exchange *x = rpc_exchange_of(f);
    struct err e;

    if (x->streams) {
        if (!sse_read_feed(&x->sse, bytes, &e))
            rpc_exchange_stop(x, &e);
        return;
    }
    if (buf_put(&x->text, bytes))
        return;
    fail(&e, ERR_LIMIT, "the message is larger than %lld bytes (limits.message_bytes)",
         (long long)x->rpc->limits->message_bytes);
    rpc_exchange_stop(x, &e);
}

static void on_exchange_done(struct op *op, const struct err *e, void *ctx)
{
    struct rpc_exchange *x = ctx;

    (void)op;
    x->running = false;
    if (!e && !x->streams && x->fetch.status < 300 && x->text.n &&
        has_content_type(x, STR("application/json")))
        deliver_message(x, buf_str(&x->text), &x->text);
    x->events->on_over(x, x->broke.code ? &x->broke : e);
}

/* ---- the request ------------------------------------------------------------------------- */

void http_header_add(struct http_header_list *h, struct str name, struct str value)
{
    if (value.p && h->n < RPC_EXCHANGE_HEADERS)
        h->h[h->n++] = (struct http_header){ name, value };
}

void rpc_exchange_start(struct rpc_exchange *x, struct http_client *client, const char *method,
                        struct str url, const struct http_header_list *h, int64_t whole_ms)
{
    struct fetch_request req = {
        .method = str_of(method),
        .url = url,
        .header = h->h,
        .headers = h->n,
        .body = x->body,
        .zone = FETCH_CONFIGURED,
        .follow = FETCH_FOLLOW_ORIGIN,
        .whole_ms = whole_ms,
        .idle_ms = FETCH_NEVER,
        .body_bytes = FETCH_NEVER,
        .mem = &x->mem,
        .on_head = on_exchange_head,
        .on_bytes = on_exchange_bytes,
    };
    size_t max = (size_t)x->rpc->limits->message_bytes;

    if (x->sse.max)
        sse_read_fini(&x->sse);
    sse_read_init(&x->sse, max, on_exchange_event, x);
    buf_fini(&x->text);
    buf_init(&x->text, max);
    x->streams = false;
    x->broke.code = ERR_NONE;
    x->running = true;
    fetch_start(&x->fetch, client, NULL, &req, on_exchange_done, x);
}

void rpc_exchange_stop(struct rpc_exchange *x, const struct err *why)
{
    if (!x->running || x->broke.code)
        return;
    x->broke = *why;
    op_cancel(&x->fetch.op);
}

struct str rpc_exchange_reason(const struct rpc_exchange *x, struct arena *mem, int *code)
{
    struct json_opts opts = limits_json(x->rpc->limits);
    struct str text = buf_str(&x->text), said;
    struct json root, error;
    int64_t number;
    struct err e;

    if (!json_read(mem, text, &opts, &root, &e))
        return str_trim(utf8_head(text, utf8_valid(str_head(text, 80))));
    error = json_get(root, STR("error"));
    said = json_str(mem, json_get(error, STR("message")));
    if (json_int(json_get(error, STR("code")), &number))
        *code = (int)number;
    return said.p ? utf8_head(said, 120) : STR_NONE;
}
