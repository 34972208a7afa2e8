/*
 * mcp_client_rounds.c - input that a modern server requests before it can answer (2026-07-28,
 * MRTR).
 *
 * The result of the server names the input under its own keys and may contain a state. All asks go
 * to the caller at once. Then the same request is sent again with the answers of this round and the
 * state, byte for byte. The number of rounds is limited (limits.mcp_rounds). Input for a task
 * (mcp_client_tasks.c) is requested in the same way.
 */
#include "base/container.h"
#include "proto/mcp/client/mcp_client_work.h"

/* ---- answers ----------------------------------------------------------------------------- */

static void write_responses(struct mcp_work *k)
{
    struct buf out;
    struct jw w;

    buf_init_in(&out, k->call->mem, (size_t)k->c->world.rpc->limits->message_bytes);
    w = jw_to(&out);
    jw_object(&w);
    for (size_t i = 0; i < k->inputs; i++) {
        struct str key = k->input[i].key;

        jw_plain_key(&w, str_head(str_skip(key, 1), key.n - 2));
        jw_raw(&w, k->input[i].answer);
    }
    jw_object_end(&w);
    if (out.full)
        fail(&k->broke, ERR_LIMIT, "the answers are too large (limits.message_bytes)");
    k->responses = k->inputs ? buf_str(&out) : STR_NONE;
}

static void end_round(struct mcp_work *k)
{
    if (!k->broke.code)
        write_responses(k);
    if (k->c->step == STEP_CLOSING) {
        mcp_work_fail(k, &k->c->why);
    } else if (k->broke.code == ERR_DENIED) {
        mcp_work_lacks(k, k->lacks);
    } else if (k->broke.code) {
        mcp_work_fail(k, &k->broke);
    } else if (k->task.p) {
        mcp_task_update(k);
    } else {
        k->inputs = 0;
        mcp_work_send(k);
    }
}

static void on_asked(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_input *in = CONTAINER_OF(CONTAINER_OF(op, struct ask, op), struct mcp_input, ask);
    struct mcp_work *k = in->work;

    (void)ctx;
    if (!e) {
        in->answer = json_raw(in->ask.answer);
    } else if (in->ask.kind == ASK_ROOTS && !k->call->op.canceled && !k->broke.code) {
        in->answer = mcp_write_roots(k->c, k->call->mem); /* the client gave none: ours */
    } else if (!k->broke.code) {
        k->broke = *e;
        if (e->code == ERR_TIMEOUT) /* the person did not answer, not the server */
            fail(&k->broke, ERR_LIMIT,
                 "no one answered the question of server %s in time (limits.ask_ms)",
                 k->c->spec->name);
        k->lacks = in->ask.kind;
        mcp_work_stop_round(k);
    }
    if (--k->open == 0)
        end_round(k);
}

/* ---- asks -------------------------------------------------------------------------------- */

/* Keys of asks have a fixed syntax; other keys are replaced by a number. */
static struct str plain_key(struct mcp_work *k, struct json key, size_t i)
{
    struct str s = json_str(k->call->mem, key);
    bool plain = s.n > 0 && s.n <= 64;

    for (size_t n = 0; plain && n < s.n; n++)
        plain = (s.p[n] >= 'a' && s.p[n] <= 'z') || (s.p[n] >= 'A' && s.p[n] <= 'Z') ||
                (s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == '_' || s.p[n] == '-';
    return plain ? arena_str(k->call->mem, s) : arena_printf(k->call->mem, "input-%zu", i + 1);
}

static bool open_ask(struct mcp_work *k, size_t i, struct json key)
{
    struct mcp_input *in = &k->input[i];
    struct json wanted = json_value(key), params = json_get(wanted, STR("params"));
    struct arena *mem = k->call->mem;
    struct str method = json_str(mem, json_get(wanted, STR("method")));
    enum ask_kind kind;

    in->work = k;
    in->key = arena_str(mem, json_raw(key));
    if (!method.p || !mcp_ask_kind(mem, method, params, &kind))
        return false;
    if (kind == ASK_ROOTS && k->c->spec->no_roots)
        return false;
    if (kind == ASK_ROOTS && !call_can_ask(k->call, kind)) {
        in->answer = mcp_write_roots(k->c, mem);
        return true;
    }
    k->open++;
    call_ask(k->call, &in->ask, kind, plain_key(k, key, i),
             json_here(params) ? arena_str(mem, json_raw(params)) : STR("{}"), on_asked, NULL);
    return true;
}

static bool open_asks(struct mcp_work *k, struct json requests)
{
    k->inputs = 0;
    k->input = ARENA_ARRAY(k->call->mem, struct mcp_input, json_count(requests));
    JSON_MEMBERS(key, requests)
    if (!mcp_task_was_told(k, key) && !open_ask(k, k->inputs++, key))
        return false;
    return true;
}

void mcp_work_stop_round(struct mcp_work *k)
{
    for (size_t i = 0; i < k->inputs; i++)
        if (k->input[i].ask.call && !k->input[i].ask.op.settled)
            op_cancel(&k->input[i].ask.op);
}

void mcp_work_ask(struct mcp_work *k, struct json requests)
{
    if (++k->rounds > k->c->world.rpc->limits->mcp_rounds) {
        mcp_work_wrong(k, "the server asks for input too often (the constant mcp_rounds)");
        return;
    }
    k->broke.code = ERR_NONE;
    if (!open_asks(k, requests)) {
        fail(&k->broke, ERR_INVALID, "server %s requests an unknown kind of input",
             k->c->spec->name);
        mcp_work_stop_round(k);
    }
    if (!k->open)
        end_round(k);
}

void mcp_work_round(struct mcp_work *k, struct json result)
{
    struct json requests = json_get(result, STR("inputRequests"));
    struct json state = json_get(result, STR("requestState"));

    if (!json_here(requests) && !json_here(state)) {
        mcp_work_wrong(k, "input_required without inputRequests or requestState");
        return;
    }
    k->state = json_here(state) ? arena_str(k->call->mem, json_raw(state)) : STR_NONE;
    mcp_work_ask(k, requests);
}
