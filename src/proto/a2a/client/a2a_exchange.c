#include "proto/a2a/client/a2a_exchange.h"

#include "base/container.h"
#include "proto/a2a/client/a2a_auth.h"
#include "proto/mcp/mcp_trace.h"

static struct a2a_exchange *exchange_of(struct fetch *f)
{
    return CONTAINER_OF(f, struct a2a_exchange, fetch);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void exchange_free(struct a2a_exchange *x)
{
    buf_fini(&x->answer);
    if (x->sse.max)
        sse_read_fini(&x->sse);
    x->sse.max = 0;
}

static void exchange_fail(struct a2a_exchange *x, const struct err *e)
{
    exchange_free(x);
    op_fail(&x->op, e);
}

static void exchange_done(struct a2a_exchange *x)
{
    x->text = x->streamed ? STR_NONE : arena_str(x->mem, buf_str(&x->answer));
    exchange_free(x);
    op_ok(&x->op);
}

/* The fetch below is cancelled, too, and its end settles the op. */
static void cancel_exchange(struct op *op)
{
    (void)op;
}

static const struct op_kind exchange_kind = { .name = "a2a request", .cancel = cancel_exchange };

/* ---- headers --------------------------------------------------------------------------------- */

static void add_header(struct a2a_exchange *x, struct str name, struct str value)
{
    if (name.p && value.p && x->headers < A2A_HEADERS_MOST)
        x->header[x->headers++] = (struct http_header){ name, value };
}

static void add_trace(struct a2a_exchange *x)
{
    struct mcp_trace_header traced[MCP_TRACE_HEADERS];
    size_t n = x->trace ? mcp_trace_headers(x->mem, x->trace, traced) : 0;

    for (size_t i = 0; i < n; i++)
        add_header(x, str_of(traced[i].name), traced[i].value);
}

static const char *accepted(const struct a2a_exchange *x)
{
    return x->streams ? "text/event-stream, application/a2a+json;q=0.9, application/json;q=0.9"
                      : "application/a2a+json, application/json";
}

static void write_headers(struct a2a_exchange *x)
{
    struct http_header auth = a2a_auth_header(x->mem, x->peer);

    x->headers = 0;
    add_header(x, STR("User-Agent"), str_of(x->peer->o.user_agent));
    add_header(x, STR("Accept"), str_of(accepted(x)));
    if (x->body.p)
        add_header(x, STR("Content-Type"), STR("application/json"));
    add_header(x, STR(A2A_VERSION_HEADER), str_of(x->version));
    add_header(x, auth.name, auth.value);
    add_trace(x);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void exchange_break(struct a2a_exchange *x, const struct err *why)
{
    if (x->broke.code)
        return;
    x->broke = *why;
    op_cancel(&x->fetch.op);
}

static void on_stream_event(const struct sse_event *ev, void *ctx)
{
    struct a2a_exchange *x = ctx;

    if (ev->data.n && !x->op.canceled && !x->broke.code)
        x->on_event(x, ev->data);
}

static void on_head(struct fetch *f)
{
    struct a2a_exchange *x = exchange_of(f);
    struct str type = fetch_header(f, "Content-Type");

    x->status = f->status;
    x->streamed = x->streams && f->status == 200 && type.p &&
                  str_eq_nocase(str_trim(str_cut(&type, ';')), STR("text/event-stream"));
}

static void on_bytes(struct fetch *f, struct str bytes)
{
    struct a2a_exchange *x = exchange_of(f);
    struct err e;

    if (x->streamed) {
        if (!sse_read_feed(&x->sse, bytes, &e))
            exchange_break(x, &e);
        return;
    }
    if (buf_put(&x->answer, bytes))
        return;
    fail(&e, ERR_LIMIT, "the answer of the agent is larger than %lld bytes (limits.message_bytes)",
         (long long)x->peer->o.limits->message_bytes);
    exchange_break(x, &e);
}

static void exchange_begin(struct a2a_exchange *x);

/* A token may have been revoked before it expires. */
static bool wants_new_token(const struct a2a_exchange *x)
{
    return x->status == 401 && x->peer->spec.auth == REMOTE_AUTH_OAUTH && !x->retried &&
           !x->op.canceled;
}

static void on_fetched(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_exchange *x = ctx;

    (void)op;
    x->unreached = e && x->fetch.unreached;
    if (x->broke.code || e) {
        exchange_fail(x, x->broke.code ? &x->broke : e);
    } else if (wants_new_token(x)) {
        x->retried = true;
        a2a_token_drop(x->peer);
        exchange_begin(x);
    } else {
        exchange_done(x);
    }
}

static void exchange_ask(struct a2a_exchange *x)
{
    const struct a2a_peer *p = x->peer;
    size_t most = (size_t)p->o.limits->message_bytes;
    struct fetch_request req = {
        .method = str_of(x->method),
        .url = a2a_auth_url(x->mem, p, x->url),
        .header = x->header,
        .body = x->body,
        .zone = p->o.zone,
        .policy = p->o.policy,
        .follow = FETCH_FOLLOW_ORIGIN,
        .whole_ms = x->whole_ms,
        .idle_ms = x->streams ? p->o.limits->a2a_stream_idle_ms : 0,
        .body_bytes = FETCH_NEVER, /* events and answers have limits of their own */
        .mem = x->mem,
        .on_head = on_head,
        .on_bytes = on_bytes,
    };

    exchange_free(x);
    buf_init(&x->answer, most);
    sse_read_init(&x->sse, most, on_stream_event, x);
    write_headers(x);
    req.headers = x->headers;
    x->status = 0;
    x->streamed = false;
    fetch_start(&x->fetch, p->o.http, &x->op, &req, on_fetched, x);
}

/* ---- the token ------------------------------------------------------------------------------- */

static void on_token(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_exchange *x = ctx;
    struct err why;

    (void)op;
    if (e) {
        why = *e;
        fail_in(&why, "cannot get an access token");
        exchange_fail(x, &why);
    } else if (!a2a_token_read(x->peer, x->fetch.status, x->fetch.body, &why)) {
        exchange_fail(x, &why);
    } else {
        exchange_ask(x);
    }
}

/* The user has configured the endpoint; the secret is sent to no redirect. */
static void exchange_get_token(struct a2a_exchange *x)
{
    const struct a2a_peer *p = x->peer;
    const struct fetch_request req = {
        .method = STR("POST"),
        .url = p->spec.token_url,
        .header = x->header,
        .headers = 3,
        .body = a2a_token_body(x->mem, p),
        .zone = FETCH_CONFIGURED,
        .follow = FETCH_FOLLOW_NONE,
        .mem = x->mem,
    };

    x->header[0] =
        (struct http_header){ STR("Content-Type"), STR("application/x-www-form-urlencoded") };
    x->header[1] = (struct http_header){ STR("Accept"), STR("application/json") };
    x->header[2] = a2a_token_header(x->mem, p);
    fetch_start(&x->fetch, p->o.http, &x->op, &req, on_token, x);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static void exchange_begin(struct a2a_exchange *x)
{
    if (a2a_auth_needs_token(x->peer))
        exchange_get_token(x);
    else
        exchange_ask(x);
}

void a2a_exchange_start(struct a2a_exchange *x, struct op *parent, op_done_fn *done, void *ctx)
{
    op_begin(&x->op, &exchange_kind, x->peer->o.loop, parent, done, ctx);
    exchange_begin(x);
}
