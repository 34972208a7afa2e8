#include "proto/a2a/server/a2a_call.h"

#include "base/auto.h"
#include "core/shown_error.h"
#include "proto/http_principal.h"

#include <stdarg.h>
#include <stdio.h>

struct a2a_call *a2a_call_new(struct a2a_server *s, struct http_req *req, enum a2a_binding binding,
                              enum a2a_dialect dialect)
{
    struct a2a_call *c = ARENA_NEW(&req->mem, struct a2a_call);

    c->req = req;
    c->server = s;
    c->binding = binding;
    c->dialect = dialect;
    c->principal = http_principal(req);
    c->params.history = A2A_HISTORY_ALL;
    c->params.state = TASK_STATES;
    c->params.blocking = true;
    return c;
}

struct str a2a_call_sees(const struct a2a_call *c)
{
    return principal_sees(str_of(c->principal.name));
}

/* ---- answers --------------------------------------------------------------------------------- */

const char *a2a_media_type(const struct http_req *req, enum a2a_dialect dialect)
{
    struct str accept = http_req_header(req, "accept");

    return dialect == A2A_1_0 && accept.p && str_find(accept, STR(A2A_MEDIA_TYPE)) >= 0
               ? A2A_MEDIA_TYPE
               : "application/json";
}

/* The results that an operation has kept are not needed any more. */
static void call_release(struct a2a_call *c)
{
    a2a_follow_leave(&c->listener);
    timer_clear(c->server->loop, &c->patience);
    if (c->asked)
        task_ask_fini(&c->ask);
    c->asked = false;
    arena_fini(&c->list.mem);
}

static void call_reply(struct a2a_call *c, int status, const struct http_header *h, size_t n)
{
    const char *type =
        c->binding == A2A_REST ? a2a_media_type(c->req, c->dialect) : "application/json";
    struct str body = buf_str(&c->body);
    struct http_req *req = c->req;
    struct buf own = c->body;

    call_release(c);
    req->on_gone = NULL;
    if (own.full)
        http_reply_error(req, 507, "the response is larger than limits.output_backlog_bytes");
    else
        http_reply(req, status, body.n ? type : NULL, h, n, &body, 1);
    buf_fini(&own);
}

static void envelope_begin(struct jw *w, const struct a2a_call *c)
{
    jw_object(w);
    jw_kplain(w, "jsonrpc", STR("2.0"));
    jw_kraw(w, "id", c->id.p ? c->id : STR("null"));
}

static void body_begin(struct a2a_call *c)
{
    buf_init(&c->body, (size_t)c->server->limits->output_backlog_bytes);
    c->writer = jw_to(&c->body);
}

struct jw *a2a_result_begin(struct a2a_call *c)
{
    body_begin(c);
    if (c->binding == A2A_JSONRPC) {
        envelope_begin(&c->writer, c);
        jw_plain_key(&c->writer, STR("result"));
    }
    return &c->writer;
}

/* HTTP+JSON answers a created object with 201. */
static int status_of(const struct a2a_call *c)
{
    bool sends_03 = c->op == A2A_SEND && c->dialect == A2A_0_3_REST;

    return c->binding == A2A_REST && (sends_03 || c->op == A2A_PUSH_SET) ? 201 : 200;
}

void a2a_result_end(struct a2a_call *c)
{
    if (c->binding == A2A_JSONRPC)
        jw_object_end(&c->writer);
    call_reply(c, status_of(c), NULL, 0);
}

void a2a_answer_nothing(struct a2a_call *c)
{
    body_begin(c);
    call_reply(c, 204, NULL, 0);
}

void a2a_answer_update(struct a2a_call *c, const struct a2a_update *u)
{
    struct jw *w = a2a_result_begin(c);

    if (c->binding == A2A_SIMPLE && u->kind == A2A_TASK)
        a2a_write_task(w, c->dialect, &u->task);
    else
        a2a_write_update(w, c->dialect, u);
    a2a_result_end(c);
}

void a2a_answer_task(struct a2a_call *c, const struct a2a_task *t)
{
    a2a_write_task(a2a_result_begin(c), c->dialect, t);
    a2a_result_end(c);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void write_error_members(struct jw *w, const struct a2a_call *c, enum a2a_error error,
                                struct str message)
{
    const struct a2a_error_row *row = &a2a_errors[error];
    bool modern = c->dialect == A2A_1_0;

    if (c->binding == A2A_REST && modern) {
        jw_kint(w, "code", row->http);
        jw_kplain(w, "status", str_of(row->status));
    } else {
        jw_kint(w, "code", c->binding == A2A_SIMPLE ? row->http : row->code);
    }
    jw_kstr(w, "message", message);
    if (modern) {
        jw_plain_key(w, c->binding == A2A_REST ? STR("details") : STR("data"));
        a2a_write_error_info(w, error);
    }
}

/* 0.3 over HTTP+JSON has no member "error" around the error. */
void a2a_write_error(struct jw *w, const struct a2a_call *c, enum a2a_error error,
                     struct str message)
{
    bool bare = c->binding == A2A_REST && c->dialect == A2A_0_3_REST;

    if (c->binding == A2A_JSONRPC)
        envelope_begin(w, c);
    else
        jw_object(w);
    if (!bare) {
        jw_plain_key(w, STR("error"));
        jw_object(w);
    }
    write_error_members(w, c, error, message);
    if (!bare)
        jw_object_end(w);
    jw_object_end(w);
}

/* The plain REST routes answer 409 for a task that has ended. */
static int error_status(const struct a2a_call *c, enum a2a_error error)
{
    if (error == A2A_DISABLED)
        return 503;
    if (c->binding == A2A_JSONRPC)
        return 200;
    if (c->binding == A2A_SIMPLE && error == A2A_TASK_NOT_CANCELABLE)
        return 409;
    return a2a_errors[error].http;
}

/* Clients of tasks/resubscribe accept only an event stream, so the error is its only event. */
static bool wants_stream(const struct a2a_call *c)
{
    struct str accept = http_req_header(c->req, "accept");

    return c->op == A2A_SUBSCRIBE && c->dialect == A2A_0_3 && c->binding == A2A_JSONRPC &&
           c->id.p && str_find(accept, STR("text/event-stream")) >= 0;
}

static void refuse_in_stream(struct a2a_call *c)
{
    struct http_req *req = c->req;
    struct buf body = c->body;

    call_release(c);
    req->on_gone = NULL;
    http_sse_begin(req, NULL, 0);
    http_sse_send(req, &(struct sse_out){ .data = buf_str(&body) });
    buf_fini(&body);
    http_stream_end(req);
}

static void refuse_text(struct a2a_call *c, enum a2a_error error, int status, struct str text)
{
    static const struct http_header later = { STR("Retry-After"), STR("1") };

    buf_fini(&c->body);
    body_begin(c);
    a2a_write_error(&c->writer, c, error, text);
    if (wants_stream(c) && status == 200) {
        refuse_in_stream(c);
        return;
    }
    call_reply(c, status, &later, error == A2A_BUSY);
}

void a2a_refuse(struct a2a_call *c, enum a2a_error error, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    refuse_text(c, error, error_status(c, error), str_of(text));
}

void a2a_refuse_err(struct a2a_call *c, const struct err *e)
{
    struct err own;

    e = shown_error(c->principal.origin, e, &own);
    if (e->code == ERR_NOT_FOUND && c->params.id.n) {
        a2a_refuse(c, A2A_TASK_NOT_FOUND, "Task not found: " STR_FMT,
                   STR_ARG(str_head(c->params.id, 80)));
        return;
    }
    a2a_refuse(c, a2a_error_of(e->code), "%s", e->text);
}

/* ---- running --------------------------------------------------------------------------------- */

static a2a_op_fn *const op_handlers[A2A_OPS] = {
    [A2A_SEND] = a2a_op_send,
    [A2A_STREAM] = a2a_op_send,
    [A2A_GET] = a2a_op_get,
    [A2A_LIST] = a2a_op_list,
    [A2A_CANCEL] = a2a_op_cancel,
    [A2A_SUBSCRIBE] = a2a_op_subscribe,
    [A2A_PUSH_SET] = a2a_op_push,
    [A2A_PUSH_GET] = a2a_op_push,
    [A2A_PUSH_LIST] = a2a_op_push,
    [A2A_PUSH_DELETE] = a2a_op_push,
    [A2A_EXTENDED_CARD] = a2a_op_card,
};

bool a2a_call_goes_on(struct a2a_call *c)
{
    if (c->req->conn && c->server->agents->tasks)
        return true;
    a2a_refuse(c, A2A_BUSY, c->req->conn ? "trefoil is shutting down" : "the client disconnected");
    return false;
}

static void call_go_on(struct a2a_call *c)
{
    const struct agent_context *agents = c->server->agents;

    if (!c->req->conn) /* it left while it waited */
        a2a_refuse(c, A2A_BUSY, "the client disconnected");
    else if (agents->registry && agents->tasks)
        op_handlers[c->op](c);
    else if (c->server->opening->open)
        a2a_refuse(c, A2A_BUSY, "the agents are still starting; try again");
    else
        a2a_refuse(c, A2A_BUSY, "no agents are available; the log of trefoil has the reason");
}

static void on_agents_opened(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    call_go_on(ctx);
}

void a2a_call_run(struct a2a_call *c)
{
    struct a2a_server *s = c->server;
    enum a2a_error error = A2A_INVALID_PARAMS;
    struct err e;

    if (!s->setup->enabled) {
        a2a_refuse(c, A2A_DISABLED, "A2A disabled: %s", s->setup->why);
        return;
    }
    if (c->principal.origin == ORIGIN_NONE) {
        a2a_refuse(c, A2A_TASK_NOT_FOUND,
                   "the request has no proved identity; use a named API key");
        return;
    }
    if (!a2a_params_read(c, &error, &e)) {
        a2a_refuse(c, error, "%s", e.text);
        return;
    }
    if (c->binding == A2A_JSONRPC && !c->id.p) {
        a2a_refuse(c, A2A_INVALID_REQUEST, "the request needs an id: a string or an integer");
        return;
    }
    if (s->opening->open)
        readiness_wait(s->opening, &c->opening, s->loop, s->limits, NULL, on_agents_opened, c);
    else
        call_go_on(c);
}
