/*
 * tasks_api.c - /api/tasks and /api/locks.
 *
 * Each request is one `visit`, in the request's arena: it waits for the agents where they are still
 * to come, asks the engine, and answers. The visit is gone with the answer, so the answer comes last.
 */
#include "app/tasks_api.h"

#include "app/service.h"
#include "app/task_json.h"
#include "app/tasks.h"
#include "base/auto.h"
#include "base/container.h"
#include "base/digits.h"
#include "core/guard_keep.h"
#include "wire/http_query.h"

enum { PAGE_MOST = 1000, SEQ_TEXT = 24 };

struct visit {
    struct http_req *req;
    struct service *service;
    struct gathering_wait hiring;
    void (*then)(struct visit *v);
    struct str id;
    struct task_ask ask;
    struct task_list list;
    struct lock_list locks;
    struct task_spec spec;
    struct task_watch watch;
    bool watching; /* its op is under way */
};

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

static void refuse(struct visit *v, const struct err *e)
{
    http_reply_error(v->req, status_of(e->code), "%s", e->text);
}

static void reply(struct http_req *req, int status, struct buf *body)
{
    struct str all = buf_str(body);

    if (body->full)
        http_reply_error(req, 507, "the answer is larger than limits.output_backlog_bytes");
    else
        http_reply(req, status, "application/json", NULL, 0, &all, 1);
}

/* ---- visits ---------------------------------------------------------------------------------- */

static void go_on(struct visit *v)
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

/* Begin one; `then` runs when there is an engine to ask. */
static void visit_begin(struct visit *v, void (*then)(struct visit *v))
{
    struct service *s = v->service;

    v->then = then;
    if (s->hiring.open)
        gathering_wait(&s->hiring, &v->hiring, s->loop, s->limits, NULL, on_hired, v);
    else
        go_on(v);
}

static struct visit *visit_new(struct http_req *req)
{
    struct visit *v = ARENA_NEW(&req->mem, struct visit);

    v->req = req;
    v->service = req->who;
    return v;
}

static struct task_engine *engine(const struct visit *v)
{
    return v->service->staff.tasks;
}

/* The task in an ask, then nothing of the ask is needed. */
static void reply_task(struct visit *v, int status)
{
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    buf_init(&body, (size_t)v->service->limits->output_backlog_bytes);
    task_write(&w, &v->ask.info, true);
    task_ask_fini(&v->ask);
    reply(v->req, status, &body);
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool query(struct visit *v, const char *name, struct str *out, struct err *e)
{
    return http_query_get(&v->req->mem, v->req->query, str_of(name), out) ||
           fail(e, ERR_INVALID, "the query has %s twice, or not well encoded", name);
}

static bool query_number(struct visit *v, const char *name, uint64_t least, uint64_t most,
                         int64_t *out, struct err *e)
{
    struct str word;
    uint64_t n;

    if (!query(v, name, &word, e))
        return false;
    if (!word.p)
        return true;
    if (!str_uint(word, least, most, &n))
        return fail(e, ERR_INVALID, "%s: a number from %llu to %llu is expected", name,
                    (unsigned long long)least, (unsigned long long)most);
    *out = (int64_t)n;
    return true;
}

static bool query_live(struct visit *v, bool *out, struct err *e)
{
    struct str word;

    if (!query(v, "live", &word, e))
        return false;
    *out = word.p && str_eq(word, STR("true"));
    return !word.p || *out || str_eq(word, STR("false")) ||
           fail(e, ERR_INVALID, "live: accepted are true and false");
}

static bool read_filters(struct visit *v, struct err *e)
{
    struct task_list *l = &v->list;
    struct str cursor;

    if (!query(v, "agent", &l->agent, e) || !query(v, "context", &l->context, e) ||
        !query_live(v, &l->only_live, e) || !query_number(v, "limit", 1, PAGE_MOST, &l->most, e) ||
        !query(v, "cursor", &cursor, e))
        return false;
    return !cursor.p || task_cursor_read(cursor, &l->cursor) ||
           fail(e, ERR_INVALID, "cursor: the next_cursor of an earlier answer is expected");
}

static void on_listed(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;
    struct task_list *l = &v->list;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    (void)op;
    buf_init(&body, (size_t)v->service->limits->output_backlog_bytes);
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
        refuse(v, e);
    else
        reply(v->req, 200, &body);
}

static void list(struct visit *v)
{
    task_list(engine(v), &v->list, NULL, on_listed, v);
}

void tasks_api_list(struct http_req *req)
{
    struct visit *v = visit_new(req);
    struct err e;

    if (read_filters(v, &e))
        visit_begin(v, list);
    else
        refuse(v, &e);
}

/* ---- a new one ------------------------------------------------------------------------------- */

struct wish {
    struct task_spec spec;
    struct str mode;
};

static const struct pick wish_fields[] = {
    PICK_FIELD("task", PICK_STR, struct wish, spec.text, PICK_MUST),
    PICK_FIELD("agent", PICK_STR, struct wish, spec.agent, 0),
    PICK_FIELD("model", PICK_STR, struct wish, spec.model, 0),
    PICK_FIELD("effort", PICK_STR, struct wish, spec.effort, 0),
    PICK_FIELD("output_format", PICK_STR, struct wish, spec.output_format, 0),
    PICK_FIELD("mode", PICK_STR, struct wish, mode, 0),
    PICK_RANGE("max_turns", struct wish, spec.max_turns, 0, 1, AGENT_TURNS_MOST),
    PICK_FIELD("budget_usd", PICK_DOUBLE, struct wish, spec.budget_usd, 0),
    PICK_FIELD("context", PICK_STR, struct wish, spec.context, 0),
    PICK_FIELD("session", PICK_STR, struct wish, spec.session, 0),
    PICK_FIELD("lock", PICK_STRS, struct wish, spec.lock, 0),
    PICK_FIELD("isolate", PICK_BOOL, struct wish, spec.isolate, 0),
};

static bool check_word(struct json body, const char *key, struct str word, struct err *e)
{
    return !word.p || agent_word_known(str_of(key), word) ||
           json_fail(json_get(body, str_of(key)), e, "accepted are %s", agent_words(str_of(key)));
}

static bool check_wish(struct json body, const struct wish *w, enum agent_mode *mode, struct err *e)
{
    double usd = w->spec.budget_usd;

    if (!str_trim(w->spec.text).n)
        return json_fail(json_get(body, STR("task")), e, "is empty: say what is to be done");
    if (w->mode.p && !agent_mode_named(w->mode, mode))
        return json_fail(json_get(body, STR("mode")), e, "accepted are read-only, read-write");
    if (json_here(json_get(body, STR("budget_usd"))) && !(usd >= 0 && usd <= AGENT_BUDGET_MOST))
        return json_fail(json_get(body, STR("budget_usd")), e, "accepted are 0 to %d US dollars",
                         AGENT_BUDGET_MOST);
    return check_word(body, "effort", w->spec.effort, e) &&
           check_word(body, "output_format", w->spec.output_format, e);
}

static bool read_wish(struct visit *v, enum agent_mode *mode, struct err *e)
{
    struct json_opts opts = limits_json(v->service->limits);
    struct wish w = { .spec = { .budget_usd = -1 } };
    struct json body;

    if (!json_read(&v->req->mem, v->req->body, &opts, &body, e))
        return fail_in(e, "the body is no JSON");
    if (!pick(&v->req->mem, body, PICK_TABLE(wish_fields), PICK_STRICT, &w, e) ||
        !check_wish(body, &w, mode, e))
        return false;
    v->spec = w.spec;
    return true;
}

/* What clients of [mcp] may is the most, as for a dispatch by tool. */
static void set_rights(struct visit *v, enum agent_mode mode)
{
    struct service *s = v->service;
    struct guard_scope caller = { .name = "the caller", .parent = &s->guard.mcp };
    struct buf text;
    struct jw w = jw_to(&text);

    if (s->staff.read_only) {
        caller.mode = AGENT_READ_ONLY;
        caller.permission[TOOL_FETCH] = GUARD_DENY;
    }
    buf_init_in(&text, &v->req->mem, (size_t)s->limits->message_bytes);
    guard_scope_write(&w, &caller, &s->guard.own);
    v->spec.rights = buf_str(&text);
    v->spec.read_only = mode == AGENT_READ_ONLY || guard_is_read_only(&caller);
    task_spec_lock_vault(&v->spec);
}

static void on_created(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;

    (void)op;
    if (e) {
        task_ask_fini(&v->ask);
        refuse(v, e);
    } else {
        reply_task(v, 201);
    }
}

static void create(struct visit *v)
{
    task_create(engine(v), &v->ask, &v->spec, NULL, on_created, v);
}

/* A page of another site can send anything but JSON without asking first. */
static bool is_json(const struct http_req *req)
{
    struct str type = http_req_header(req, "content-type");

    return str_eq_nocase(str_trim(str_cut(&type, ';')), STR("application/json"));
}

void tasks_api_create(struct http_req *req)
{
    struct visit *v = visit_new(req);
    enum agent_mode mode = AGENT_READ_WRITE;
    struct err e;

    if (!is_json(req)) {
        http_reply_error(req, 415, "the Content-Type of the body must be application/json");
        return;
    }
    if (!read_wish(v, &mode, &e)) {
        refuse(v, &e);
        return;
    }
    v->spec.owner = req->principal.n ? req->principal : STR("local");
    v->spec.caller = "api";
    set_rights(v, mode);
    visit_begin(v, create);
}

/* ---- one ------------------------------------------------------------------------------------- */

static void on_got(struct op *op, const struct err *e, void *who)
{
    on_created(op, e, who);
}

static void get(struct visit *v)
{
    task_get(engine(v), &v->ask, NULL, on_got, v);
}

/* One that had ended says how. */
static void on_canceled(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;
    struct str state = str_of(task_state_names[v->ask.info.state]);

    (void)op;
    if (!e) {
        reply_task(v, 200);
        return;
    }
    task_ask_fini(&v->ask);
    if (e->code == ERR_INVALID)
        http_reply_error(v->req, 409, "the task has ended already: it is " STR_FMT, STR_ARG(state));
    else
        refuse(v, e);
}

static void cancel(struct visit *v)
{
    task_cancel(engine(v), &v->ask, NULL, on_canceled, v);
}

/* ---- its events ------------------------------------------------------------------------------ */

static bool on_event(struct task_watch *watch, int64_t seq, int64_t at, struct str kind,
                     struct str body)
{
    struct visit *v = CONTAINER_OF(watch, struct visit, watch);
    char id[SEQ_TEXT];
    AUTO_BUF data;
    struct jw w = jw_to(&data);

    buf_init(&data, (size_t)v->service->limits->output_backlog_bytes);
    task_event_write(&w, seq, at, kind, body);
    return http_sse_send(v->req, &(struct sse_out){ .event = kind,
                                                    .id = { id, digits_put(id, (uint64_t)seq) },
                                                    .data = buf_str(&data) });
}

/* It has ended, the client has left, or was too slow and may come again. */
static void on_watched(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;

    (void)op;
    (void)e;
    v->watching = false;
    http_stream_end(v->req);
}

static void on_room(struct http_req *req)
{
    struct visit *v = req->data;

    if (v->watching)
        task_watch_more(&v->watch);
}

static void on_gone(struct http_req *req)
{
    struct visit *v = req->data;

    if (v->watching)
        op_cancel(&v->watch.op);
}

static void on_found(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;
    bool told = !e && task_state_final(v->ask.info.state) && v->watch.after >= v->ask.info.last_seq;

    (void)op;
    task_ask_fini(&v->ask);
    if (e) {
        refuse(v, e);
    } else if (told || !v->req->conn) {
        http_reply(v->req, 204, NULL, NULL, 0, NULL, 0);
    } else {
        http_sse_begin(v->req, NULL, 0);
        v->watching = true;
        task_watch(engine(v), &v->watch, NULL, on_watched, v);
    }
}

static void follow(struct visit *v)
{
    task_get(engine(v), &v->ask, NULL, on_found, v);
}

static bool read_after(struct visit *v, int64_t *after, struct err *e)
{
    struct str last = http_req_header(v->req, "last-event-id");
    uint64_t n;

    if (!last.p)
        return query_number(v, "after", 0, INT64_MAX, after, e);
    if (!str_uint(last, 0, INT64_MAX, &n))
        return fail(e, ERR_INVALID, "Last-Event-ID: the number of an event is expected");
    *after = (int64_t)n;
    return true;
}

static void begin_follow(struct visit *v)
{
    struct http_req *req = v->req;
    struct err e;

    v->watch = (struct task_watch){ .id = v->id, .event = on_event };
    if (!read_after(v, &v->watch.after, &e)) {
        refuse(v, &e);
        return;
    }
    req->data = v;
    req->on_gone = on_gone;
    req->on_room = on_room;
    visit_begin(v, follow);
}

/* ---- routes below /api/tasks/ ---------------------------------------------------------------- */

/* ID or ID/WHAT. */
static struct str take_id(struct visit *v)
{
    struct str rest = v->req->rest;

    v->id = str_cut(&rest, '/');
    v->ask.id = v->id;
    return rest;
}

void tasks_api_get(struct http_req *req)
{
    struct visit *v = visit_new(req);
    struct str what = take_id(v);

    if (!what.p)
        visit_begin(v, get);
    else if (str_eq(what, STR("events")))
        begin_follow(v);
    else
        http_reply_error(req, 404,
                         "behind /api/tasks/ID there is only /events, and /cancel to POST");
}

void tasks_api_post(struct http_req *req)
{
    struct visit *v = visit_new(req);
    struct str what = take_id(v);

    if (what.p && str_eq(what, STR("cancel")))
        visit_begin(v, cancel);
    else
        http_reply_error(req, 404, "only /api/tasks and /api/tasks/ID/cancel take a POST");
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void on_locks(struct op *op, const struct err *e, void *who)
{
    struct visit *v = who;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    (void)op;
    buf_init(&body, (size_t)v->service->limits->output_backlog_bytes);
    jw_object(&w);
    jw_plain_key(&w, STR("locks"));
    jw_array(&w);
    for (size_t i = 0; !e && i < v->locks.n; i++)
        task_lock_write(&w, &v->locks.v[i]);
    jw_array_end(&w);
    jw_object_end(&w);
    arena_fini(&v->locks.mem);
    if (e)
        refuse(v, e);
    else
        reply(v->req, 200, &body);
}

static void list_locks(struct visit *v)
{
    lock_list(v->service->staff.locks, &v->locks, NULL, on_locks, v);
}

void tasks_api_locks(struct http_req *req)
{
    visit_begin(visit_new(req), list_locks);
}
