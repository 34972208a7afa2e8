/*
 * operator_run.c - POST /api/run: the daemon works on a prompt of `trefoil run`.
 *
 * When the daemon has just started, the job waits for servers and agents first.
 */
#include "daemon/operator_api.h"

#include "base/container.h"
#include "daemon/work_message.h"
#include "runtime/service.h"
#include "term/print.h"
#include "term/question.h"
#include "web/api_request.h"

struct operator_run {
    struct work_stream stream; /* first */
    struct run_job job;
    struct work_client client;
    struct run_want want;
    bool person; /* the client has a terminal, so it can ask a person */
    struct readiness_wait wait;
    bool working; /* the job is running */
};

static struct operator_run *run_of_job(struct run_job *j)
{
    return CONTAINER_OF(j, struct operator_run, job);
}

/* ---- reports of the job ---------------------------------------------------------------------- */

static void on_job_begins(struct run_job *j, struct str session, struct str agent, struct str model)
{
    struct work_stream *s = &run_of_job(j)->stream;
    struct jw w = work_message_begin(s);

    jw_plain_key(&w, STR("begins"));
    jw_object(&w);
    jw_kstr(&w, "session", session);
    jw_kstr(&w, "agent", agent);
    jw_kstr(&w, "model", model);
    jw_object_end(&w);
    work_message_send(s, &w);
}

static void on_job_turns(struct run_job *j)
{
    struct work_stream *s = &run_of_job(j)->stream;
    struct jw w = work_message_begin(s);

    jw_kbool(&w, "turns", true);
    work_message_send(s, &w);
}

static void on_job_note(struct run_job *j, struct str text)
{
    struct work_stream *s = &run_of_job(j)->stream;
    struct jw w = work_message_begin(s);

    jw_kstr(&w, "note", text);
    work_message_send(s, &w);
}

static void on_job_done(struct run_job *j, int code, bool canceled)
{
    struct operator_run *r = run_of_job(j);

    work_stream_end(&r->stream, code, canceled);
}

static const struct run_job_kind operator_job_kind = { on_job_begins, on_job_turns, on_job_note,
                                                       on_job_done };

/* ---- events and questions of the turn -------------------------------------------------------- */

static struct operator_run *run_of_client(const struct work_client *c)
{
    return (struct operator_run *)(uintptr_t)CONTAINER_OF(c, const struct operator_run, client);
}

static bool send_event(struct work_stream *s, struct str below, const struct event *ev)
{
    struct jw w = work_message_begin(s);

    jw_kstr(&w, "below", below);
    jw_plain_key(&w, STR("event"));
    event_write(&w, ev);
    return work_message_send(s, &w);
}

static void on_turn_event(struct work_client *c, const struct event *ev)
{
    struct work_stream *s = &run_of_client(c)->stream;
    const struct event cut = {
        .kind = EVENT_NOTICE,
        .notice = { NOTICE_WARNING, STR("an event was too large and is not shown") },
    };

    if (!send_event(s, STR_NONE, ev))
        send_event(s, STR_NONE, &cut);
}

static void on_turn_below(struct work_client *c, struct str session, const struct event *ev)
{
    send_event(&run_of_client(c)->stream, session, ev);
}

static bool on_turn_can(const struct work_client *c, enum ask_kind kind)
{
    return kind == ASK_PERMISSION || (asking_can(kind) && run_of_client(c)->person);
}

static void on_turn_ask(struct work_client *c, struct ask *ask)
{
    work_stream_ask(&run_of_client(c)->stream, ask);
}

static const struct work_client_kind operator_client_kind = { on_turn_event, on_turn_can,
                                                              on_turn_ask, on_turn_below };

/* ---- start and end --------------------------------------------------------------------------- */

static void start_job(struct operator_run *r)
{
    r->working = true;
    run_job_start(&r->job);
}

static void on_run_ready(struct op *op, const struct err *e, void *ctx)
{
    struct operator_run *r = ctx;

    if (e || op->canceled || r->stream.state == WORK_ENDING)
        work_stream_end(&r->stream, EXIT_FAILED, true);
    else
        start_job(r);
}

static void cancel_run(struct work_stream *s)
{
    struct operator_run *r = (struct operator_run *)(void *)s;

    if (r->working)
        run_job_cancel(&r->job);
    else
        op_cancel(&r->wait.op);
}

static bool read_run(struct http_req *req, struct operator_run *r, struct err *e)
{
    struct service *s = req->ctx;
    struct json_opts opts = limits_json(s->limits);
    struct json body;

    return json_read(&req->mem, req->body, &opts, &body, e) &&
           run_want_read(&req->mem, body, &r->want, &r->person, e);
}

void operator_run_post(struct daemon *d, struct http_req *req)
{
    struct operator_run *r = ARENA_NEW(&req->mem, struct operator_run);
    struct service *s = d->service;
    struct err e;

    if (!api_takes_json(req))
        return;
    if (!read_run(req, r, &e)) {
        http_reply_error(req, 400, "%s", e.text);
        return;
    }
    r->client.kind = &operator_client_kind;
    r->stream.cancel = cancel_run;
    r->job = (struct run_job){ .kind = &operator_job_kind,
                               .shop = d->runtime,
                               .root = s->offer.host.root,
                               .client = &r->client,
                               .want = &r->want };
    work_stream_begin(&r->stream, &d->works, req);
    if (s->readiness.open)
        readiness_wait(&s->readiness, &r->wait, s->loop, s->limits, NULL, on_run_ready, r);
    else
        start_job(r);
}
