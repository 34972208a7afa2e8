#include "proto/mcp/client/mcp_client_exchange.h"

#include "proto/mcp/mcp_trace.h"

struct mcp_exchange *mcp_exchange_new(struct mcp_wire *w, struct rpc_exchange **list,
                                      const struct rpc_exchange_events *events,
                                      const struct str *piece, size_t n)
{
    struct mcp_exchange *x = rpc_exchange_new(sizeof(*x), w->c->world.rpc, list, events, piece, n);

    x->wire = w;
    return x;
}

void mcp_exchange_free(struct mcp_exchange *x)
{
    timer_clear(x->http.rpc->loop, &x->timer);
    if (x->req)
        x->req->exchange = NULL;
    rpc_exchange_free(&x->http);
}

void mcp_exchange_deliver(struct rpc_exchange *http, const struct frame *frame)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct mcp_client *c = x->wire->c;

    if (!x->wire->link || x->wire->closing)
        return;
    c->hearing = x->req;
    peer_receive(&c->peer, x->wire->link, frame);
    c->hearing = NULL;
}

/* ---- the request ------------------------------------------------------------------------- */

void mcp_headers_configured(struct http_header_list *h, const struct server_spec *spec)
{
    for (size_t i = 0; i < spec->headers; i++)
        http_header_add(h, spec->header[i].name, spec->header[i].value);
}

static bool has_trace_header(const struct http_header_list *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (mcp_trace_names(h->h[i].name))
            return true;
    return false;
}

static void add_own_trace(struct mcp_exchange *x, struct http_header_list *h)
{
    struct mcp_trace_header traced[MCP_TRACE_HEADERS];
    size_t n = mcp_trace_headers(&x->http.mem, &x->wire->c->own_trace, traced);

    for (size_t i = 0; i < n; i++)
        http_header_add(h, str_of(traced[i].name), traced[i].value);
}

void mcp_exchange_start(struct mcp_exchange *x, const char *method, struct str url,
                        struct http_header_list *h, int64_t whole_ms)
{
    if (!has_trace_header(h))
        add_own_trace(x, h);
    rpc_exchange_start(&x->http, x->wire->c->world.http, method, url, h, whole_ms);
}

void mcp_exchange_stop(struct mcp_exchange *x, const struct err *why)
{
    rpc_exchange_stop(&x->http, why);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static bool sends_token(const struct server_spec *spec)
{
    for (size_t i = 0; i < spec->headers; i++)
        if (str_eq_nocase(spec->header[i].name, STR("Authorization")))
            return true;
    return false;
}

/* Advice for the user. It precedes the server's reason, which may be long. */
static const char *refusal_remedy(const struct mcp_exchange *x)
{
    if (x->http.fetch.status != 401 && x->http.fetch.status != 403)
        return "";
    if (sends_token(x->wire->c->spec))
        return "; it did not accept the token in `headers` of its entry";
    return "; OAuth login is not available yet: put a token into `headers` of its entry";
}

void mcp_exchange_refusal(struct mcp_exchange *x, struct err *e)
{
    struct mcp_client *c = x->wire->c;
    int status = x->http.fetch.status, code = 0;
    struct arena mem = { 0 };
    struct str said = rpc_exchange_reason(&x->http, &mem, &code);

    if (x->req) {
        x->req->status = status;
        if (code)
            x->req->code = code;
    }
    mcp_client_fail(c, e, status == 401 || status == 403 ? ERR_DENIED : ERR_CLOSED,
                    "at " STR_FMT " answered HTTP %d (%s)%s%s" STR_FMT,
                    STR_ARG(http_url_host(c->spec->url)), status, http_status_text(status),
                    refusal_remedy(x), said.n ? ": " : "", STR_ARG(said));
    arena_fini(&mem);
}
