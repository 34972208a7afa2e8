/*
 * mcp_client_http.c - Streamable HTTP as a wire, in both eras.
 *
 * Every message we send is a POST, and its answer a JSON document or a stream of events.
 *
 * Modern: nothing else. Headers repeat parts of the body; closing a stream cancels its request.
 *
 * Legacy: a server may assign a session, which every request then names. Its states:
 *
 *   lost      the server has answered 404, or a 400 whose text names the session, as the TypeScript
 *             examples do after a restart. The server has not executed that request: the request
 *             waits (parked), the client repeats the handshake, and the request is sent one more
 *             time. New requests wait, too
 *   settling  after initialize, requests wait until notifications/initialized is complete, because
 *             POSTs may overtake each other. They also wait until the server has answered the GET
 *             below, but not for long: questions that it sends before that would be lost
 *   over      we have sent DELETE, because we close
 *
 * If a stream ends before its answer, it is resumed by GET with the id of its last event, after the
 * delay that the server named. Another GET stream is for messages that belong to no request; a
 * question of the server may arrive there even if a request has caused it. A 404 to that GET means
 * a lost session only if the stream was open before: many servers support only POST.
 */
#include "base/container.h"
#include "base/mem.h"
#include "proto/mcp/client/mcp_client_exchange.h"

enum {
    RETRY_MS = 1000,
    RETRY_LEAST_MS = 10,  /* minimum of the server's retry delay: while a request waits, */
    NEWS_LEAST_MS = 1000, /* and while none waits */
    LINGER_MS = 1000,
    GOODBYE_MS = 2000,
    NEWS_HEAD_MS = 500, /* some servers answer a GET only with their first event */
};

struct http_wire {
    struct mcp_wire wire; /* first */
    struct link link;
    struct rpc_exchange *list;
    struct mcp_exchange *settling; /* notifications/initialized */
    struct mcp_exchange *news;     /* the GET stream */
    bool had_news;                 /* the session has such a stream */
    bool awaiting;                 /* waiting for the response to that GET */
    struct timer patience;         /* limits that wait */
    struct buf session;            /* empty: none */
    bool holding;                  /* requests wait for a session */
    unsigned epoch;                /* sessions lost so far */
    struct post post;              /* reports that the wire is open, later that it is closed */
};

static struct http_wire *http_wire_of(struct mcp_wire *w)
{
    return CONTAINER_OF(w, struct http_wire, wire);
}

static struct loop *http_wire_loop(const struct http_wire *w)
{
    return w->wire.c->world.rpc->loop;
}

/* ---- requests ------------------------------------------------------------------------------ */

static void add_mcp_headers(struct http_wire *w, const struct mcp_req *r,
                            struct http_header_list *h)
{
    struct mcp_client *c = w->wire.c;
    bool greets = r && r->greeting;

    if (c->modern)
        http_header_add(h, STR("MCP-Protocol-Version"), mcp_modern_name());
    else if (!greets)
        http_header_add(h, STR("MCP-Protocol-Version"), c->version);
    if (w->session.n && !greets)
        http_header_add(h, STR("Mcp-Session-Id"), buf_str(&w->session));
    if (c->modern && r) {
        http_header_add(h, STR("Mcp-Method"), str_of(r->method));
        http_header_add(h, STR("Mcp-Name"), r->name);
    }
    for (size_t i = 0; r && i < r->headers; i++)
        http_header_add(h, r->header[i].name, r->header[i].value);
    mcp_headers_configured(h, c->spec);
}

static void send_post(struct http_wire *w, struct mcp_exchange *x)
{
    struct http_header_list h = { .n = 0 };

    http_header_add(&h, STR("Content-Type"), STR("application/json"));
    http_header_add(&h, STR("Accept"), STR("application/json, text/event-stream"));
    add_mcp_headers(w, x->req, &h);
    x->epoch = w->epoch;
    mcp_exchange_start(x, "POST", str_of(w->wire.c->spec->url), &h, FETCH_NEVER);
}

/* Send a GET: resume a stream after its last event, or open a new one. */
static void send_get(struct http_wire *w, struct mcp_exchange *x)
{
    struct http_header_list h = { .n = 0 };

    http_header_add(&h, STR("Accept"), STR("text/event-stream"));
    if (x->last_id.n)
        http_header_add(&h, STR("Last-Event-ID"), x->last_id);
    add_mcp_headers(w, NULL, &h);
    x->epoch = w->epoch;
    mcp_exchange_start(x, "GET", str_of(w->wire.c->spec->url), &h, FETCH_NEVER);
}

/* Each retry uses a new exchange, because the memory of one would grow with every try. */
static void on_get_time(struct timer *t)
{
    struct mcp_exchange *old = CONTAINER_OF(t, struct mcp_exchange, timer);
    struct http_wire *w = http_wire_of(old->wire);
    struct mcp_exchange *x = mcp_exchange_new(&w->wire, &w->list, old->http.events, NULL, 0);

    x->last_id = old->last_id.n ? arena_str(&x->http.mem, old->last_id) : STR_NONE;
    x->req = old->req;
    if (x->req)
        x->req->exchange = x;
    old->req = NULL;
    if (w->news == old)
        w->news = x;
    mcp_exchange_free(old);
    send_get(w, x);
}

static void get_later(struct http_wire *w, struct mcp_exchange *x, int64_t ms, int64_t least)
{
    struct str id = sse_read_last_id(&x->http.sse);

    if (x->http.streams && id.n)
        x->last_id = arena_str(&x->http.mem, id);
    timer_set(http_wire_loop(w), &x->timer, ms > least ? ms : least, on_get_time);
}

static int64_t pause_of(const struct mcp_exchange *x, int64_t preset)
{
    return x->http.sse.retry_ms >= 0 ? x->http.sse.retry_ms : preset;
}

/* ---- the end of an exchange ----------------------------------------------------------------- */

static void on_http_wire_closed(struct post *post)
{
    struct http_wire *w = CONTAINER_OF(post, struct http_wire, post);

    if (w->list)
        return; /* a DELETE was sent meanwhile; its end calls this again */
    timer_clear(http_wire_loop(w), &w->patience);
    mcp_wire_closed(&w->wire);
    buf_fini(&w->session);
    mem_free(w);
}

static void check_closed(struct http_wire *w)
{
    if (!w->wire.closing || w->list)
        return;
    w->post.fn = on_http_wire_closed;
    loop_post(http_wire_loop(w), &w->post);
}

static void send_parked(struct http_wire *w)
{
    w->holding = false;
    for (struct mcp_exchange *x = mcp_exchange_next(w->list); x;
         x = mcp_exchange_next(x->http.next)) {
        if (!x->parked)
            continue;
        x->parked = false;
        send_post(w, x);
    }
}

/* The session is settled when notifications/initialized was sent and the GET stream is open. */
static void check_settled(struct http_wire *w)
{
    if (!w->settling && !w->awaiting && !w->wire.closing)
        send_parked(w);
}

static void news_answered(struct http_wire *w)
{
    if (!w->awaiting)
        return;
    w->awaiting = false;
    timer_clear(http_wire_loop(w), &w->patience);
    check_settled(w);
}

static void on_patience(struct timer *t)
{
    news_answered(CONTAINER_OF(t, struct http_wire, patience));
}

static void http_wire_drop(struct http_wire *w, struct mcp_exchange *x)
{
    bool settled = x == w->settling;

    if (x == w->news)
        w->news = NULL;
    if (settled)
        w->settling = NULL;
    mcp_exchange_free(x);
    if (settled)
        check_settled(w);
    check_closed(w);
}

static void fail_and_drop(struct http_wire *w, struct mcp_exchange *x, const struct err *e)
{
    if (x->req)
        rpc_out_fail(&x->req->out, e);
    http_wire_drop(w, x);
}

/* ---- sessions ------------------------------------------------------------------------------- */

static void note_session(struct rpc_exchange *http)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct http_wire *w = http_wire_of(x->wire);
    struct str id = fetch_header(&x->http.fetch, "Mcp-Session-Id");

    if (!x->req || !x->req->greeting || x->http.fetch.status != 200)
        return;
    buf_clear(&w->session);
    if (id.p)
        buf_put(&w->session, id);
}

static bool names_session(struct str said)
{
    struct str word = STR("session");

    for (said = str_head(said, 1000); said.n >= word.n; said = str_skip(said, 1))
        if (str_eq_nocase(str_head(said, word.n), word))
            return true;
    return false;
}

static bool lost_session(const struct http_wire *w, const struct mcp_exchange *x)
{
    int status = x->http.fetch.status;

    return (status == 404 || (status == 400 && names_session(buf_str(&x->http.text)))) &&
           (w->session.n || w->holding) && !w->wire.c->modern;
}

/* Wait for a new session. The first request that notices the loss starts the handshake. */
static void session_renew(struct http_wire *w, const struct mcp_exchange *x)
{
    if (w->holding || x->epoch != w->epoch)
        return;
    w->holding = true;
    w->had_news = false;
    w->awaiting = false;
    timer_clear(http_wire_loop(w), &w->patience);
    w->epoch++;
    buf_clear(&w->session);
    mcp_wire_session_lost(&w->wire);
}

static void park_request(struct http_wire *w, struct mcp_exchange *x)
{
    x->resent = true;
    x->parked = true;
    if (x->epoch != w->epoch && !w->holding) {
        x->parked = false;
        send_post(w, x); /* there is a new session already */
        return;
    }
    session_renew(w, x);
}

static void open_news(struct http_wire *w);

static void on_session_renewed(struct mcp_wire *wire, const struct err *e)
{
    struct http_wire *w = http_wire_of(wire);
    struct mcp_exchange *next;

    if (!e) {
        open_news(w);
        check_settled(w);
        return;
    }
    w->holding = false;
    for (struct mcp_exchange *x = mcp_exchange_next(w->list); x; x = next) {
        next = mcp_exchange_next(x->http.next);
        if (x->parked)
            fail_and_drop(w, x, e);
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

/* A refusal that is a response to our request settles it; otherwise the status is reported. */
static void fail_refused(struct http_wire *w, struct mcp_exchange *x)
{
    struct str text = buf_str(&x->http.text), id = rpc_salvage_id(str_head(text, FRAME_SALVAGE));
    bool ours = id.p && peer_find_out(&w->wire.c->peer, id) == &x->req->out;
    struct err e;

    mcp_exchange_refusal(x, &e);
    if (ours && (x->http.fetch.status == 400 || x->http.fetch.status == 404)) {
        struct frame f = { FRAME_MESSAGE, text, NULL };

        peer_receive(&w->wire.c->peer, &w->link, &f);
    }
    fail_and_drop(w, x, &e);
}

/*
 * A server that was connected and cannot be reached any more is lost: the owner is notified and
 * retries. During the handshake, the failed request reports it.
 */
static bool is_server_lost(const struct http_wire *w, const struct mcp_exchange *x)
{
    const struct mcp_client *c = w->wire.c;

    return x->http.fetch.unreached && c->step == STEP_READY && !c->renewing;
}

/* The stream ended without the answer. */
static void fail_unanswered(struct http_wire *w, struct mcp_exchange *x, const struct err *e)
{
    bool lost = is_server_lost(w, x);
    struct err broken;

    if (x->http.streams && !w->wire.c->modern && sse_read_last_id(&x->http.sse).n &&
        (!e || e->code == ERR_CLOSED)) {
        get_later(w, x, pause_of(x, RETRY_MS), RETRY_LEAST_MS);
        return;
    }
    x->req->status = e ? 0 : x->http.fetch.status;
    if (!e)
        mcp_client_fail(w->wire.c, &broken, ERR_CLOSED,
                        "at " STR_FMT " ended its answer (HTTP %d) without the response",
                        STR_ARG(http_url_host(w->wire.c->spec->url)), x->http.fetch.status);
    else
        mcp_client_fail(w->wire.c, &broken, e->code, "failed: %s", e->text);
    fail_and_drop(w, x, &broken);
    if (lost)
        mcp_wire_failed(&w->wire, 0, &broken);
}

static void on_post_over(struct rpc_exchange *http, const struct err *e)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct http_wire *w = http_wire_of(x->wire);

    timer_clear(http_wire_loop(w), &x->timer);
    if (w->wire.closing) {
        http_wire_drop(w, x);
    } else if (!x->req) {
        if (!e && lost_session(w, x))
            session_renew(w, x);
        http_wire_drop(w, x);
    } else if (x->req->out.op.settled) {
        http_wire_drop(w, x);
    } else if (!e && lost_session(w, x) && !x->resent && !x->req->greeting) {
        if (x->http.body.p)
            park_request(w, x);
        else
            fail_refused(w, x);
    } else if (!e && x->http.fetch.status >= 300) {
        fail_refused(w, x);
    } else {
        fail_unanswered(w, x, e);
    }
}

static const struct rpc_exchange_events post_events = { .on_message = mcp_exchange_deliver,
                                                        .on_head = note_session,
                                                        .on_over = on_post_over };

/* ---- the GET stream -------------------------------------------------------------------------- */

static void on_news(struct rpc_exchange *http)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    if (x->http.streams)
        http_wire_of(x->wire)->had_news = true;
    news_answered(http_wire_of(x->wire));
}

static void on_news_over(struct rpc_exchange *http, const struct err *e)
{
    struct mcp_exchange *x = mcp_exchange_of(http);
    struct http_wire *w = http_wire_of(x->wire);
    int64_t pause = w->wire.c->world.rpc->limits->mcp_relisten_ms;
    struct err broken;

    news_answered(w);
    if (e && !w->wire.closing && is_server_lost(w, x)) {
        mcp_client_fail(w->wire.c, &broken, e->code, "failed: %s", e->text);
        http_wire_drop(w, x);
        mcp_wire_failed(&w->wire, 0, &broken);
        return;
    }
    if (!w->wire.closing && (e || x->http.fetch.status == 200 || x->http.fetch.status >= 500)) {
        get_later(w, x, pause_of(x, pause), NEWS_LEAST_MS);
        return;
    }
    if (!w->wire.closing && w->had_news && lost_session(w, x))
        session_renew(w, x);
    http_wire_drop(w, x);
}

static const struct rpc_exchange_events news_events = { .on_message = mcp_exchange_deliver,
                                                        .on_head = on_news,
                                                        .on_over = on_news_over };

static void open_news(struct http_wire *w)
{
    if (w->news || !w->session.n)
        return;
    w->news = mcp_exchange_new(&w->wire, &w->list, &news_events, NULL, 0);
    w->awaiting = true;
    timer_set(http_wire_loop(w), &w->patience, NEWS_HEAD_MS, on_patience);
    send_get(w, w->news);
}

static void on_greeted(struct mcp_wire *wire)
{
    if (!wire->c->modern)
        open_news(http_wire_of(wire));
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send_message(struct link *link, const struct str *piece, size_t n)
{
    struct http_wire *w = CONTAINER_OF(link, struct http_wire, link);
    struct mcp_client *c = w->wire.c;
    struct mcp_req *r = w->wire.sending;
    struct mcp_exchange *x;

    if (!r && c->modern)
        return; /* a modern server gets requests only */
    x = mcp_exchange_new(&w->wire, &w->list, &post_events, piece, n);
    x->req = r;
    if (r)
        r->exchange = x;
    x->parked = r && !r->greeting && w->holding;
    if (!r && (c->step == STEP_GREETING || c->renewing)) {
        w->settling = x;
        w->holding = true;
    }
    if (!x->parked)
        send_post(w, x);
}

static void close_nothing(struct link *link)
{
    (void)link;
}

static const struct link_kind link_kind = { .name = "http",
                                            .send = send_message,
                                            .close = close_nothing };

static void on_linger(struct timer *t)
{
    struct mcp_exchange *x = CONTAINER_OF(t, struct mcp_exchange, timer);

    mcp_exchange_stop(x, &(struct err){ ERR_CANCELED, "the response has arrived" });
}

/* A request with a response may end normally, so that its connection can be reused. */
static void http_wire_forget(struct mcp_wire *wire, struct mcp_req *r, bool answered)
{
    struct mcp_exchange *x = r->exchange;

    r->exchange = NULL;
    x->req = NULL;
    if (!x->http.running)
        http_wire_drop(http_wire_of(wire), x);
    else if (answered)
        timer_set(http_wire_loop(http_wire_of(wire)), &x->timer, LINGER_MS, on_linger);
    else
        mcp_exchange_stop(x, &(struct err){ ERR_CANCELED, "the caller no longer waits" });
}

/* ---- life ------------------------------------------------------------------------------------ */

static void say_goodbye(struct http_wire *w)
{
    struct mcp_exchange *x = mcp_exchange_new(&w->wire, &w->list, &post_events, NULL, 0);
    struct http_header_list h = { .n = 0 };

    add_mcp_headers(w, NULL, &h);
    mcp_exchange_start(x, "DELETE", str_of(w->wire.c->spec->url), &h, GOODBYE_MS);
}

static void close_http_wire(struct mcp_wire *wire)
{
    struct http_wire *w = http_wire_of(wire);
    struct mcp_exchange *next;
    struct err gone = { ERR_CANCELED, "the connection is closed" };

    for (struct mcp_exchange *x = mcp_exchange_next(w->list); x; x = next) {
        next = mcp_exchange_next(x->http.next);
        if (x->http.running)
            mcp_exchange_stop(x, &gone);
        else
            http_wire_drop(w, x);
    }
    if (w->session.n && !w->holding && !wire->c->modern)
        say_goodbye(w);
    check_closed(w);
}

static const struct mcp_wire_kind http_kind = {
    .transport = SERVER_HTTP,
    .forget = http_wire_forget,
    .greeted = on_greeted,
    .renewed = on_session_renewed,
    .close = close_http_wire,
};

static void on_http_wire_opened(struct post *post)
{
    mcp_wire_opened(&CONTAINER_OF(post, struct http_wire, post)->wire);
}

struct mcp_wire *mcp_http_wire_open(struct mcp_client *c)
{
    struct http_wire *w = MEM_NEW(struct http_wire);

    w->wire = (struct mcp_wire){ .kind = &http_kind, .c = c, .link = &w->link };
    w->link.kind = &link_kind;
    buf_init(&w->session, 4096);
    w->post.fn = on_http_wire_opened;
    loop_post(c->world.rpc->loop, &w->post);
    return &w->wire;
}
