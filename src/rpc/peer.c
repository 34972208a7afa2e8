/* peer.c - the life of a peer, and the dispatch of its messages. */
#include "rpc/peer.h"

#include "base/container.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "rpc/peer_parts.h"

#include <assert.h>
#include <stdio.h>

enum { ERROR_ROOM = 8192 }; /* an error always fits, however small the limit */

void rpc_init(struct rpc *rpc, struct loop *loop, const struct limits *limits)
{
    *rpc = (struct rpc){ .loop = loop, .limits = limits };
    buf_init(&rpc->scratch, (size_t)limits->message_bytes + ERROR_ROOM);
}

void rpc_fini(struct rpc *rpc)
{
    buf_fini(&rpc->scratch);
    arena_pool_fini(&rpc->arenas);
}

/* ---- life ------------------------------------------------------------------------------- */

static void on_idle_check(struct post *post)
{
    struct peer *p = CONTAINER_OF(post, struct peer, idle);

    if (peer_idle(p) && p->on_idle)
        p->on_idle(p);
}

void peer_init(struct peer *p, struct rpc *rpc, const struct peer_kind *kind, struct link *link,
               void *ctx)
{
    *p = (struct peer){ .rpc = rpc, .kind = kind, .link = link, .ctx = ctx };
    p->idle.fn = on_idle_check;
}

bool peer_idle(const struct peer *p)
{
    return !p->serving && !p->awaited_count;
}

void peer_check_idle(struct peer *p)
{
    if (p->on_idle && peer_idle(p))
        loop_post(p->rpc->loop, &p->idle);
}

void peer_lose_link(struct peer *p, struct link *via)
{
    for (struct rpc_in *in = p->serving; in; in = in->older) {
        if (in->via != via)
            continue;
        in->via = NULL;
        if (in->batch)
            in->batch->via = NULL;
        op_cancel(&in->op);
    }
    for (uint32_t i = 0; i < p->awaited_room; i++)
        if (p->awaited[i] && p->awaited[i]->via == via)
            p->awaited[i]->via = NULL;
    if (p->link == via)
        p->link = NULL;
}

void peer_await_no_more(struct peer *p)
{
    struct err gone = { ERR_CLOSED, "the connection is closed" };

    peer_fail_calls(p, &gone);
}

void peer_hang_up(struct peer *p)
{
    for (struct rpc_in *in = p->serving; in; in = in->older) {
        in->via = NULL;
        if (in->batch)
            in->batch->via = NULL;
        op_cancel(&in->op);
    }
    p->link = NULL;
    peer_await_no_more(p);
    peer_check_idle(p);
}

void peer_fini(struct peer *p)
{
    assert(peer_idle(p));
    loop_unpost(p->rpc->loop, &p->idle);
    mem_free(p->awaited);
    p->awaited = NULL;
    p->awaited_room = 0;
}

/* ---- rejecting -------------------------------------------------------------------------- */

void rpc_write_error(struct jw *w, struct str id, int code, struct str message, struct str data)
{
    jw_object(w);
    jw_kstr(w, "jsonrpc", STR("2.0"));
    jw_kraw(w, "id", id.p ? id : STR("null"));
    jw_key(w, STR("error"));
    jw_object(w);
    jw_kint(w, "code", code);
    jw_kstr(w, "message", message);
    jw_kraw(w, "data", data);
    jw_object_end(w);
    jw_object_end(w);
}

void rpc_batch_put(struct rpc_batch *batch, const struct str *piece, size_t n)
{
    buf_putc(&batch->out, batch->out.n ? ',' : '[');
    for (size_t i = 0; i < n; i++)
        buf_put(&batch->out, piece[i]);
}

void rpc_refuse(struct peer *p, struct link *via, struct rpc_batch *batch, struct str id, int code,
                struct str message, struct str data)
{
    struct buf *out = &p->rpc->scratch;
    struct jw w = jw_to(out);
    struct str answer;

    buf_clear(out);
    rpc_write_error(&w, id, code, message, data);
    answer = buf_str(out);
    if (batch)
        rpc_batch_put(batch, &answer, 1);
    else if (via)
        link_answer(via, code, &answer, 1);
}

/* ---- batches ---------------------------------------------------------------------------- */

static void send_batch(struct rpc_batch *batch)
{
    struct str all[] = { buf_str(&batch->out), STR("]") };

    if (batch->out.full)
        rpc_refuse(batch->peer, batch->via, NULL, STR_NONE, RPC_INTERNAL_ERROR,
                   STR("the responses to this batch are too large (limits.message_bytes)"),
                   STR_NONE);
    else if (batch->out.n)
        link_answer(batch->via, 0, all, 2);
}

void rpc_batch_done(struct rpc_batch *batch)
{
    struct arena mem;

    if (--batch->open)
        return;
    if (batch->via)
        send_batch(batch);
    buf_fini(&batch->out);
    buf_fini(&batch->text);
    mem = batch->mem;
    arena_fini(&mem);
}

static void take_message(struct peer *p, struct link *via, struct rpc_batch *batch,
                         struct rpc_packet *packet);

static void take_batch(struct peer *p, struct link *via, struct rpc_packet *packet)
{
    size_t count = json_count(packet->root), most = (size_t)p->rpc->limits->batch_items;
    struct rpc_batch *batch;
    char why[80];

    if (!p->batches || !count || count > most) {
        if (!p->batches)
            snprintf(why, sizeof(why), "batches are not part of this protocol version");
        else
            snprintf(why, sizeof(why), "a batch must have 1 to %zu messages; this one has %zu",
                     most, count);
        rpc_refuse(p, via, NULL, STR_NONE, RPC_INVALID_REQUEST, str_of(why), STR_NONE);
        return;
    }
    batch = ARENA_NEW(packet->mem, struct rpc_batch);
    batch->peer = p;
    batch->via = via;
    batch->open = 1;
    buf_init(&batch->out, (size_t)p->rpc->limits->message_bytes);
    if (packet->mem == &packet->own) {
        batch->mem = packet->own;
        batch->text = packet->text;
        packet->own = (struct arena){ 0 };
        packet->text = (struct buf){ 0 };
        packet->mem = &batch->mem;
    }
    JSON_EACH(item, packet->root)
    {
        struct rpc_packet one = { .mem = packet->mem, .root = item };

        take_message(p, via, batch, &one);
    }
    packet->mem = &packet->own;
    rpc_batch_done(batch);
}

/* ---- frames ----------------------------------------------------------------------------- */

/* A malformed message has arrived: answer it with an error, or notify the protocol. */
static void reject(struct peer *p, struct link *via, struct rpc_batch *batch, struct str id,
                   int code, const struct err *why)
{
    if (p->kind->on_garbage)
        p->kind->on_garbage(p, id, why);
    else
        rpc_refuse(p, via, batch, id, code, str_of(why->text), STR_NONE);
}

static void act_on(struct peer *p, struct link *via, struct rpc_batch *batch,
                   struct rpc_packet *packet, const struct rpc_message *m)
{
    switch (m->kind) {
    case RPC_REQUEST:
    case RPC_NOTIFICATION: rpc_in_dispatch(p, via, batch, packet, m); break;
    case RPC_RESPONSE: rpc_out_answer(p, packet, m); break;
    case RPC_MALFORMED: reject(p, via, batch, json_raw(m->id), m->code, &m->why); break;
    }
}

static void take_message(struct peer *p, struct link *via, struct rpc_batch *batch,
                         struct rpc_packet *packet)
{
    struct rpc_message m;

    rpc_message_read(packet->mem, packet->root, &m);
    act_on(p, via, batch, packet, &m);
}

static void refuse_frame(struct peer *p, struct link *via, const struct frame *frame)
{
    struct str id = STR_NONE;
    struct err why;

    if (frame->kind == FRAME_TOO_LARGE) {
        id = rpc_salvage_id(frame->text);
        fail(&why, ERR_LIMIT, "the message is larger than %lld bytes (limits.message_bytes)",
             (long long)p->rpc->limits->message_bytes);
    } else if (frame->text.p) {
        fail(&why, ERR_INVALID, "bad header line \"" STR_FMT "\"; expected Content-Length: N",
             STR_ARG(utf8_head(frame->text, 60)));
    } else {
        fail(&why, ERR_INVALID, "the header block has no Content-Length");
    }
    reject(p, via, NULL, id, RPC_INVALID_REQUEST, &why);
}

enum { COPY_UP_TO = 32 << 10 };

/* Move the bytes of a message to memory that lasts as long as its call, and parse them. */
static bool open_packet(struct peer *p, struct link *via, const struct frame *frame,
                        struct rpc_packet *packet, struct err *e)
{
    struct json_opts opts = limits_json(p->rpc->limits);
    struct str text = frame->text;

    *packet = (struct rpc_packet){ .mem = via->mem };
    if (!via->mem) {
        packet->own = arena_pool_take(&p->rpc->arenas);
        packet->mem = &packet->own;
    }
    if (!via->mem && text.n <= COPY_UP_TO)
        text = arena_str(&packet->own, text);
    else if (!via->mem)
        text = frame_take(frame, &packet->text);
    return json_read(packet->mem, text, &opts, &packet->root, e);
}

void peer_receive(struct peer *p, struct link *via, const struct frame *frame)
{
    struct rpc_packet packet;
    struct err e;

    if (frame->kind != FRAME_MESSAGE) {
        refuse_frame(p, via, frame);
        peer_check_idle(p);
        return;
    }
    if (!open_packet(p, via, frame, &packet, &e))
        reject(p, via, NULL,
               p->kind->on_garbage ? rpc_salvage_id(str_head(frame->text, FRAME_SALVAGE))
                                   : STR_NONE,
               e.code == ERR_LIMIT ? RPC_INVALID_REQUEST : RPC_PARSE_ERROR, &e);
    else if (json_type(packet.root) == JSON_ARRAY)
        take_batch(p, via, &packet);
    else
        take_message(p, via, NULL, &packet);
    buf_fini(&packet.text); /* empty if a call has taken the bytes */
    arena_pool_give(&p->rpc->arenas, &packet.own);
    peer_check_idle(p);
}

void peer_receive_tree(struct peer *p, struct link *via, struct json root,
                       const struct rpc_message *m)
{
    struct rpc_packet packet = { .mem = via->mem, .root = root };

    if (m)
        act_on(p, via, NULL, &packet, m);
    else
        take_batch(p, via, &packet);
    peer_check_idle(p);
}

void peer_notify(struct peer *p, struct link *via, const char *method, struct str params)
{
    struct str all[] = {
        STR("{\"jsonrpc\":\"2.0\",\"method\":\""),
        str_of(method),
        params.p ? STR("\",\"params\":") : STR("\""),
        params,
        STR("}"),
    };

    if (!via)
        via = p->link;
    if (via)
        link_send(via, all, ARRAY_LEN(all));
}
