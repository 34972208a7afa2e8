#include "provider/exchange.h"

#include "base/container.h"
#include "base/id.h"

enum { OUR_HEADERS = 4, LINGER_MS = 200 };

struct exchange {
    struct fetch fetch;
    struct http_provider *p;
    struct model_turn *turn;
    struct intake in;
    struct str url;
    struct http_header *header;
    size_t headers;
    struct buf body;    /* the body of the request */
    struct buf refuse;  /* the body of a response that is not an event stream */
    struct timer timer; /* WAITING: the next try; FETCHING: the end of lingering */
    int64_t tries;
    bool fetching, streams;
};

static void fetch_it(struct exchange *x);

static struct exchange *of(struct fetch *f)
{
    return CONTAINER_OF(f, struct exchange, fetch);
}

/* ---- the request ---------------------------------------------------------------------------- */

static bool configured(const struct provider_spec *s, const char *name)
{
    for (size_t i = 0; i < s->headers; i++)
        if (str_eq_nocase(s->header[i].name, str_of(name)))
            return true;
    return false;
}

static void add_header(struct exchange *x, const char *name, struct str value)
{
    if (name && value.p && !configured(&x->p->spec, name))
        x->header[x->headers++] = (struct http_header){ str_of(name), value };
}

static void write_headers(struct exchange *x)
{
    const struct provider_spec *s = &x->p->spec;
    const struct format *f = x->p->format;
    struct arena *mem = x->turn->mem;

    x->header = ARENA_ARRAY(mem, struct http_header, OUR_HEADERS + s->headers);
    add_header(x, "Content-Type", STR("application/json"));
    add_header(x, "Accept", STR("text/event-stream"));
    add_header(x, f->version_header, str_of(f->version));
    if (s->key.n)
        add_header(x, f->key_header,
                   arena_printf(mem, "%s" STR_FMT, f->key_prefix, STR_ARG(s->key)));
    for (size_t i = 0; i < s->headers; i++)
        x->header[x->headers++] = (struct http_header){ s->header[i].name, s->header[i].value };
}

static bool write_request(struct exchange *x, struct err *e)
{
    const struct limits *l = x->p->limits;
    const struct model_call a = { &x->p->spec, x->turn->request, x->turn->mem };
    struct jw w = jw_to(&x->body);

    buf_init(&x->body, (size_t)l->model_request_bytes);
    x->url = x->p->format->url(&a);
    write_headers(x);
    x->p->format->body(&a, &w);
    if (!x->body.full)
        return true;
    return fail(e, ERR_LIMIT,
                "the conversation is larger than %jd bytes (the constant model_request_bytes)",
                (intmax_t)l->model_request_bytes);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void exchange_settle(struct exchange *x, const struct err *e)
{
    reply_finish(&x->in.reply, e != NULL);
    timer_clear(x->turn->op.loop, &x->timer);
    intake_fini(&x->in);
    buf_fini(&x->body);
    buf_fini(&x->refuse);
    if (e)
        op_fail(&x->turn->op, e);
    else
        op_ok(&x->turn->op);
}

static void settle_canceled(struct exchange *x)
{
    exchange_settle(x, &(struct err){ ERR_CANCELED, "cancelled" });
}

static void on_cancel(struct op *op)
{
    struct model_turn *t = CONTAINER_OF(op, struct model_turn, op);
    struct exchange *x = t->data;

    if (!x->fetching) /* else the end of the cancelled fetch ends it */
        settle_canceled(x);
}

const struct op_kind exchange_op = { .name = "model", .cancel = on_cancel };

/* ---- retrying ------------------------------------------------------------------------------- */

/* Doubled with each try; a random half keeps clients from retrying at the same time. */
static int64_t back_off(const struct exchange *x)
{
    const struct limits *l = x->p->limits;
    int64_t ms = l->model_retry_min_ms;
    uint32_t dice;

    for (int64_t i = 1; i < x->tries && ms < l->model_retry_max_ms; i++)
        ms *= 2;
    ms = ms < l->model_retry_max_ms ? ms : l->model_retry_max_ms;
    id_random(&dice, sizeof(dice));
    return ms / 2 + (int64_t)(dice % (uint32_t)(ms - ms / 2 + 1));
}

static void on_wait_over(struct timer *t)
{
    fetch_it(CONTAINER_OF(t, struct exchange, timer));
}

static void try_later(struct exchange *x, const struct fault *f)
{
    const struct model_events *ev = x->turn->events;
    int64_t ms = back_off(x);

    ms = f->after_ms > ms ? f->after_ms : ms;
    timer_set(x->turn->op.loop, &x->timer, ms, on_wait_over);
    if (ev && ev->on_retry)
        ev->on_retry(x->turn, &f->err, ms);
}

static void on_fault(struct exchange *x, struct fault *f)
{
    const struct limits *l = x->p->limits;

    if (f->context) {
        reply_stop(&x->in.reply, STOP_CONTEXT);
        exchange_settle(x, NULL);
    } else if (!f->again || x->in.reply.told || x->tries > l->model_retries) {
        exchange_settle(x, &f->err);
    } else if (f->after_ms > l->model_retry_after_ms) {
        fail_in(&f->err, "retry after %jd s", (intmax_t)f->after_ms / 1000);
        exchange_settle(x, &f->err);
    } else {
        try_later(x, f);
    }
}

/* ---- one try -------------------------------------------------------------------------------- */

static bool is_json(const struct fetch *f)
{
    return str_starts(fetch_header(f, "Content-Type"), STR("application/json"));
}

static void on_head(struct fetch *f)
{
    of(f)->streams = f->status >= 200 && f->status < 300 && !is_json(f);
}

static void on_linger_over(struct timer *t)
{
    op_cancel(&CONTAINER_OF(t, struct exchange, timer)->fetch.op);
}

static void on_bytes(struct fetch *f, struct str bytes)
{
    struct exchange *x = of(f);

    if (!x->streams) {
        buf_put(&x->refuse, str_head(bytes, x->refuse.max - x->refuse.n));
        if (x->refuse.n == x->refuse.max)
            op_cancel(&f->op);
        return;
    }
    if (!intake_feed(&x->in, bytes))
        op_cancel(&f->op);
    else if (x->in.reply.over && !timer_is_set(&x->timer)) /* a connection to keep ends on its
                                                            * own */
        timer_set(x->turn->op.loop, &x->timer, LINGER_MS, on_linger_over);
}

static void fault_no_stream(struct exchange *x, struct fault *f)
{
    struct err e;

    if (x->fetch.status < 200 || x->fetch.status > 299) {
        fault_status(f, &x->p->spec, x->fetch.status, buf_str(&x->refuse));
    } else {
        fail(&e, ERR_INVALID, "answered with JSON instead of an event stream");
        fault_transport(f, &x->p->spec, &e);
    }
}

/* Did this try fail, and why? */
static bool find_fault(struct exchange *x, const struct err *e, struct fault *f)
{
    struct reply *r = &x->in.reply;
    int64_t after;

    if (x->streams && (r->over || (r->stopped && !x->in.failed)))
        return false;
    if (x->in.failed || (!e && x->streams && !intake_end(&x->in))) {
        *f = x->in.fault;
    } else if (x->fetch.status && !x->streams) {
        fault_no_stream(x, f);
    } else if (e) {
        fault_transport(f, &x->p->spec, e);
    }
    after =
        fault_retry_after(fetch_header(&x->fetch, "Retry-After"),
                          fetch_header(&x->fetch, "Retry-After-Ms"), loop_wall(x->turn->op.loop));
    f->after_ms = after > f->after_ms ? after : f->after_ms;
    return true;
}

static void on_fetched(struct op *op, const struct err *e, void *ctx)
{
    struct exchange *x = ctx;
    struct fault f = { .after_ms = -1 };

    (void)op;
    x->fetching = false;
    timer_clear(x->turn->op.loop, &x->timer);
    if (x->turn->op.canceled)
        settle_canceled(x);
    else if (find_fault(x, e, &f))
        on_fault(x, &f);
    else
        exchange_settle(x, NULL);
}

static void fetch_it(struct exchange *x)
{
    const struct fetch_request req = {
        .method = STR("POST"),
        .url = x->url,
        .header = x->header,
        .headers = x->headers,
        .body = buf_str(&x->body),
        .zone = FETCH_CONFIGURED,
        .whole_ms = x->p->limits->model_ms,
        .body_bytes = FETCH_NEVER, /* the answer has its own caps */
        .mem = x->turn->mem,
        .on_head = on_head,
        .on_bytes = on_bytes,
    };

    x->tries++;
    intake_fini(&x->in); /* drop the data of an earlier try */
    intake_init(&x->in, &x->p->spec, x->p->format, x->turn, x->p->limits);
    buf_clear(&x->refuse);
    x->streams = false;
    x->fetching = true;
    fetch_start(&x->fetch, x->p->client, &x->turn->op, &req, on_fetched, x);
}

void exchange_start(struct provider *p, struct model_turn *t)
{
    struct exchange *x = ARENA_NEW(t->mem, struct exchange);
    struct err e;

    x->p = p->state;
    x->turn = t;
    t->data = x;
    buf_init(&x->refuse, (size_t)x->p->limits->model_error_bytes);
    intake_init(&x->in, &x->p->spec, x->p->format, t, x->p->limits);
    if (write_request(x, &e))
        fetch_it(x);
    else
        exchange_settle(x, &e);
}
