#include "web/api_request.h"

#include "base/auto.h"
#include "core/shown_error.h"
#include "proto/http_principal.h"
#include "web/task_json.h"
#include "wire/http_query.h"

/* ---- answers --------------------------------------------------------------------------------- */

static int status_of(enum err_code code)
{
    switch (code) {
    case ERR_INVALID: return 400;
    case ERR_DENIED: return 403;
    case ERR_NOT_FOUND: return 404;
    case ERR_LIMIT: return 413;
    case ERR_BUSY:
    case ERR_CLOSED:
    case ERR_CANCELED: return 503;
    case ERR_TIMEOUT: return 504;
    case ERR_SYSTEM:
    case ERR_NONE: break;
    }
    return 500;
}

/* It would be different in a while. */
static void ask_again(struct http_req *req, const char *why)
{
    const struct http_header later = { STR("Retry-After"), STR("1") };
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct str body;

    buf_init(&out, 1 << 12);
    jw_object(&w);
    jw_plain_key(&w, STR("error"));
    jw_object(&w);
    jw_kint(&w, "code", 503);
    jw_kstr(&w, "message", str_of(why));
    jw_object_end(&w);
    jw_object_end(&w);
    body = buf_str(&out);
    http_reply(req, 503, "application/json", &later, 1, &body, 1);
}

void api_refuse(struct http_req *req, const struct err *e)
{
    struct err own;

    e = shown_error(http_principal(req).origin, e, &own);
    if (e->code == ERR_BUSY)
        ask_again(req, e->text);
    else
        http_reply_error(req, status_of(e->code), "%s", e->text);
}

void api_reply(struct http_req *req, int status, struct buf *body)
{
    struct str all = buf_str(body);

    if (body->full)
        http_reply_error(req, 507, "the response is larger than limits.output_backlog_bytes");
    else
        http_reply(req, status, "application/json", NULL, 0, &all, 1);
}

void api_reply_task(struct api_visit *v, struct task_ask *ask, int status, const struct err *e)
{
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    buf_init(&body, (size_t)v->web->limits->output_backlog_bytes);
    if (!e)
        task_write(&w, &ask->info, true);
    task_ask_fini(ask);
    if (e)
        api_refuse(v->req, e);
    else
        api_reply(v->req, status, &body);
}

bool api_takes_json(struct http_req *req)
{
    struct str type = http_req_header(req, "content-type");

    if (str_eq_nocase(str_trim(str_cut(&type, ';')), STR("application/json")))
        return true;
    http_reply_error(req, 415, "the Content-Type of the body must be application/json");
    return false;
}

/* ---- visits ---------------------------------------------------------------------------------- */

void api_visit_init(struct api_visit *v, struct http_req *req)
{
    v->req = req;
    v->web = req->ctx;
    v->principal = http_principal(req);
}

struct str api_sees(const struct api_visit *v)
{
    return principal_sees(str_of(v->principal.name));
}

static void go_on(struct api_visit *v)
{
    if (api_engine(v))
        v->then(v);
    else if (v->web->opening.open)
        ask_again(v->req, "the agents are still starting; try again");
    else
        http_reply_error(v->req, 503, "no agents are available; see the log for the reason");
}

static void on_agents_opened(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    go_on(ctx);
}

void api_visit_begin(struct api_visit *v, void (*then)(struct api_visit *v))
{
    struct web *s = v->web;

    v->then = then;
    if (s->opening.open)
        readiness_wait(&s->opening, &v->opening_agents, s->loop, s->limits, NULL, on_agents_opened,
                       v);
    else
        go_on(v);
}

/* ---- the query ------------------------------------------------------------------------------- */

bool api_query(struct api_visit *v, const char *name, struct str *out, struct err *e)
{
    return http_query_get(&v->req->mem, v->req->query, str_of(name), out) ||
           fail(e, ERR_INVALID, "the query parameter %s is duplicated or badly encoded", name);
}

bool api_query_number(struct api_visit *v, const char *name, uint64_t least, uint64_t most,
                      int64_t *out, struct err *e)
{
    struct str word;
    uint64_t n;

    if (!api_query(v, name, &word, e))
        return false;
    if (!word.p)
        return true;
    if (!str_uint(word, least, most, &n))
        return fail(e, ERR_INVALID, "%s: expected a number from %llu to %llu", name,
                    (unsigned long long)least, (unsigned long long)most);
    *out = (int64_t)n;
    return true;
}

bool api_query_after(struct api_visit *v, int64_t *out, struct err *e)
{
    struct str last = http_req_header(v->req, "last-event-id");
    uint64_t n;

    if (!last.p)
        return api_query_number(v, "after", 0, INT64_MAX, out, e);
    if (!str_uint(last, 0, INT64_MAX, &n))
        return fail(e, ERR_INVALID, "Last-Event-ID: expected the number of an event");
    *out = (int64_t)n;
    return true;
}
