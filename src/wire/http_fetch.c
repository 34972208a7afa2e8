/* http_fetch.c - a fetch from its start until it is settled. http_fetch.h describes the phases. */
#include "wire/http_fetch.h"

#include "base/container.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- settling --------------------------------------------------------------------------- */

void transfer_settle(struct transfer *t, const struct err *e)
{
    struct fetch *f = t->fetch;
    struct loop *loop = t->client->loop;

    transfer_go(t, PHASE_OVER);
    timer_clear(loop, &t->whole);
    loop_unpost(loop, &t->begin);
    reach_stop(t);
    t->fetch = NULL;
    f->transfer = NULL;
    client_bury(t->client, t); /* before the op is posted: libcurl releases it first */
    if (e)
        op_fail(&f->op, e);
    else
        op_ok(&f->op);
}

bool transfer_fail(struct transfer *t, enum err_code code, const char *fmt, ...)
{
    struct err e = { .code = code };
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(e.text, sizeof(e.text), fmt, ap);
    va_end(ap);
    transfer_settle(t, &e);
    return false;
}

static void fetch_cancel(struct op *op)
{
    struct fetch *f = CONTAINER_OF(op, struct fetch, op);

    transfer_fail(f->transfer, ERR_CANCELED, "cancelled");
}

static const struct op_kind fetch_kind = { .name = "fetch", .cancel = fetch_cancel };

/* ---- phases and deadlines --------------------------------------------------------------- */

static void time_out(struct transfer *t, int64_t ms)
{
    struct err e;

    fault_timeout(t, ms, &e);
    transfer_settle(t, &e);
}

static void on_whole(struct timer *timer)
{
    struct transfer *t = CONTAINER_OF(timer, struct transfer, whole);

    time_out(t, t->req.whole_ms);
}

static void on_connect_timeout(struct timer *timer)
{
    struct transfer *t = CONTAINER_OF(timer, struct transfer, step);

    time_out(t, t->req.connect_ms);
}

/* Sent bytes are only polled here: libcurl does not report each of them. */
static bool sent_some(struct transfer *t)
{
    curl_off_t sent = t->sent;

    t->client->api->easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (sent == t->sent)
        return false;
    t->sent = sent;
    return true;
}

/* The timer is not moved with every byte: it looks when the last one was, and waits on. */
static void on_idle(struct timer *timer)
{
    struct transfer *t = CONTAINER_OF(timer, struct transfer, step);
    int64_t now = loop_now(t->client->loop);

    if (sent_some(t))
        t->moved_at = now;
    if (now - t->moved_at >= t->req.idle_ms)
        time_out(t, t->req.idle_ms);
    else
        timer_set(t->client->loop, &t->step, t->moved_at + t->req.idle_ms - now, on_idle);
}

static void arm(struct transfer *t, int64_t ms, void (*fn)(struct timer *timer))
{
    t->moved_at = loop_now(t->client->loop);
    timer_clear(t->client->loop, &t->step);
    if (ms != FETCH_NEVER)
        timer_set(t->client->loop, &t->step, ms, fn);
}

void transfer_go(struct transfer *t, enum fetch_phase to)
{
    enum fetch_phase from = t->phase;

    t->phase = to;
    switch (to) {
    case PHASE_RESOLVING: arm(t, t->req.connect_ms, on_connect_timeout); break;
    case PHASE_CONNECTING:
        if (from > PHASE_CONNECTING) /* a kept connection was dead: libcurl makes a new one */
            arm(t, t->req.connect_ms, on_connect_timeout);
        break;
    case PHASE_ASKED: arm(t, t->req.idle_ms, on_idle); break;
    case PHASE_BODY: break;
    case PHASE_QUEUED:
    case PHASE_OVER: timer_clear(t->client->loop, &t->step); break;
    }
}

/* ---- hops ------------------------------------------------------------------------------- */

static bool open_hop(struct transfer *t, struct err *e)
{
    answer_reset(t);
    transfer_go(t, PHASE_RESOLVING);
    return client_open(t->client, t->zone, e) && reach_begin(t, e);
}

static bool open_first(struct transfer *t, struct err *e)
{
    return client_open(t->client, t->zone, e) &&
           http_url_read(t->client->api, t->req.mem, t->req.url, NULL, &t->url, e) &&
           open_hop(t, e);
}

static void on_begin(struct post *p)
{
    struct transfer *t = CONTAINER_OF(p, struct transfer, begin);
    struct err e;

    if (!open_first(t, &e))
        transfer_settle(t, &e);
}

/* Only a GET does: the body of another method is for the server that it was written for. */
static bool may_change_origin(const struct transfer *t)
{
    return t->req.follow == FETCH_FOLLOW_ANY && str_eq(t->req.method, STR("GET"));
}

/* May the answer's redirect to *to be followed? */
static bool check_redirect(struct transfer *t, const struct http_url *to, struct err *e)
{
    int64_t most = t->client->limits->fetch_redirects;
    struct str host = str_head(to->host, 80);

    if (t->hops >= most)
        return fail(e, ERR_LIMIT, HOP_FMT " redirects again after %d redirects", HOP_ARG(t),
                    t->hops);
    if (t->url.tls && !to->tls)
        return fail(e, ERR_DENIED, HOP_FMT " redirects from https to http: not followed",
                    HOP_ARG(t));
    if (!may_change_origin(t) && !http_url_same_origin(&t->url, to))
        return fail(e, ERR_DENIED,
                    HOP_FMT " redirects to %s://" STR_FMT ":%u: not followed; "
                            "if that is the right address, configure it",
                    HOP_ARG(t), to->tls ? "https" : "http", STR_ARG(host), to->port);
    return true;
}

static bool follow(struct transfer *t, struct err *e)
{
    struct http_url to;

    if (t->location.n > (size_t)t->client->limits->fetch_url_bytes)
        return fail(e, ERR_LIMIT, HOP_FMT " redirects to a URL of more than %jd bytes", HOP_ARG(t),
                    (intmax_t)t->client->limits->fetch_url_bytes);
    if (!http_url_read(t->client->api, t->req.mem, t->location, &t->url, &to, e))
        return fail_in(e, HOP_FMT " redirects", HOP_ARG(t));
    if (!check_redirect(t, &to, e))
        return false;
    if (!http_url_same_origin(&t->url, &to)) {
        t->foreign = true;
        t->zone = FETCH_OUTSIDE; /* the redirect is from outside, even if the first URL was
                                  * configured */
    }
    t->url = to;
    t->hops++;
    return open_hop(t, e);
}

void transfer_done(struct transfer *t, CURLcode result)
{
    struct err e;

    if (!result && t->phase != PHASE_BODY)
        result = CURLE_GOT_NOTHING; /* libcurl is content with half a head */
    if (result) {
        fault_tell(t, result, &e);
        transfer_settle(t, &e);
        return;
    }
    if (t->location.p) {
        easy_close(t);
        if (!follow(t, &e))
            transfer_settle(t, &e);
        return;
    }
    if (t->body)
        t->fetch->body = buf_str(t->body);
    transfer_settle(t, NULL);
}

/* ---- starting --------------------------------------------------------------------------- */

static bool check_request(const struct transfer *t, struct err *e)
{
    const struct fetch_request *req = &t->req;
    const struct limits *l = t->client->limits;

    if (t->client->closing)
        return fail(e, ERR_CLOSED, "the HTTP client is closed");
    if ((int64_t)t->client->live_count > l->fetches)
        return fail(e, ERR_LIMIT, "more than %jd HTTP requests at once", (intmax_t)l->fetches);
    if (req->url.n > (size_t)l->fetch_url_bytes)
        return fail(e, ERR_LIMIT, "the URL has more than %jd bytes", (intmax_t)l->fetch_url_bytes);
    for (size_t i = 0; i < req->method.n; i++)
        if (req->method.p[i] < 'A' || req->method.p[i] > 'Z')
            return fail(e, ERR_INVALID, "the method of a request must be in capitals A to Z");
    if (req->body.p && (str_eq(req->method, STR("GET")) || str_eq(req->method, STR("HEAD"))))
        return fail(e, ERR_INVALID, "a GET or HEAD request cannot have a body");
    return true;
}

static struct http_header *copy_headers(struct arena *mem, const struct fetch_request *req)
{
    struct http_header *h = ARENA_ARRAY(mem, struct http_header, req->headers);

    for (size_t i = 0; i < req->headers; i++) {
        h[i].name = arena_str(mem, req->header[i].name);
        h[i].value = arena_str(mem, req->header[i].value);
    }
    return h;
}

static int64_t or_limit(int64_t n, int64_t limit)
{
    return n ? n : limit;
}

static void copy_request(struct transfer *t, const struct fetch_request *req)
{
    const struct limits *l = t->client->limits;

    t->req = *req;
    t->req.method = req->method.p ? arena_str(req->mem, req->method) : STR("GET");
    t->req.url = arena_str(req->mem, req->url);
    t->req.header = copy_headers(req->mem, req);
    t->req.connect_ms = or_limit(req->connect_ms, l->fetch_connect_ms);
    t->req.whole_ms = or_limit(req->whole_ms, l->fetch_ms);
    t->req.idle_ms = or_limit(req->idle_ms, l->fetch_idle_ms);
    t->req.body_bytes = or_limit(req->body_bytes, l->fetch_body_bytes);
    t->zone = req->zone;
}

static struct transfer *transfer_new(struct fetch *f, struct http_client *c)
{
    struct transfer *t = MEM_NEW(struct transfer);

    t->fetch = f;
    t->client = c;
    t->begin.fn = on_begin;
    t->link = &c->live;
    t->next = c->live;
    if (t->next)
        t->next->link = &t->next;
    c->live = t;
    c->live_count++;
    return t;
}

void fetch_start(struct fetch *f, struct http_client *c, struct op *parent,
                 const struct fetch_request *req, op_done_fn *done, void *ctx)
{
    struct transfer *t = transfer_new(f, c);
    struct err e;

    op_begin(&f->op, &fetch_kind, c->loop, parent, done, ctx);
    f->status = 0;
    f->unreached = false;
    f->header = NULL;
    f->headers = 0;
    f->body = f->url = STR_NONE;
    f->transfer = t;
    copy_request(t, req);
    if (!check_request(t, &e)) {
        transfer_settle(t, &e);
        return;
    }
    if (t->req.whole_ms != FETCH_NEVER)
        timer_set(c->loop, &t->whole, t->req.whole_ms, on_whole);
    loop_post(c->loop, &t->begin);
}
