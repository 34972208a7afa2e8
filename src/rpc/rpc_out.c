/*
 * rpc_out.c - calls made by us.
 *
 * An id is generation * SLOTS + slot. The slot finds the call without a search; the generation
 * detects an answer that is late or duplicate.
 */
#include "base/container.h"
#include "base/digits.h"
#include "base/log.h"
#include "base/mem.h"
#include "rpc/peer_parts.h"

enum { SLOTS = 1 << 16, FIRST_SLOTS = 8 };

static struct rpc_out *out_of(struct op *op)
{
    return CONTAINER_OF(op, struct rpc_out, op);
}

static uint32_t slot_of(const struct rpc_out *out)
{
    return (uint32_t)(out->id % SLOTS);
}

/* Stop awaiting the call: a late answer is ignored. */
static void rpc_out_forget(struct rpc_out *out)
{
    struct peer *p = out->peer;

    timer_clear(p->rpc->loop, &out->deadline);
    if (p->awaited[slot_of(out)] == out) {
        p->awaited[slot_of(out)] = NULL;
        p->awaited_count--;
        peer_check_idle(p);
    }
}

static struct str id_text(const struct rpc_out *out, char text[DIGITS_MOST])
{
    return (struct str){ text, digits_put(text, out->id) };
}

/* Send the cancel notification of the protocol: we no longer wait. */
static void send_cancel(struct rpc_out *out, const struct err *why)
{
    struct peer *p = out->peer;
    char id[DIGITS_MOST];
    AUTO_BUF params = { 0 };
    struct jw w;

    if ((!out->via && !p->link) || !p->kind->cancel_method)
        return;
    buf_init(&params, 1024);
    w = jw_to(&params);
    p->kind->write_cancel(&w, id_text(out, id), why);
    peer_notify(p, out->via, p->kind->cancel_method, buf_str(&params));
}

static void give_up(struct rpc_out *out, const struct err *why)
{
    rpc_out_forget(out);
    send_cancel(out, why);
    op_fail(&out->op, why);
}

static void cancel_out(struct op *op)
{
    give_up(out_of(op), &(struct err){ ERR_CANCELED, "cancelled" });
}

static void on_deadline(struct timer *t)
{
    struct rpc_out *out = CONTAINER_OF(t, struct rpc_out, deadline);
    struct err e;

    fail(&e, ERR_TIMEOUT, "no answer in time");
    give_up(out, &e);
}

static const struct op_kind out_kind = { .name = "request", .cancel = cancel_out };

static void grow_slots(struct peer *p)
{
    uint32_t room = p->awaited_room ? p->awaited_room * 2 : FIRST_SLOTS;

    p->awaited = mem_resize(p->awaited, room * sizeof(*p->awaited));
    memset(p->awaited + p->awaited_room, 0, (room - p->awaited_room) * sizeof(*p->awaited));
    p->awaited_room = room;
}

/* Take a free slot. False: all SLOTS are taken. */
static bool take_slot(struct peer *p, struct rpc_out *out)
{
    uint32_t slot;

    if (p->awaited_count == p->awaited_room) {
        if (p->awaited_room == SLOTS)
            return false;
        grow_slots(p);
    }
    slot = p->next_slot % p->awaited_room;
    while (p->awaited[slot])
        slot = (slot + 1) % p->awaited_room;
    p->next_slot = slot + 1;
    p->awaited[slot] = out;
    p->awaited_count++;
    out->id = (uint64_t)++p->generation * SLOTS + slot;
    return true;
}

static void send_call(struct rpc_out *out, const char *method, struct str params)
{
    char id[DIGITS_MOST];
    struct str all[] = {
        STR("{\"jsonrpc\":\"2.0\",\"id\":"),
        id_text(out, id),
        STR(",\"method\":\""),
        str_of(method),
        params.p ? STR("\",\"params\":") : STR("\""),
        params,
        STR("}"),
    };

    link_send(out->via ? out->via : out->peer->link, all, ARRAY_LEN(all));
}

void peer_call(struct peer *p, struct link *via, struct rpc_out *out, struct op *parent,
               const char *method, struct str params, int64_t timeout_ms, op_done_fn *done,
               void *ctx)
{
    *out = (struct rpc_out){ .rpc = p->rpc, .peer = p, .via = via };
    op_begin(&out->op, &out_kind, p->rpc->loop, parent, done, ctx);
    if (!via && !p->link) {
        op_fail(&out->op, &(struct err){ ERR_CLOSED, "the connection is closed" });
        return;
    }
    if (!take_slot(p, out)) {
        op_fail(&out->op, &(struct err){ ERR_LIMIT, "too many calls are waiting for a response" });
        return;
    }
    timer_set(p->rpc->loop, &out->deadline, timeout_ms, on_deadline);
    send_call(out, method, params);
}

void rpc_out_extend(struct rpc_out *out, int64_t timeout_ms)
{
    if (!out->op.settled)
        timer_set(out->peer->rpc->loop, &out->deadline, timeout_ms, on_deadline);
}

void rpc_out_fini(struct rpc_out *out)
{
    buf_fini(&out->text);
    if (out->rpc)
        arena_pool_give(&out->rpc->arenas, &out->mem);
}

void rpc_out_fail(struct rpc_out *out, const struct err *why)
{
    if (out->op.settled)
        return;
    rpc_out_forget(out);
    op_fail(&out->op, why);
}

void peer_fail_calls(struct peer *p, const struct err *why)
{
    for (uint32_t i = 0; i < p->awaited_room; i++)
        if (p->awaited[i])
            rpc_out_fail(p->awaited[i], why);
}

/* ---- answers ---------------------------------------------------------------------------- */

static struct rpc_out *awaited(struct peer *p, uint64_t id)
{
    struct rpc_out *out = id % SLOTS < p->awaited_room ? p->awaited[id % SLOTS] : NULL;

    return out && out->id == id ? out : NULL;
}

static struct rpc_out *find_awaited(struct peer *p, struct json id)
{
    int64_t n;

    return json_int(id, &n) && n >= 0 ? awaited(p, (uint64_t)n) : NULL;
}

struct rpc_out *peer_find_out(struct peer *p, struct str id)
{
    uint64_t n;

    return str_uint(id, 0, INT64_MAX, &n) ? awaited(p, n) : NULL;
}

/* Move the memory of the answer into the call. A borrowed answer is copied and parsed again. */
static void keep_answer(struct rpc_out *out, struct rpc_packet *packet, const struct rpc_message *m)
{
    struct json_opts opts = limits_json(out->peer->rpc->limits);
    struct json again;
    struct err e;

    out->result = m->result;
    out->error = m->error;
    if (packet->mem == &packet->own) {
        out->mem = packet->own;
        out->text = packet->text;
        packet->own = (struct arena){ 0 };
        packet->text = (struct buf){ 0 };
        return;
    }
    if (!json_read(&out->mem, arena_str(&out->mem, json_raw(packet->root)), &opts, &again, &e))
        return; /* cannot happen: the same bytes were parsed before */
    out->result = json_get(again, STR("result"));
    out->error = json_get(again, STR("error"));
}

void rpc_out_answer(struct peer *p, struct rpc_packet *packet, const struct rpc_message *m)
{
    struct rpc_out *out = find_awaited(p, m->id);

    if (!out) {
        LOG(LOG_DEBUG, "rpc", "a response without a matching request", LOG_Z("peer", p->kind->name),
            LOG_S("id", json_here(m->id) ? json_raw(m->id) : STR("null")));
        return;
    }
    rpc_out_forget(out);
    keep_answer(out, packet, m);
    op_ok(&out->op);
}
