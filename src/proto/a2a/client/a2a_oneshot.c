#include "proto/a2a/client/a2a_oneshot.h"

#include "base/auto.h"

static void cancel_oneshot(struct op *op)
{
    (void)op; /* the op below it is cancelled, too, and its end settles this one */
}

static const struct op_kind oneshot_kind = { .name = "a2a operation", .cancel = cancel_oneshot };

static bool take_answer(struct a2a_oneshot *o, int status, struct str text)
{
    AUTO_ARENA mem = { 0 };
    struct a2a_reply reply;

    if (!a2a_reply_read(&mem, o->peer->o.limits, o->id, status, text, &reply, &o->broke))
        return false;
    if (reply.err.code)
        o->broke = reply.err;
    else if (json_here(reply.result))
        o->on_result(o, &mem, reply.result);
    else
        fail(&o->broke, ERR_INVALID, "the answer of the agent has no result");
    return !o->broke.code;
}

static void on_event(struct a2a_exchange *x, struct str data)
{
    struct a2a_oneshot *o = x->ctx;

    if (!take_answer(o, 200, data))
        op_cancel(&x->op);
}

static void on_exchanged(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_oneshot *o = ctx;

    (void)op;
    if (!e && !o->exchange.streamed)
        take_answer(o, o->exchange.status, o->exchange.text);
    if (o->broke.code || e)
        op_fail(&o->op, o->broke.code ? &o->broke : e);
    else
        op_ok(&o->op);
}

static bool ask_it(struct a2a_oneshot *o, struct err *e)
{
    struct a2a_peer *p = o->peer;
    struct a2a_request req;

    o->id = ++p->requests;
    if (!a2a_request_write(o->mem, p->o.limits, &p->face, o->ask, o->id, &req, e))
        return false;
    o->exchange = (struct a2a_exchange){
        .peer = p,
        .mem = o->mem,
        .method = req.method,
        .url = req.url,
        .body = req.body,
        .version = a2a_version_header(p->face.dialect),
        .streams = a2a_op_streams(o->ask->op),
        .whole_ms = a2a_op_streams(o->ask->op) ? FETCH_NEVER : o->whole_ms,
        .trace = o->trace,
        .on_event = on_event,
        .ctx = o,
    };
    a2a_exchange_start(&o->exchange, &o->op, on_exchanged, o);
    return true;
}

static void on_met(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_oneshot *o = ctx;
    struct err why;

    (void)op;
    if (e)
        op_fail(&o->op, e);
    else if (!o->ask)
        op_ok(&o->op);
    else if (!ask_it(o, &why))
        op_fail(&o->op, &why);
}

void a2a_oneshot_start(struct a2a_oneshot *o, struct op *parent, op_done_fn *done, void *ctx)
{
    op_begin(&o->op, &oneshot_kind, o->peer->o.loop, parent, done, ctx);
    a2a_meet(&o->meeting, o->peer, &o->op, on_met, o);
}
