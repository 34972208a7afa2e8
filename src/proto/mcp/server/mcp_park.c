/*
 * mcp_park.c - park calls and resume them (mcp_park.h).
 *
 * Ownership: the op of the call is a child of parked.op, which has no parent. An attached request
 * has a child op (the hold), so that the request exists until it is answered, and cancelling the
 * request cancels the call. The list of the server has only the calls that wait for their client.
 * So a ticket of a call that has a request attached, or has ended, finds no call.
 */
#include "proto/mcp/server/mcp_park.h"

#include "base/auto.h"
#include "base/base64.h"
#include "base/container.h"
#include "base/id.h"
#include "loop/digest.h"
#include "proto/mcp/server/mcp_method.h"

struct mcp_hold {
    struct op op; /* first */
    struct mcp_parked *parked;
};

/* ---- tickets ----------------------------------------------------------------------------- */

/* The data that a ticket is sealed with, besides its own text. */
static void write_about(struct buf *out, const struct rpc_in *in)
{
    static const struct str members[] = { STR("name"), STR("uri"), STR("arguments") };

    buf_put(out, in->method);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        struct json v = json_get(in->params, members[i]);

        buf_putc(out, '\0');
        if (json_here(v))
            buf_put(out, json_raw(v));
    }
    buf_putc(out, '\0');
    buf_put(out, str_of(mcp_conv_of(in)->principal.name));
}

static bool seal(const struct rpc_in *in, struct str ticket, char out[MAC_BYTES], struct err *e)
{
    struct mcp_server *server = mcp_conv_of(in)->server;
    AUTO_BUF all;

    if (!server->sealed)
        id_random(server->seal_key, sizeof(server->seal_key));
    server->sealed = true;
    buf_init(&all, SIZE_MAX);
    buf_put(&all, ticket);
    buf_putc(&all, '\0');
    write_about(&all, in);
    return mac_sha256((struct str){ server->seal_key, sizeof(server->seal_key) }, buf_str(&all),
                      out, e);
}

/* "id.round" and its seal. */
static bool make_state(struct mcp_parked *p, struct str *out, struct err *e)
{
    struct rpc_in *in = p->request.in;
    struct str ticket =
        arena_printf(in->mem, "%llu.%lld", (unsigned long long)p->id, (long long)p->round);
    char mac[MAC_BYTES];

    if (!seal(in, ticket, mac, e))
        return false;
    ticket =
        arena_printf(in->mem, STR_FMT "." STR_FMT, STR_ARG(ticket),
                     STR_ARG(base64_encode(in->mem, BASE64_URL, (struct str){ mac, sizeof(mac) })));
    *out = base64_encode(in->mem, BASE64_URL, ticket);
    return true;
}

static bool read_ticket(struct rpc_in *in, struct str state, uint64_t *id, uint64_t *round)
{
    struct str text, mac, ticket, rest, first;
    char expected[MAC_BYTES];
    struct err e;

    if (!base64_decode(in->mem, BASE64_URL, state, &text))
        return false;
    rest = text;
    first = str_cut(&rest, '.');
    if (!rest.p || !str_uint(first, 1, UINT64_MAX, id) ||
        !str_uint(str_cut(&rest, '.'), 1, INT64_MAX, round) || !rest.p ||
        !base64_decode(in->mem, BASE64_URL, rest, &mac))
        return false;
    ticket = str_head(text, (size_t)(rest.p - text.p) - 1);
    return seal(in, ticket, expected, &e) &&
           str_eq_secret(mac, (struct str){ expected, sizeof(expected) });
}

static struct mcp_parked *parked_find(struct rpc_in *in, struct str state)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    struct mcp_parked *p = conv->server->parked;
    uint64_t id, round;

    if (!read_ticket(in, state, &id, &round))
        return NULL;
    while (p && p->id != id)
        p = p->next;
    return p && (uint64_t)p->round == round && (!p->home || p->home == conv) ? p : NULL;
}

/* ---- the list of parked calls ------------------------------------------------------------ */

static void on_expiry(struct timer *t);

static void wait_for_client(struct mcp_parked *p)
{
    struct mcp_server *server = p->server;

    p->next = server->parked;
    p->link = &server->parked;
    if (p->next)
        p->next->link = &p->next;
    server->parked = p;
    server->parked_count++;
    server->parked_bytes += p->bytes;
    timer_set(server->rpc->loop, &p->expiry, server->rpc->limits->mcp_parked_ms, on_expiry);
}

static void wait_no_longer(struct mcp_parked *p)
{
    if (!p->link)
        return;
    *p->link = p->next;
    if (p->next)
        p->next->link = p->link;
    p->link = NULL;
    p->server->parked_count--;
    p->server->parked_bytes -= p->bytes;
    timer_clear(p->server->rpc->loop, &p->expiry);
}

/* ---- the op ------------------------------------------------------------------------------ */

static struct mcp_parked *parked_of(struct op *op)
{
    return CONTAINER_OF(op, struct mcp_parked, op);
}

/* The call has ended, and no client can resume it any more. */
static void parked_finish(struct mcp_parked *p)
{
    wait_no_longer(p);
    loop_unpost(p->server->rpc->loop, &p->check);
    op_ok(&p->op);
}

static void on_parked_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_parked *p = parked_of(op);
    struct mcp_conv *home = p->home;
    struct arena own = p->own;

    (void)e;
    (void)ctx;
    arena_pool_give(&p->server->rpc->arenas, &own); /* *p is gone with it */
    if (!home)
        return;
    home->parked--;
    loop_post(home->peer.rpc->loop, &home->peer.idle);
}

/* Cancelling also cancels the call below, whose end finishes this. Without a call, finish here. */
static void cancel_parked(struct op *op)
{
    if (!op->child)
        parked_finish(parked_of(op));
}

static const struct op_kind parked_kind = { .name = "parked call", .cancel = cancel_parked };

static void on_expiry(struct timer *t)
{
    struct mcp_parked *p = CONTAINER_OF(t, struct mcp_parked, expiry);

    wait_no_longer(p);
    op_cancel(&p->op);
}

/* ---- the request that waits for the answer ------------------------------------------------ */

static void cancel_hold(struct op *op)
{
    op_cancel(&CONTAINER_OF(op, struct mcp_hold, op)->parked->op);
}

static const struct op_kind hold_kind = { .name = "hold", .cancel = cancel_hold };

static void on_hold_done(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    (void)ctx;
}

static void parked_hold(struct mcp_parked *p, struct rpc_in *in)
{
    p->hold = ARENA_NEW(in->mem, struct mcp_hold);
    p->hold->parked = p;
    op_begin(&p->hold->op, &hold_kind, in->peer->rpc->loop, &in->op, on_hold_done, NULL);
}

/* The attached request has been answered: detach it. */
static void parked_detach(struct mcp_parked *p)
{
    p->request.in = NULL;
    op_ok(&p->hold->op);
    p->hold = NULL;
}

static void parked_deliver(struct mcp_parked *p)
{
    p->request.answer(&p->request, p->failed ? &p->why : NULL);
    parked_detach(p);
    parked_finish(p);
}

void mcp_park_over(struct mcp_parked *p, const struct err *e)
{
    p->over = true;
    p->failed = e != NULL;
    if (e)
        p->why = *e;
    if (p->request.in)
        parked_deliver(p);
    else if (p->op.canceled)
        parked_finish(p);
}

/* ---- rounds ------------------------------------------------------------------------------ */

static void write_round(struct mcp_parked *p, struct str state)
{
    struct rpc_in *in = p->request.in;
    struct jw *w = rpc_result_begin(in);

    jw_object(w);
    jw_kstr(w, "resultType", STR("input_required"));
    jw_plain_key(w, STR("inputRequests"));
    jw_object(w);
    for (const struct ask *ask = p->request.call.asks; ask; ask = ask->next)
        if (!ask->op.settled)
            mcp_write_ask(w, in->mem, ask->key, ask->kind, ask->params);
    jw_object_end(w);
    jw_kstr(w, "requestState", state);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

/* The client cannot be asked: answer the request with the reason, and cancel the call. */
static void give_up(struct mcp_parked *p, const struct err *e)
{
    rpc_error_of(p->request.in, e);
    parked_detach(p);
    op_cancel(&p->op);
}

static bool may_wait(const struct mcp_parked *p, struct err *e)
{
    const struct limits *limits = p->server->rpc->limits;
    size_t count = p->server->parked_count, bytes = p->server->parked_bytes;

    if ((int64_t)count >= limits->mcp_parked_calls)
        return fail(e, ERR_LIMIT,
                    "%zu calls wait for input (the constant mcp_parked_calls); try later", count);
    if ((int64_t)(bytes + p->bytes) > limits->mcp_parked_bytes)
        return fail(e, ERR_LIMIT,
                    "calls that wait for input hold %zu bytes, this one %zu more "
                    "(the constant mcp_parked_bytes); try later",
                    bytes, p->bytes);
    return true;
}

static void end_round(struct mcp_parked *p)
{
    struct str state;
    struct err e;

    p->round++;
    if (!may_wait(p, &e) || !make_state(p, &state, &e)) {
        give_up(p, &e);
        return;
    }
    write_round(p, state);
    parked_detach(p);
    wait_for_client(p);
}

static void on_check(struct post *post)
{
    struct mcp_parked *p = CONTAINER_OF(post, struct mcp_parked, check);
    const struct ask *ask = p->request.call.asks;

    while (ask && ask->op.settled)
        ask = ask->next;
    if (!ask || !p->request.in || p->over || p->op.canceled)
        return;
    if (mcp_conv_of(p->request.in)->ended)
        give_up(p, &(struct err){ ERR_CLOSED, "the client disconnected and cannot be asked" });
    else
        end_round(p);
}

struct json mcp_park_keep(struct mcp_parked *p, struct json v)
{
    p->bytes += json_raw(v).n;
    return mcp_keep(&p->own, p->server->rpc->limits, v);
}

/* Use the response for this ask if it is valid; otherwise the ask stays open and is asked again. */
static bool answer_from(struct mcp_parked *p, struct ask *ask, struct json responses)
{
    struct json v = json_get(responses, ask->key);

    if (!mcp_answer_fits(ask->kind, v))
        return false;
    ask_answer(ask, mcp_park_keep(p, mcp_answer_taken(&p->own, ask->kind, v)));
    return true;
}

/* An approval that arrives before the question was shown is ignored. */
void mcp_park_ask(struct mcp_parked *p, struct ask *ask)
{
    if (p->round == 0 && ask->kind != ASK_PERMISSION && answer_from(p, ask, p->presets))
        return;
    loop_post(p->server->rpc->loop, &p->check);
}

struct mcp_parked *mcp_park_new(struct rpc_in *in, const struct mcp_round *round)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    struct arena own = arena_pool_take(&conv->server->rpc->arenas);
    struct mcp_parked *p = ARENA_NEW(&own, struct mcp_parked);

    p->own = own;
    p->server = conv->server;
    p->id = ++conv->server->parked_ever;
    p->presets = mcp_park_keep(p, round->responses);
    p->check.fn = on_check;
    if (conv->keeps) {
        p->home = conv;
        conv->parked++;
    }
    op_begin(&p->op, &parked_kind, conv->server->rpc->loop, NULL, on_parked_done, NULL);
    parked_hold(p, in);
    return p;
}

bool mcp_park_resume(struct rpc_in *in, const struct mcp_round *round)
{
    struct mcp_parked *p;

    if (!round->state.p || !mcp_has(in)->modern)
        return false;
    p = parked_find(in, round->state);
    if (!p) {
        rpc_error(in, RPC_INVALID_PARAMS,
                  "params.requestState: invalid or expired for this request; send the request "
                  "again without it");
        return true;
    }
    wait_no_longer(p);
    parked_hold(p, in);
    mcp_request_attach(&p->request, in);
    if (p->over) {
        parked_deliver(p);
        return true;
    }
    for (struct ask *ask = p->request.call.asks; ask; ask = ask->next)
        if (!ask->op.settled)
            answer_from(p, ask, round->responses);
    loop_post(p->server->rpc->loop, &p->check);
    return true;
}

void mcp_park_cancel(struct mcp_server *server, const struct mcp_conv *home)
{
    struct mcp_parked *next;

    for (struct mcp_parked *p = server->parked; p; p = next) {
        next = p->next;
        if (home && p->home != home)
            continue;
        wait_no_longer(p);
        op_cancel(&p->op);
    }
}
