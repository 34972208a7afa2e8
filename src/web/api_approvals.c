#include "web/api_approvals.h"

#include "base/auto.h"
#include "base/container.h"
#include "core/task/task.h"
#include "web/api_request.h"
#include "web/approval_json.h"
#include "web/task_json.h"

struct approvals_request {
    struct api_visit api; /* first */
    struct task_list list;
    struct task_ask ask;
    struct str key;
    struct json answer;
};

static struct approvals_request *visit_new(struct http_req *req)
{
    struct approvals_request *v = ARENA_NEW(&req->mem, struct approvals_request);

    api_visit_init(&v->api, req);
    return v;
}

static struct approvals_request *of_api(struct api_visit *api)
{
    return CONTAINER_OF(api, struct approvals_request, api);
}

/* ---- what is open ---------------------------------------------------------------------------- */

static void write_list(struct jw *w, struct approvals_request *v)
{
    const struct task_list *l = &v->list;
    int64_t now = loop_wall(v->api.web->loop);

    jw_object(w);
    jw_plain_key(w, STR("approvals"));
    jw_array(w);
    for (size_t i = 0; i < l->n; i++)
        approvals_write(w, &v->api.req->mem, v->api.web->limits, &l->v[i], false, now);
    jw_array_end(w);
    if (l->more) {
        jw_plain_key(w, STR("next_cursor"));
        task_cursor_write(w, &l->cursor);
    }
    jw_object_end(w);
}

static void on_listed(struct op *op, const struct err *e, void *ctx)
{
    struct approvals_request *v = ctx;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    (void)op;
    buf_init(&body, (size_t)v->api.web->limits->output_backlog_bytes);
    if (!e)
        write_list(&w, v);
    arena_fini(&v->list.mem);
    if (e)
        api_refuse(v->api.req, e);
    else
        api_reply(v->api.req, 200, &body);
}

static void list(struct api_visit *api)
{
    struct approvals_request *v = of_api(api);

    task_list(api_engine(api), &v->list, NULL, on_listed, v);
}

void approvals_api_list(struct http_req *req)
{
    struct approvals_request *v = visit_new(req);
    struct str cursor;
    struct err e;

    v->list.only_asking = true;
    v->list.owner = api_sees(&v->api);
    if (!api_query(&v->api, "cursor", &cursor, &e))
        api_refuse(req, &e);
    else if (cursor.p && !task_cursor_read(cursor, &v->list.cursor))
        http_reply_error(req, 400, "cursor: expected the next_cursor of an earlier response");
    else
        api_visit_begin(&v->api, list);
}

/* ---- answering ------------------------------------------------------------------------------- */

/* A task that is there, and asks nothing of that kind, is in another state than was thought. */
static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct approvals_request *v = ctx;

    (void)op;
    if (!e || e->code != ERR_NOT_FOUND || !v->ask.info.id.n) {
        api_reply_task(&v->api, &v->ask, 200, e);
        return;
    }
    task_ask_fini(&v->ask);
    http_reply_error(v->api.req, 409, "%s", e->text);
}

static void answer(struct api_visit *api)
{
    struct approvals_request *v = of_api(api);

    task_answer(api_engine(api), &v->ask, v->key, v->answer, NULL, on_answered, v);
}

static const struct pick answer_fields[] = {
    PICK_FIELD("key", PICK_STR, struct approvals_request, key, 0),
    PICK_FIELD("answer", PICK_OBJECT, struct approvals_request, answer, PICK_MUST),
};

static bool read_body(struct approvals_request *v, struct err *e)
{
    struct json_opts opts = limits_json(v->api.web->limits);
    struct http_req *req = v->api.req;
    struct json body;

    if (!json_read(&req->mem, req->body, &opts, &body, e))
        return fail_in(e, "the body is not JSON");
    return pick(&req->mem, body, PICK_TABLE(answer_fields), PICK_STRICT, v, e);
}

void approvals_api_answer(struct http_req *req, struct str id)
{
    struct approvals_request *v = visit_new(req);
    struct err e;

    if (!api_takes_json(req))
        return;
    v->ask.id = id;
    v->ask.artifacts = true;
    v->ask.owner = api_sees(&v->api);
    v->ask.by = v->api.principal;
    if (read_body(v, &e))
        api_visit_begin(&v->api, answer);
    else
        api_refuse(req, &e);
}
