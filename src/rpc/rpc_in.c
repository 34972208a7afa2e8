/* rpc_in.c - calls made to us: from dispatch to the answer. */
#include "base/container.h"
#include "base/log.h"
#include "base/pick.h"
#include "rpc/peer_parts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- the op ----------------------------------------------------------------------------- */

static struct rpc_in *in_of(struct op *op)
{
    return CONTAINER_OF(op, struct rpc_in, op);
}

/*
 * The children of the op have been cancelled, and the handler answers when they have ended. Without
 * a child, the call is settled here.
 */
static void cancel_in(struct op *op)
{
    if (!op->child)
        op_fail(op, &(struct err){ ERR_CANCELED, "cancelled" });
}

static const struct op_kind in_kind = { .name = "call", .cancel = cancel_in };

/* The call counts as answered, though its op may not have been delivered yet. */
static void answered(struct rpc_in *in)
{
    if (!in->answered)
        in->peer->unanswered--;
    in->answered = true;
}

static void leave_peer(struct rpc_in *in)
{
    struct peer *p = in->peer;

    if (in->older)
        in->older->newer = in->newer;
    if (in->newer)
        in->newer->older = in->older;
    else
        p->serving = in->older;
    answered(in);
}

static void on_in_done(struct op *op, const struct err *e, void *ctx)
{
    struct rpc_in *in = in_of(op);
    struct peer *p = in->peer;
    struct rpc_batch *batch = in->batch;
    struct link *home = in->home;
    struct arena own = in->own;
    bool owns = in->mem == &in->own;

    (void)e;
    (void)ctx;
    leave_peer(in);
    buf_fini(&in->text);
    if (owns)
        arena_pool_give(&p->rpc->arenas, &own); /* also frees *in */
    if (batch)
        rpc_batch_done(batch);
    peer_check_idle(p);
    if (home)
        home->kind->calls(home, -1); /* may free the peer */
}

static void join_peer(struct peer *p, struct rpc_in *in)
{
    in->older = p->serving;
    if (in->older)
        in->older->newer = in;
    p->serving = in;
    p->unanswered++;
}

/* ---- dispatch --------------------------------------------------------------------------- */

/* Create the call inside the memory of the packet, which the call takes over. */
static struct rpc_in *unpack(struct peer *p, struct link *via, struct rpc_batch *batch,
                             struct rpc_packet *packet, const struct rpc_message *m, int version)
{
    struct rpc_in *in = ARENA_NEW(packet->mem, struct rpc_in);

    in->peer = p;
    in->via = via;
    in->batch = batch;
    in->id = m->id;
    in->method = m->method;
    in->params = m->params;
    in->meta = m->meta;
    in->version = version;
    in->mem = packet->mem;
    if (packet->mem == &packet->own) {
        in->own = packet->own;
        in->text = packet->text;
        in->mem = &in->own;
        packet->own = (struct arena){ 0 };
        packet->text = (struct buf){ 0 };
    }
    return in;
}

static bool may_serve(struct peer *p, struct link *via, struct rpc_batch *batch,
                      const struct rpc_message *m, const struct method *row)
{
    char why[200];

    if (!row) {
        if (m->kind == RPC_REQUEST) {
            snprintf(why, sizeof(why), "Method not found: %.*s", (int)str_head(m->method, 100).n,
                     m->method.p);
            rpc_refuse(p, via, batch, json_raw(m->id), RPC_METHOD_NOT_FOUND, str_of(why), STR_NONE);
        }
        return false;
    }
    if (m->kind == RPC_REQUEST && p->unanswered >= (size_t)p->rpc->limits->calls_in_flight) {
        snprintf(why, sizeof(why),
                 "%zu calls are running (the constant calls_in_flight); try again later",
                 p->unanswered);
        rpc_refuse(p, via, batch, json_raw(m->id), RPC_INTERNAL_ERROR, str_of(why), STR_NONE);
        return false;
    }
    return true;
}

void rpc_in_dispatch(struct peer *p, struct link *via, struct rpc_batch *batch,
                     struct rpc_packet *packet, const struct rpc_message *m)
{
    const struct method *row;
    struct rpc_admit pass;
    struct rpc_in *in;

    pass.version = p->version;
    pass.code = 0;
    if (p->kind->admit)
        p->kind->admit(p, m, &pass);
    if (pass.code) {
        if (m->kind == RPC_REQUEST)
            rpc_refuse(p, via, batch, json_raw(m->id), pass.code, pass.message, pass.data);
        return;
    }
    row = method_find(p->kind->methods, m->method, m->kind, pass.version);
    if (!may_serve(p, via, batch, m, row))
        return;
    in = unpack(p, via, batch, packet, m, pass.version);
    if (batch)
        batch->open++;
    if (via->mem && via->kind->calls) {
        in->home = via;
        via->kind->calls(via, 1);
    }
    join_peer(p, in);
    op_begin(&in->op, &in_kind, p->rpc->loop, NULL, on_in_done, NULL);
    row->handler(in);
    if (m->kind == RPC_NOTIFICATION && !in->op.settled)
        op_ok(&in->op);
}

/* ---- answers ---------------------------------------------------------------------------- */

/* Settle the call. Returns whether an answer must be sent. */
static bool rpc_in_settle(struct rpc_in *in)
{
    bool send = in->via && !in->silent && !in->answered && json_here(in->id);

    answered(in);
    if (!in->op.settled)
        op_ok(&in->op);
    return send;
}

static void send_answer(struct rpc_in *in, int code, const struct str *piece, size_t n)
{
    if (in->batch)
        rpc_batch_put(in->batch, piece, n);
    else
        link_answer(in->via, code, piece, n);
}

void rpc_error_data(struct rpc_in *in, int code, struct str message, struct str data)
{
    struct buf *out = &in->peer->rpc->scratch;
    struct jw w = jw_to(out);
    struct str answer;

    if (!rpc_in_settle(in))
        return;
    buf_clear(out);
    rpc_write_error(&w, json_raw(in->id), code, message, data);
    answer = buf_str(out);
    send_answer(in, code, &answer, 1);
    buf_trim(out, 1 << 16);
}

void rpc_error(struct rpc_in *in, int code, const char *fmt, ...)
{
    char text[320];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    rpc_error_data(in, code, str_of(text), STR_NONE);
}

void rpc_error_of(struct rpc_in *in, const struct err *e)
{
    const struct peer_kind *kind = in->peer->kind;
    struct err own;

    if (kind->shown)
        e = kind->shown(in->peer, e, &own);
    rpc_error_data(in, rpc_code_of(e->code), str_of(e->text), STR_NONE);
}

bool rpc_params(struct rpc_in *in, const struct pick *row, size_t rows, void *out)
{
    struct err e;

    for (size_t i = 0; i < rows && !json_here(in->params); i++) {
        if (row[i].flags & PICK_MUST) {
            rpc_error(in, RPC_INVALID_PARAMS, "params: missing required key \"" STR_FMT "\"",
                      STR_ARG(row[i].name));
            return false;
        }
    }
    if (json_here(in->params) && !pick(in->mem, in->params, row, rows, PICK_LENIENT, out, &e)) {
        rpc_error_of(in, &e);
        return false;
    }
    return true;
}

static const struct str answer_head = STR("{\"jsonrpc\":\"2.0\",\"id\":");
static const struct str answer_result = STR(",\"result\":");

void rpc_result_raw(struct rpc_in *in, struct str json)
{
    rpc_result_pieces(in, &json, 1);
}

void rpc_result_pieces(struct rpc_in *in, const struct str *piece, size_t n)
{
    struct str all[LINK_PIECES] = { answer_head, json_raw(in->id), answer_result };

    assert(n <= RPC_PIECES);
    memcpy(all + 3, piece, n * sizeof(*piece));
    all[3 + n] = STR("}");
    if (rpc_in_settle(in))
        send_answer(in, 0, all, n + 4);
}

struct jw *rpc_result_begin(struct rpc_in *in)
{
    struct rpc *rpc = in->peer->rpc;

    buf_clear(&rpc->scratch);
    rpc->writer = jw_to(&rpc->scratch);
    return &rpc->writer;
}

void rpc_result_end(struct rpc_in *in)
{
    struct buf *out = &in->peer->rpc->scratch;
    int64_t most = in->peer->rpc->limits->message_bytes;

    if (out->full || (int64_t)out->n > most)
        rpc_error(in, RPC_INTERNAL_ERROR, "the response is larger than %lld bytes",
                  (long long)most);
    else
        rpc_result_raw(in, buf_str(out));
    buf_trim(out, 1 << 16);
}

/* ---- cancel ----------------------------------------------------------------------------- */

struct rpc_in *peer_find_in(struct peer *p, struct json id)
{
    for (struct rpc_in *in = p->serving; in; in = in->older)
        if (json_here(in->id) && !in->answered && str_eq(json_raw(in->id), json_raw(id)))
            return in;
    return NULL;
}

void rpc_in_cancel(struct rpc_in *in)
{
    in->silent = true;
    op_cancel(&in->op);
}
