/*
 * operator_tools.c - GET /api/tools and POST /api/tools/call: the tools of the daemon, for
 * `trefoil tools`. Both wait until the servers have been tried.
 */
#include "daemon/operator_api.h"

#include "base/auto.h"
#include "base/container.h"
#include "runtime/service_tools.h"
#include "term/print.h"
#include "term/question.h"
#include "web/api_request.h"

/* ---- lists ----------------------------------------------------------------------------------- */

struct ready_reply {
    struct http_req *req;
    http_handler_fn *reply;
    struct readiness_wait wait;
};

static void on_list_ready(struct op *op, const struct err *e, void *ctx)
{
    struct ready_reply *r = ctx;

    (void)op;
    (void)e;
    r->reply(r->req);
}

void operator_when_ready(struct daemon *d, struct http_req *req, http_handler_fn *reply)
{
    struct ready_reply *r = ARENA_NEW(&req->mem, struct ready_reply);
    struct service *s = d->service;

    *r = (struct ready_reply){ .req = req, .reply = reply };
    if (s->readiness.open)
        readiness_wait(&s->readiness, &r->wait, s->loop, s->limits, NULL, on_list_ready, r);
    else
        reply(req);
}

void operator_tools_reply(struct http_req *req)
{
    struct service *s = req->ctx;
    AUTO_BUF body;
    struct jw w = jw_to(&body);

    buf_init(&body, (size_t)s->limits->output_backlog_bytes);
    service_tools_write(&w, s);
    api_reply(req, 200, &body);
}

/* ---- one call -------------------------------------------------------------------------------- */

struct operator_call {
    struct work_stream stream; /* first */
    struct str name;
    struct json args;
    bool person, yes;
    struct readiness_wait wait;
    struct arena mem; /* memory of the call */
    struct principal self;
    struct caller caller;
    struct call call;
    bool calling; /* the call is running */
};

static const struct pick call_fields[] = {
    PICK_FIELD("name", PICK_STR, struct operator_call, name, PICK_MUST),
    PICK_FIELD("arguments", PICK_OBJECT, struct operator_call, args, 0),
    PICK_FIELD("person", PICK_BOOL, struct operator_call, person, 0),
    PICK_FIELD("yes", PICK_BOOL, struct operator_call, yes, 0),
};

static struct operator_call *call_of(const struct caller *c)
{
    return (struct operator_call *)(uintptr_t)CONTAINER_OF(c, const struct operator_call, caller);
}

static bool operator_can_ask(const struct caller *c, enum ask_kind kind)
{
    const struct operator_call *o = call_of(c);

    return (kind == ASK_PERMISSION && o->yes) || (asking_can(kind) && o->person);
}

static void operator_ask(struct caller *c, struct ask *ask)
{
    struct operator_call *o = call_of(c);

    if (ask->kind == ASK_PERMISSION && o->yes)
        asking_allow(ask);
    else
        work_stream_ask(&o->stream, ask);
}

static void operator_progress(struct caller *c, const struct progress *p)
{
    struct work_stream *s = &call_of(c)->stream;
    struct jw w = work_message_begin(s);

    jw_plain_key(&w, STR("progress"));
    jw_object(&w);
    jw_kstr(&w, "done", p->done);
    jw_kstr(&w, "total", p->total);
    jw_kstr(&w, "message", p->message);
    jw_object_end(&w);
    work_message_send(s, &w);
}

static void operator_log(struct caller *c, enum call_level level, struct str logger,
                         struct str data)
{
    struct work_stream *s = &call_of(c)->stream;
    struct jw w = work_message_begin(s);

    (void)logger;
    jw_kint(&w, "log", level);
    jw_kstr(&w, "text", data);
    work_message_send(s, &w);
}

static const struct caller_kind operator_caller_kind = {
    .can = operator_can_ask,
    .ask = operator_ask,
    .progress = operator_progress,
    .log = operator_log,
};

static void end_call(struct operator_call *o, bool canceled)
{
    arena_fini(&o->mem);
    work_stream_end(&o->stream, EXIT_OK, canceled);
}

static void send_failure(struct operator_call *o, const struct err *e)
{
    struct jw w = work_message_begin(&o->stream);

    jw_kstr(&w, "failed", str_of(err_code_name(e->code)));
    jw_kstr(&w, "text", str_of(e->text));
    work_message_send(&o->stream, &w);
}

static void send_result(struct operator_call *o)
{
    struct jw w = work_message_begin(&o->stream);

    jw_kraw(&w, "result",
            service_call_result(&o->call, (size_t)o->stream.service->limits->output_backlog_bytes));
    if (!work_message_send(&o->stream, &w))
        send_failure(o, &(struct err){ ERR_LIMIT, "the result is larger than "
                                                  "limits.output_backlog_bytes / 2" });
}

static void on_call_done(struct op *op, const struct err *e, void *ctx)
{
    struct operator_call *o = ctx;
    struct err refused;

    (void)op;
    if (e) {
        send_failure(o, e);
    } else if (o->call.raw_error.p) {
        fail(&refused, ERR_INVALID, "refused: " STR_FMT, STR_ARG(str_head(o->call.raw_error, 200)));
        send_failure(o, &refused);
    } else {
        send_result(o);
    }
    end_call(o, false);
}

static void send_note(void *ctx, const struct err *e)
{
    struct work_stream *s = ctx;
    struct jw w = work_message_begin(s);

    jw_kstr(&w, "note", str_of(e->text));
    work_message_send(s, &w);
}

/*
 * Parse the arguments separately, so that errors contain positions in the arguments, not in the
 * request.
 */
static bool read_args(struct operator_call *o, struct err *e)
{
    struct json_opts opts = limits_json(o->stream.service->limits);

    return !json_here(o->args) ||
           json_read(&o->mem, arena_str(&o->mem, json_raw(o->args)), &opts, &o->args, e);
}

static void fail_call(struct operator_call *o, const struct err *e)
{
    send_failure(o, e);
    end_call(o, false);
}

static void start_call(struct operator_call *o)
{
    struct service *s = o->stream.service;
    struct err e;
    const struct tool *t = service_find_tool(s, o->name, &e);

    if (!t)
        service_each_unavailable(s, send_note, &o->stream);
    if (!t || !read_args(o, &e)) {
        fail_call(o, &e);
        return;
    }
    o->self = principal_self(ORIGIN_TERMINAL);
    o->caller = (struct caller){ .kind = &operator_caller_kind,
                                 .name = origin_rows[ORIGIN_TERMINAL].caller,
                                 .origin = o->self.origin,
                                 .principal = str_of(o->self.name) };
    o->calling = true;
    tool_run(t, &o->call, &s->offer.host, &o->caller, &o->mem, o->args, NULL, on_call_done, o);
}

static void on_call_ready(struct op *op, const struct err *e, void *ctx)
{
    struct operator_call *o = ctx;

    if (e || op->canceled || o->stream.state == WORK_ENDING)
        end_call(o, true);
    else
        start_call(o);
}

static void cancel_call(struct work_stream *s)
{
    struct operator_call *o = (struct operator_call *)(void *)s;

    op_cancel(o->calling ? &o->call.op : &o->wait.op);
}

void operator_tools_call(struct daemon *d, struct http_req *req)
{
    struct operator_call *o = ARENA_NEW(&req->mem, struct operator_call);
    struct service *s = d->service;
    struct json_opts opts = limits_json(s->limits);
    struct json body;
    struct err e;

    if (!api_takes_json(req))
        return;
    if (!json_read(&req->mem, req->body, &opts, &body, &e) ||
        !pick(&req->mem, body, PICK_TABLE(call_fields), PICK_STRICT, o, &e)) {
        http_reply_error(req, 400, "%s", e.text);
        return;
    }
    /* A server of a configuration that was just reloaded may still be connecting. */
    if (!s->readiness.open && !service_find_tool(s, o->name, &e)) {
        http_reply_error(req, 409, "%s", e.text);
        return;
    }
    o->stream.cancel = cancel_call;
    work_stream_begin(&o->stream, &d->works, req);
    if (s->readiness.open && !offer_tool(&s->offer, o->name))
        readiness_wait(&s->readiness, &o->wait, s->loop, s->limits, NULL, on_call_ready, o);
    else
        start_call(o);
}
