/*
 * api_tasks.c - /api/tasks and /api/locks, except new tasks (api_tasks_create.c) and event streams
 * (api_events.c).
 */
#include "web/api_tasks.h"

#include "base/auto.h"
#include "web/api_approvals.h"
#include "web/api_events.h"
#include "web/api_request.h"
#include "web/task_json.h"

enum { PAGE_MOST = 1000 };

struct tasks_request {
    struct api_visit visit; /* first */
    struct task_ask ask;
    struct task_list list;
    struct lock_list locks;
};

static struct tasks_request *visit_new(struct http_req *req)
{
    struct tasks_request *v = ARENA_NEW(&req->mem, struct tasks_request);

    api_visit_init(&v->visit, req);
    v->ask.owner = v->list.owner = api_sees(&v->visit);
    return v;
}

static struct tasks_request *visit_of(struct api_visit *v)
{
    return (struct tasks_request *)(void *)v;
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool query_live(struct tasks_request *v, bool *out, struct err *e)
{
    struct str word;

    if (!api_query(&v->visit, "live", &word, e))
        return false;
    *out = word.p && str_eq(word, STR("true"));
    return !word.p || *out || str_eq(word, STR("false")) ||
           fail(e, ERR_INVALID, "live: expected true or false");
}

static bool read_filters(struct tasks_request *v, struct err *e)
{
    struct task_list *l = &v->list;
    struct str cursor;

    if (!api_query(&v->visit, "agent", &l->agent, e) ||
        !api_query(&v->visit, "context", &l->context, e) || !query_live(v, &l->only_live, e) ||
        !api_query_number(&v->visit, "limit", 1, PAGE_MOST, &l->most, e) ||
        !api_query(&v->visit, "cursor", &cursor, e))
        return false;
    return !cursor.p || task_cursor_read(cursor, &l->cursor) ||
           fail(e, ERR_INVALID, "cursor: expected the next_cursor of an earlier response");
}

static void on_listed(struct op *op, const struct err *e, void *ctx)
{
    struct tasks_request *v = ctx;
    struct task_list *l = &v->list;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    (void)op;
    buf_init(&body, (size_t)v->visit.web->limits->output_backlog_bytes);
    jw_object(&w);
    jw_plain_key(&w, STR("tasks"));
    jw_array(&w);
    for (size_t i = 0; !e && i < l->n; i++)
        task_write(&w, &l->v[i], false);
    jw_array_end(&w);
    if (!e && l->more) {
        jw_plain_key(&w, STR("next_cursor"));
        task_cursor_write(&w, &l->cursor);
    }
    jw_object_end(&w);
    arena_fini(&l->mem);
    if (e)
        api_refuse(v->visit.req, e);
    else
        api_reply(v->visit.req, 200, &body);
}

static void list(struct api_visit *visit)
{
    struct tasks_request *v = visit_of(visit);

    task_list(api_engine(visit), &v->list, NULL, on_listed, v);
}

void tasks_api_list(struct http_req *req)
{
    struct tasks_request *v = visit_new(req);
    struct err e;

    if (read_filters(v, &e))
        api_visit_begin(&v->visit, list);
    else
        api_refuse(v->visit.req, &e);
}

/* ---- one ------------------------------------------------------------------------------------- */

static void on_got(struct op *op, const struct err *e, void *ctx)
{
    struct tasks_request *v = ctx;

    (void)op;
    api_reply_task(&v->visit, &v->ask, 200, e);
}

static void get(struct api_visit *visit)
{
    struct tasks_request *v = visit_of(visit);

    task_get(api_engine(visit), &v->ask, NULL, on_got, v);
}

/* One that had ended says how. */
static void on_canceled(struct op *op, const struct err *e, void *ctx)
{
    struct tasks_request *v = ctx;
    struct str state = str_of(task_state_names[v->ask.info.state]);

    (void)op;
    if (!e || e->code != ERR_INVALID) {
        api_reply_task(&v->visit, &v->ask, 200, e);
        return;
    }
    task_ask_fini(&v->ask);
    http_reply_error(v->visit.req, 409, "the task has already ended; its state is " STR_FMT,
                     STR_ARG(state));
}

static void cancel(struct api_visit *visit)
{
    struct tasks_request *v = visit_of(visit);

    task_cancel(api_engine(visit), &v->ask, NULL, on_canceled, v);
}

/* ---- routes below /api/tasks/ ---------------------------------------------------------------- */

/* ID or ID/WHAT. */
static struct str take_id(struct tasks_request *v)
{
    struct str rest = v->visit.req->rest;

    v->ask.id = str_cut(&rest, '/');
    v->ask.artifacts = true;
    return rest;
}

void tasks_api_get(struct http_req *req)
{
    struct tasks_request *v = visit_new(req);
    struct str what = take_id(v);

    if (!what.p)
        api_visit_begin(&v->visit, get);
    else if (str_eq(what, STR("events")))
        events_api_of_task(req, v->ask.id);
    else
        http_reply_error(req, 404,
                         "unknown path below /api/tasks/ID; available are GET /events, POST "
                         "/cancel and POST /answer");
}

void tasks_api_post(struct http_req *req)
{
    struct tasks_request *v = visit_new(req);
    struct str what = take_id(v);

    if (what.p && str_eq(what, STR("cancel")))
        api_visit_begin(&v->visit, cancel);
    else if (what.p && str_eq(what, STR("answer")))
        approvals_api_answer(req, v->ask.id);
    else
        http_reply_error(
            req, 404,
            "POST is accepted only at /api/tasks, /api/tasks/ID/cancel and /api/tasks/ID/answer");
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void on_locks(struct op *op, const struct err *e, void *ctx)
{
    struct tasks_request *v = ctx;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    (void)op;
    buf_init(&body, (size_t)v->visit.web->limits->output_backlog_bytes);
    jw_object(&w);
    jw_plain_key(&w, STR("locks"));
    jw_array(&w);
    for (size_t i = 0; !e && i < v->locks.n; i++)
        task_lock_write(&w, &v->locks.v[i]);
    jw_array_end(&w);
    jw_object_end(&w);
    arena_fini(&v->locks.mem);
    if (e)
        api_refuse(v->visit.req, e);
    else
        api_reply(v->visit.req, 200, &body);
}

static void list_locks(struct api_visit *visit)
{
    struct tasks_request *v = visit_of(visit);

    lock_list(v->visit.web->agents.locks, &v->locks, NULL, on_locks, v);
}

void tasks_api_locks(struct http_req *req)
{
    api_visit_begin(&visit_new(req)->visit, list_locks);
}
