#include "app/api_visit.h"

/* ---- answers --------------------------------------------------------------------------------- */

static int status_of(enum err_code code)
{
    switch (code) {
    case ERR_INVALID: return 400;
    case ERR_DENIED: return 403;
    case ERR_NOT_FOUND: return 404;
    case ERR_LIMIT: return 429;
    case ERR_CLOSED:
    case ERR_CANCELED: return 503;
    case ERR_TIMEOUT: return 504;
    case ERR_SYSTEM:
    case ERR_NONE: break;
    }
    return 500;
}

void api_refuse(struct http_req *req, const struct err *e)
{
    http_reply_error(req, status_of(e->code), "%s", e->text);
}

void api_reply(struct http_req *req, int status, struct buf *body)
{
    struct str all = buf_str(body);

    if (body->full)
        http_reply_error(req, 507, "the answer is larger than limits.output_backlog_bytes");
    else
        http_reply(req, status, "application/json", NULL, 0, &all, 1);
}

bool api_takes_json(struct http_req *req)
{
    struct str type = http_req_header(req, "content-type");

    if (str_eq_nocase(str_trim(str_cut(&type, ';')), STR("application/json")))
        return true;
    http_reply_error(req, 415, "the Content-Type of the body must be application/json");
    return false;
}

/* ---- waiting for the engine ------------------------------------------------------------------ */

static void go_on(struct api_visit *v)
{
    if (v->service->staff.tasks)
        v->then(v);
    else
        http_reply_error(v->req, 503, "there are no agents here; the log says why");
}

static void on_hired(struct op *op, const struct err *e, void *who)
{
    (void)op;
    (void)e;
    go_on(who);
}

void api_visit_begin(struct api_visit *v, void (*then)(struct api_visit *v))
{
    struct service *s = v->service;

    v->then = then;
    if (s->hiring.open)
        gathering_wait(&s->hiring, &v->hiring, s->loop, s->limits, NULL, on_hired, v);
    else
        go_on(v);
}
