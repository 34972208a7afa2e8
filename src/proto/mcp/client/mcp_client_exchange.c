#include "proto/mcp/client/mcp_client_exchange.h"

#include "base/container.h"
#include "base/utf8.h"
#include "proto/mcp/mcp_trace.h"

static struct mcp_exchange *of(struct fetch *f)
{
    return CONTAINER_OF(f, struct mcp_exchange, fetch);
}

static const struct limits *limits_of(const struct mcp_exchange *x)
{
    return x->wire->c->world.rpc->limits;
}

struct str mcp_host_of(const char *url)
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

static void join(struct mcp_exchange *x, struct mcp_exchange **list)
{
    x->next = *list;
    x->link = list;
    if (x->next)
        x->next->link = &x->next;
    *list = x;
}

struct mcp_exchange *mcp_exchange_new(struct mcp_wire *w, struct mcp_exchange **list,
                                      const struct mcp_exchange_events *events,
                                      const struct str *piece, size_t n)
{
    struct arena mem = arena_pool_take(&w->c->world.rpc->arenas);
    struct mcp_exchange *x = ARENA_NEW(&mem, struct mcp_exchange);
    size_t total = 0, at = 0;
    char *body;

    for (size_t i = 0; i < n; i++)
        total += piece[i].n;
    body = arena_alloc(&mem, total + 1);
    for (size_t i = 0; i < n; at += piece[i++].n)
        if (piece[i].n)
            memcpy(body + at, piece[i].p, piece[i].n);
    x->body = n ? (struct str){ body, total } : STR_NONE;
    x->mem = mem;
    x->wire = w;
    x->events = events;
    join(x, list);
    return x;
}

void mcp_exchange_free(struct mcp_exchange *x)
{
    struct rpc *rpc = x->wire->c->world.rpc;
    struct arena mem;

    timer_clear(rpc->loop, &x->timer);
    if (x->req)
        x->req->exchange = NULL;
    if (x->next)
        x->next->link = x->link;
    *x->link = x->next;
    buf_fini(&x->text);
    if (x->sse.max)
        sse_read_fini(&x->sse);
    mem = x->mem;
    arena_pool_give(&rpc->arenas, &mem); /* *x is gone with it */
}

/* ---- the answer ---------------------------------------------------------------------------- */

static void deliver(struct mcp_exchange *x, struct str text, struct buf *own)
{
    struct frame f = { FRAME_MESSAGE, text, own };
    struct mcp_client *c = x->wire->c;

    c->hearing = x->req;
    peer_receive(&c->peer, x->wire->link, &f);
    c->hearing = NULL;
}

static void on_event(const struct sse_event *ev, void *ctx)
{
    struct mcp_exchange *x = ctx;

    if (x->events->on_event && x->events->on_event(x, ev))
        return;
    if (ev->data.n && str_eq(ev->event, STR("message")) && x->wire->link && !x->wire->closing)
        deliver(x, ev->data, ev->own);
}

/* Does a header say this media type? */
static bool is_type(const struct mcp_exchange *x, struct str type)
{
    struct str s = fetch_header(&x->fetch, "Content-Type");

    return s.p && str_eq_nocase(str_trim(str_cut(&s, ';')), type);
}

static void on_head(struct fetch *f)
{
    struct mcp_exchange *x = of(f);

    x->streams = f->status == 200 && is_type(x, STR("text/event-stream"));
    if (x->events->on_head)
        x->events->on_head(x);
}

/* What belongs to an error is shown in part; what is an answer is read in full. */
static void on_bytes(struct fetch *f, struct str bytes)
{
    struct mcp_exchange *x = of(f);
    struct err e;

    if (x->streams) {
        if (!sse_read_feed(&x->sse, bytes, &e))
            mcp_exchange_stop(x, &e);
        return;
    }
    if (buf_put(&x->text, bytes))
        return;
    fail(&e, ERR_LIMIT, "the message is larger than %lld bytes (limits.message_bytes)",
         (long long)limits_of(x)->message_bytes);
    mcp_exchange_stop(x, &e);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_exchange *x = CONTAINER_OF(op, struct mcp_exchange, fetch.op);

    (void)ctx;
    x->running = false;
    if (!e && !x->streams && x->fetch.status < 300 && x->text.n && x->wire->link &&
        !x->wire->closing && is_type(x, STR("application/json")))
        deliver(x, buf_str(&x->text), &x->text);
    x->events->on_over(x, x->broke.code ? &x->broke : e);
}

/* ---- the request ---------------------------------------------------------------------------- */

void mcp_headers_add(struct mcp_headers *h, const char *name, struct str value)
{
    if (value.p && h->n < MCP_EXCHANGE_HEADERS)
        h->h[h->n++] = (struct http_header){ str_of(name), value };
}

void mcp_headers_configured(struct mcp_headers *h, const struct server_spec *spec)
{
    for (size_t i = 0; i < spec->headers && h->n < MCP_EXCHANGE_HEADERS; i++)
        h->h[h->n++] = (struct http_header){ spec->header[i].name, spec->header[i].value };
}

static bool has_trace(const struct mcp_headers *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (mcp_trace_names(h->h[i].name))
            return true;
    return false;
}

static void add_own_trace(struct mcp_exchange *x, struct mcp_headers *h)
{
    struct mcp_trace_header traced[MCP_TRACE_HEADERS];
    size_t n = mcp_trace_headers(&x->mem, &x->wire->c->own_trace, traced);

    for (size_t i = 0; i < n; i++)
        mcp_headers_add(h, traced[i].name, traced[i].value);
}

void mcp_exchange_start(struct mcp_exchange *x, const char *method, struct str url,
                        struct mcp_headers *h, int64_t whole_ms)
{
    struct fetch_request req = {
        .method = str_of(method),
        .url = url,
        .header = h->h,
        .body = x->body,
        .zone = FETCH_CONFIGURED,
        .follow = FETCH_FOLLOW_NONE,
        .whole_ms = whole_ms,
        .idle_ms = FETCH_NEVER,
        .body_bytes = FETCH_NEVER,
        .mem = &x->mem,
        .on_head = on_head,
        .on_bytes = on_bytes,
    };
    size_t most = (size_t)limits_of(x)->message_bytes;

    if (!has_trace(h))
        add_own_trace(x, h);
    req.headers = h->n;
    if (x->sse.max)
        sse_read_fini(&x->sse);
    sse_read_init(&x->sse, most, on_event, x);
    buf_fini(&x->text);
    buf_init(&x->text, most);
    x->streams = false;
    x->broke.code = ERR_NONE;
    x->running = true;
    fetch_start(&x->fetch, x->wire->c->world.http, NULL, &req, on_done, x);
}

void mcp_exchange_stop(struct mcp_exchange *x, const struct err *why)
{
    if (!x->running || x->broke.code)
        return;
    x->broke = *why;
    op_cancel(&x->fetch.op);
}

/* ---- refusals ------------------------------------------------------------------------------ */

/* What the body says for a person: the message of a JSON-RPC error, or its first words. */
static struct str reason(struct mcp_exchange *x, struct arena *mem)
{
    struct json_opts opts = limits_json(limits_of(x));
    struct json root, error;
    struct str said;
    int64_t code;
    struct err e;

    if (!json_read(mem, buf_str(&x->text), &opts, &root, &e))
        return str_trim(utf8_head(buf_str(&x->text), utf8_valid(str_head(buf_str(&x->text), 80))));
    error = json_get(root, STR("error"));
    said = json_str(mem, json_get(error, STR("message")));
    if (x->req && json_int(json_get(error, STR("code")), &code))
        x->req->code = (int)code;
    return said.p ? utf8_head(said, 120) : STR_NONE;
}

static bool sends_token(const struct server_spec *spec)
{
    for (size_t i = 0; i < spec->headers; i++)
        if (str_eq_nocase(spec->header[i].name, STR("Authorization")))
            return true;
    return false;
}

/* What a person can do about it; in front of what the server said, which may be long. */
static const char *remedy(const struct mcp_exchange *x)
{
    if (x->fetch.status != 401 && x->fetch.status != 403)
        return "";
    if (sends_token(x->wire->c->spec))
        return "; it did not accept the token in `headers` of its entry";
    return "; OAuth login is not available yet: put a token into `headers` of its entry";
}

void mcp_exchange_refusal(struct mcp_exchange *x, struct err *e)
{
    struct mcp_client *c = x->wire->c;
    int status = x->fetch.status;
    struct arena mem = { 0 };
    struct str said = reason(x, &mem);

    if (x->req)
        x->req->status = status;
    mcp_client_fail(c, e, status == 401 || status == 403 ? ERR_DENIED : ERR_CLOSED,
                    "at " STR_FMT " answered HTTP %d (%s)%s%s" STR_FMT,
                    STR_ARG(mcp_host_of(c->spec->url)), status, http_status_text(status), remedy(x),
                    said.n ? ": " : "", STR_ARG(said));
    arena_fini(&mem);
}
