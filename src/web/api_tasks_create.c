/* api_tasks_create.c - POST /api/tasks: parses the body, sets the task's rights, and creates it. */
#include "core/agent/agent_context.h"
#include "core/guard/guard_read_only.h"
#include "core/guard/guard_saved_rights.h"
#include "web/api_request.h"
#include "web/api_tasks.h"

struct task_creation {
    struct api_visit visit; /* first */
    struct task_ask ask;
    struct task_spec spec;
};

struct task_wish {
    struct task_spec spec;
    struct str mode, task;
    struct json parts;
};

static const struct pick wish_fields[] = {
    PICK_FIELD("task", PICK_STR, struct task_wish, task, 0),
    PICK_FIELD("parts", PICK_ARRAY, struct task_wish, parts, 0),
    PICK_FIELD("agent", PICK_STR, struct task_wish, spec.agent, 0),
    PICK_FIELD("model", PICK_STR, struct task_wish, spec.model, 0),
    PICK_FIELD("effort", PICK_STR, struct task_wish, spec.effort, 0),
    PICK_FIELD("output_format", PICK_STR, struct task_wish, spec.output_format, 0),
    PICK_FIELD("mode", PICK_STR, struct task_wish, mode, 0),
    PICK_RANGE("max_turns", struct task_wish, spec.max_turns, 0, 1, AGENT_TURNS_MOST),
    PICK_FIELD("budget_usd", PICK_DOUBLE, struct task_wish, spec.budget_usd, 0),
    PICK_FIELD("context", PICK_STR, struct task_wish, spec.context, 0),
    PICK_FIELD("session", PICK_STR, struct task_wish, spec.session, 0),
    PICK_FIELD("lock", PICK_STRS, struct task_wish, spec.lock, 0),
    PICK_FIELD("isolate", PICK_BOOL, struct task_wish, spec.isolate, 0),
};

static bool check_word(struct json body, const char *key, struct str word, struct err *e)
{
    return !word.p || agent_word_known(str_of(key), word) ||
           json_fail(json_get(body, str_of(key)), e, "expected %s", agent_words(str_of(key)));
}

static bool check_wish(struct json body, const struct task_wish *w, enum agent_mode *mode,
                       struct err *e)
{
    double usd = w->spec.budget_usd;

    if (w->mode.p && !agent_mode_named(w->mode, mode))
        return json_fail(json_get(body, STR("mode")), e, "expected read-only or read-write");
    if (json_here(json_get(body, STR("budget_usd"))) && !(usd >= 0 && usd <= AGENT_BUDGET_MOST))
        return json_fail(json_get(body, STR("budget_usd")), e, "expected 0 to %d US dollars",
                         AGENT_BUDGET_MOST);
    return check_word(body, "effort", w->spec.effort, e) &&
           check_word(body, "output_format", w->spec.output_format, e);
}

static bool read_wish(struct task_creation *c, enum agent_mode *mode, struct err *e)
{
    struct http_req *req = c->visit.req;
    struct json_opts opts = limits_json(c->visit.web->limits);
    struct task_wish w = { .spec = { .budget_usd = -1 } };
    struct json body;

    if (!json_read(&req->mem, req->body, &opts, &body, e))
        return fail_in(e, "the body is not JSON");
    if (!pick(&req->mem, body, PICK_TABLE(wish_fields), PICK_STRICT, &w, e) ||
        !blocks_pick(&req->mem, body, "task", w.task, w.parts, c->visit.web->limits, &w.spec.prompt,
                     e) ||
        !check_wish(body, &w, mode, e))
        return false;
    c->spec = w.spec;
    return true;
}

/* What clients of [mcp] may is the most, as for a dispatch by tool. */
static void set_rights(struct task_creation *c, enum agent_mode mode)
{
    struct web *s = c->visit.web;
    struct guard_scope caller = { .name = "the caller",
                                  .parent = guard_face(s->guard, c->spec.origin) };

    c->spec.rights = guard_scope_text(&c->visit.req->mem, s->limits, &caller, s->guard);
    c->spec.read_only = mode == AGENT_READ_ONLY || guard_is_read_only(&caller);
    if (mode == AGENT_READ_WRITE)
        c->spec.mode_reason = agent_mode_reason(&c->visit.req->mem, NULL, mode, &caller);
}

static void on_created(struct op *op, const struct err *e, void *ctx)
{
    struct task_creation *c = ctx;

    (void)op;
    api_reply_task(&c->visit, &c->ask, 201, e);
}

static void create_task(struct api_visit *v)
{
    struct task_creation *c = (struct task_creation *)(void *)v;

    if (v->req->conn)
        task_create(api_engine(v), &c->ask, &c->spec, NULL, on_created, c);
    else /* it left while it waited, and would never hear of the task */
        api_refuse(v->req, &(struct err){ ERR_CLOSED, "the client disconnected" });
}

/* NULL: the request was refused. */
static struct task_creation *creation_new(struct http_req *req, enum agent_mode *mode)
{
    struct task_creation *c = ARENA_NEW(&req->mem, struct task_creation);
    struct err e;

    api_visit_init(&c->visit, req);
    if (!api_takes_json(req))
        return NULL;
    if (read_wish(c, mode, &e))
        return c;
    api_refuse(req, &e);
    return NULL;
}

static void begin_task(struct task_creation *c, const struct principal *by, const char *caller)
{
    c->visit.principal = *by;
    c->spec.owner = str_of(c->visit.principal.name);
    c->spec.origin = c->visit.principal.origin;
    c->spec.caller = caller;
    api_visit_begin(&c->visit, create_task);
}

void tasks_api_create(struct http_req *req)
{
    enum agent_mode mode = AGENT_READ_WRITE;
    struct task_creation *c = creation_new(req, &mode);

    struct principal by;

    if (!c)
        return;
    by = c->visit.principal;
    c->spec.origin = by.origin;
    set_rights(c, mode);
    begin_task(c, &by, "api");
}

void tasks_api_dispatch(struct http_req *req)
{
    const struct principal self = principal_self(ORIGIN_TERMINAL);
    enum agent_mode mode = AGENT_READ_WRITE;
    struct task_creation *c = creation_new(req, &mode);

    if (!c)
        return;
    c->spec.read_only = mode == AGENT_READ_ONLY;
    begin_task(c, &self, origin_rows[self.origin].caller);
}
