#include "daemon/work_stream.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/list.h"
#include "daemon/work_message.h"
#include "runtime/service.h"

enum { OUT_KEPT = 64 << 10 };

/*
 * A question of the agent. Its op is a child of the ask's op, so that the daemon notices when the
 * question is withdrawn.
 */
struct work_ask {
    struct op op; /* first */
    struct work_stream *stream;
    struct ask *ask;
    int64_t id;
    struct json answer;
    struct work_ask *next;
};

/* ---- messages -------------------------------------------------------------------------------- */

struct jw work_message_begin(struct work_stream *s)
{
    struct jw w = jw_to(&s->out);

    buf_clear(&s->out);
    jw_object(&w);
    return w;
}

bool work_message_send(struct work_stream *s, struct jw *w)
{
    bool fits;

    jw_object_end(w);
    fits = !s->out.full;
    if (fits && s->req->conn)
        http_sse_send(s->req, &(struct sse_out){ .data = buf_str(&s->out) });
    buf_trim(&s->out, OUT_KEPT);
    return fits;
}

/* ---- questions ------------------------------------------------------------------------------- */

static void drop_ask(struct work_ask *q)
{
    LIST_UNLINK(q->stream->asks, q, next);
}

static void on_work_answered(struct op *op, const struct err *e, void *ctx)
{
    struct work_ask *q = ctx;

    (void)op;
    if (e)
        ask_refuse(q->ask, e);
    else
        ask_answer(q->ask, q->answer);
}

static void on_ask_withdrawn(struct op *op)
{
    struct work_ask *q = CONTAINER_OF(op, struct work_ask, op);
    struct jw w;

    if (op->settled)
        return;
    drop_ask(q);
    w = work_message_begin(q->stream);
    jw_kint(&w, "taken", q->id);
    work_message_send(q->stream, &w);
    op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind work_ask_kind = { .name = "work ask", .cancel = on_ask_withdrawn };

static bool send_ask(struct work_ask *q)
{
    struct jw w = work_message_begin(q->stream);

    jw_kint(&w, "ask", q->id);
    jw_kstr(&w, "kind", str_of(ask_names[q->ask->kind]));
    jw_kraw(&w, "params", q->ask->params);
    return work_message_send(q->stream, &w);
}

void work_stream_ask(struct work_stream *s, struct ask *ask)
{
    struct work_ask *q = ARENA_NEW(ask->call->mem, struct work_ask);

    *q = (struct work_ask){ .stream = s, .ask = ask, .id = ++s->last_ask, .next = s->asks };
    if (!send_ask(q)) {
        ask_refuse(ask, &(struct err){ ERR_LIMIT, "the question is too large" });
        return;
    }
    s->asks = q;
    op_begin(&q->op, &work_ask_kind, ask->op.loop, &ask->op, on_work_answered, q);
}

/* Pass an answer to its question. False: the question was withdrawn or has been answered before. */
static bool take_answer(struct work_stream *s, const struct work_message *m)
{
    struct json_opts opts = limits_json(s->service->limits);
    struct work_ask *q = s->asks;
    struct arena *mem;
    struct err e;

    while (q && q->id != m->answer)
        q = q->next;
    if (!q)
        return false;
    drop_ask(q);
    mem = q->ask->call->mem;
    if (!json_here(m->value))
        fail(&e, err_code_named(m->code), STR_FMT, STR_ARG(m->text));
    else if (json_read(mem, arena_str(mem, json_raw(m->value)), &opts, &q->answer, &e)) {
        op_ok(&q->op);
        return true;
    }
    op_fail(&q->op, &e);
    return true;
}

/* ---- requests about work --------------------------------------------------------------------- */

static void reply_empty(struct http_req *req)
{
    const struct str body = STR("{}");

    http_reply(req, 200, "application/json", NULL, 0, &body, 1);
}

static void post_answer(struct work_stream *s, struct http_req *req)
{
    struct work_message m;
    struct err e;

    if (!work_message_read(&req->mem, req->body, s->service->limits, &m, &e))
        http_reply_error(req, 400, "%s", e.text);
    else if (!take_answer(s, &m))
        http_reply_error(req, 404, "the question is no longer open");
    else
        reply_empty(req);
}

void work_streams_post(struct work_streams *all, struct http_req *req)
{
    struct str what = req->rest, id = str_cut(&what, '/');
    struct work_stream *s = all->first;

    while (s && !str_eq(id, str_of(s->id)))
        s = s->next;
    if (!s) {
        http_reply_error(req, 404, "there is no such stream; it may have ended");
    } else if (what.p && str_eq(what, STR("cancel"))) {
        work_stream_cancel(s);
        reply_empty(req);
    } else if (what.p && str_eq(what, STR("answer"))) {
        post_answer(s, req);
    } else {
        http_reply_error(req, 404,
                         "unknown path below /api/streams/ID; available are /answer and /cancel");
    }
}

/* ---- start and end --------------------------------------------------------------------------- */

static void on_client_gone(struct http_req *req)
{
    work_stream_cancel(req->data);
}

static void send_id(struct work_stream *s)
{
    struct jw w = work_message_begin(s);

    jw_kstr(&w, "work", str_of(s->id));
    work_message_send(s, &w);
}

void work_stream_begin(struct work_stream *s, struct work_streams *all, struct http_req *req)
{
    s->req = req;
    s->service = req->ctx; /* web is its first member */
    s->all = all;
    s->link = &all->first;
    s->next = all->first;
    if (s->next)
        s->next->link = &s->next;
    all->first = s;
    id_new(loop_wall(s->service->loop), s->id);
    buf_init(&s->out, (size_t)s->service->limits->output_backlog_bytes / 2);
    req->data = s;
    req->on_gone = on_client_gone;
    req->ends = true;
    http_sse_begin(req, NULL, 0);
    send_id(s);
}

void work_stream_cancel(struct work_stream *s)
{
    if (s->state == WORK_ENDING)
        return;
    s->state = WORK_ENDING;
    s->cancel(s);
}

void work_stream_end(struct work_stream *s, int code, bool canceled)
{
    struct work_streams *all = s->all;
    struct jw w = work_message_begin(s);

    jw_kint(&w, "done", code);
    jw_kbool(&w, "canceled", canceled);
    work_message_send(s, &w);
    buf_fini(&s->out);
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    http_stream_end(s->req);
    if (!all->first && all->emptied)
        all->emptied(all);
}
