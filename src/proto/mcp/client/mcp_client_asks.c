/*
 * mcp_client_asks.c - handles the requests and notifications of a server.
 *
 * A question for a person or a model belongs to the call that caused it (mcp_client_origin.c). If
 * that call is unknown, the question is rejected. When the server cancels a question, or its call
 * ends, the ask ends, too.
 */
#include "base/container.h"
#include "base/log.h"
#include "base/pick.h"
#include "proto/mcp/client/mcp_client_parts.h"
#include "proto/mcp/mcp_question.h"

static struct mcp_client *client_of(const struct rpc_in *in)
{
    return in->peer->ctx;
}

/* ---- forwarded questions ------------------------------------------------------------------- */

struct relay {
    struct op op;   /* below the server's request, to be notified of its cancellation */
    struct ask ask; /* below the call */
    struct rpc_in *in;
};

static void take_back(struct op *op)
{
    struct relay *r = CONTAINER_OF(op, struct relay, op);

    op_cancel(&r->ask.op);
}

static const struct op_kind relay_kind = { .name = "relay", .cancel = take_back };

static void on_relayed(struct op *op, const struct err *e, void *ctx)
{
    (void)op;
    (void)e;
    (void)ctx;
}

static void answer_without(struct relay *r, const struct err *e)
{
    bool person = r->ask.kind == ASK_FORM || r->ask.kind == ASK_URL;

    if (person && e->code == ERR_TIMEOUT)
        rpc_result_raw(r->in, STR("{\"action\":\"cancel\"}"));
    else if (e->code == ERR_DENIED)
        rpc_error(r->in, RPC_METHOD_NOT_FOUND, "%s", e->text);
    else
        rpc_error_of(r->in, e);
}

static void on_answered(struct op *op, const struct err *e, void *ctx)
{
    struct relay *r = ctx;
    struct mcp_client *c = client_of(r->in);
    bool roots = r->ask.kind == ASK_ROOTS;

    (void)op;
    mcp_works_hold(c, r->ask.call, false);
    if (roots)
        mcp_roots_answered(c, !e);
    if (e && roots)
        rpc_result_raw(r->in, mcp_write_roots(c, r->in->mem));
    else if (e)
        answer_without(r, e);
    else
        rpc_result_raw(r->in, json_raw(r->ask.answer));
    op_ok(&r->op);
}

static struct str copy_params(struct call *call, struct json params)
{
    return json_here(params) ? arena_str(call->mem, json_raw(params)) : STR("{}");
}

/* The calls that may have caused the question get the reason why it was refused. */
static void refuse_question(struct rpc_in *in, const struct err *why)
{
    struct mcp_client *c = client_of(in);

    rpc_error(in, why->code == ERR_DENIED ? RPC_METHOD_NOT_FOUND : RPC_INTERNAL_ERROR, "%s",
              why->text);
    LOG(LOG_INFO, "mcp", "a request of a server is rejected", LOG_Z("server", c->spec->name),
        LOG_S("method", in->method), LOG_Z("why", why->text));
    if (why->code != ERR_DENIED)
        mcp_works_warn(c, in->method, why);
}

static void ask_in(struct rpc_in *in, struct call *call, enum ask_kind kind)
{
    struct mcp_client *c = client_of(in);
    struct relay *r = ARENA_NEW(in->mem, struct relay);

    r->in = in;
    op_begin(&r->op, &relay_kind, in->op.loop, &in->op, on_relayed, NULL);
    mcp_works_hold(c, call, true);
    call_ask(call, &r->ask, kind, arena_printf(call->mem, "ask-%lld", (long long)++c->tokens),
             copy_params(call, in->params), on_answered, r);
}

static void pass_on(struct rpc_in *in, enum ask_kind kind)
{
    struct err why;
    struct call *call = mcp_origin_to_ask(client_of(in), kind, &why);

    if (call)
        ask_in(in, call, kind);
    else
        refuse_question(in, &why);
}

bool mcp_ask_kind(struct arena *mem, struct str method, struct json params, enum ask_kind *out)
{
    struct str mode = json_str(mem, json_get(params, STR("mode")));

    if (str_eq(method, STR("sampling/createMessage")))
        *out = ASK_SAMPLE;
    else if (str_eq(method, STR("roots/list")))
        *out = ASK_ROOTS;
    else if (str_eq(method, STR("elicitation/create")) && mode.p && str_eq(mode, STR("url")))
        *out = ASK_URL;
    else if (str_eq(method, STR("elicitation/create")))
        *out = ASK_FORM;
    else
        return false;
    return true;
}

static void on_ask(struct rpc_in *in)
{
    enum ask_kind kind;

    if (mcp_ask_kind(in->mem, in->method, in->params, &kind))
        pass_on(in, kind);
    else
        rpc_error(in, RPC_METHOD_NOT_FOUND, "Method not found");
}

/* ---- questions we answer -------------------------------------------------------------------- */

static void on_ping(struct rpc_in *in)
{
    rpc_result_raw(in, STR("{}"));
}

/* Answered by the client that uses the server, if there is only one (mcp_client_roots.c). */
static void on_roots(struct rpc_in *in)
{
    struct mcp_client *c = client_of(in);
    struct call *call;

    if (c->spec->no_roots) {
        rpc_error(in, RPC_METHOD_NOT_FOUND, "Method not found");
        return;
    }
    call = mcp_roots_call(c);
    if (call) {
        ask_in(in, call, ASK_ROOTS);
        return;
    }
    rpc_result_raw(in, mcp_write_roots(c, in->mem));
    mcp_roots_answered(c, false);
}

/* ---- notifications ------------------------------------------------------------------------- */

struct news {
    struct json token, done, total;
    struct str message, level, logger;
    struct json data;
};

static const struct pick progress_fields[] = {
    PICK_FIELD("progressToken", PICK_ID, struct news, token, PICK_MUST),
    PICK_FIELD("progress", PICK_ANY, struct news, done, PICK_MUST),
    PICK_FIELD("total", PICK_ANY, struct news, total, 0),
    PICK_FIELD("message", PICK_STR, struct news, message, 0),
};

static void on_progress(struct rpc_in *in)
{
    struct news n = { 0 };
    struct progress p;
    int64_t token;
    struct err e;

    if (!pick(in->mem, in->params, PICK_TABLE(progress_fields), PICK_LENIENT, &n, &e) ||
        !json_int(n.token, &token) || json_type(n.done) != JSON_NUMBER)
        return;
    p.done = json_raw(n.done);
    p.total = json_type(n.total) == JSON_NUMBER ? json_raw(n.total) : STR_NONE;
    p.message = n.message;
    mcp_works_progress(client_of(in), token, &p);
}

static const struct pick message_fields[] = {
    PICK_FIELD("level", PICK_STR, struct news, level, PICK_MUST),
    PICK_FIELD("logger", PICK_STR, struct news, logger, 0),
    PICK_FIELD("data", PICK_ANY, struct news, data, PICK_MUST),
};

static void on_message(struct rpc_in *in)
{
    struct mcp_client *c = client_of(in);
    enum call_level level = CALL_INFO;
    struct news n = { 0 };
    struct err e;
    struct call *call = mcp_origin(c, &e);

    if (!pick(in->mem, in->params, PICK_TABLE(message_fields), PICK_LENIENT, &n, &e))
        return;
    mcp_level_named(n.level, &level);
    if (call)
        call_log(call, level, n.logger, json_raw(n.data));
    else
        LOG(LOG_DEBUG, "mcp", "a server says", LOG_Z("server", c->spec->name),
            LOG_S("data", str_head(json_raw(n.data), 500)));
}

static void on_tools_changed(struct rpc_in *in)
{
    mcp_lists_changed(client_of(in));
}

/* The server cancels a question, or ends the stream of its notifications. */
static void on_cancelled(struct rpc_in *in)
{
    struct mcp_client *c = client_of(in);
    struct json id = json_get(in->params, STR("requestId"));
    struct rpc_in *question = json_here(id) ? peer_find_in(in->peer, id) : NULL;
    struct rpc_out *ours = json_here(id) ? peer_find_out(in->peer, json_raw(id)) : NULL;

    if (question)
        rpc_in_cancel(question);
    else if (ours == &c->listen.out)
        rpc_out_fail(ours, &(struct err){ ERR_CLOSED, "the server ended its notification stream" });
}

/* ---- malformed messages ---------------------------------------------------------------------- */

static struct rpc_out *only_one(struct peer *p)
{
    for (uint32_t i = 0; p->awaited_count == 1 && i < p->awaited_room; i++)
        if (p->awaited[i])
            return p->awaited[i];
    return NULL;
}

/*
 * Lines on stdout that are not messages are skipped. A malformed answer to a call of ours fails
 * that call.
 */
static void on_garbage(struct peer *p, struct str id, const struct err *why)
{
    struct mcp_client *c = p->ctx;
    struct rpc_out *out = id.p ? peer_find_out(p, id) : NULL;
    struct err e;

    if (!out && !id.p && why->code == ERR_LIMIT)
        out = only_one(p);
    if (out) {
        mcp_client_fail(c, &e, why->code, "sent a malformed response: %s", why->text);
        rpc_out_fail(out, &e);
        return;
    }
    c->garbage++;
    LOG(LOG_DEBUG, "mcp", "not a message", LOG_Z("server", c->spec->name), LOG_Z("why", why->text),
        LOG_N("so_far", (int64_t)c->garbage));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void write_cancel(struct jw *w, struct str id, const struct err *why)
{
    jw_object(w);
    jw_kraw(w, "requestId", id);
    jw_kstr(w, "reason", str_of(why->text));
    jw_object_end(w);
}

static const struct method methods[] = {
    /* Modern servers send no requests: they answer input_required. */
    { STR("ping"), RPC_REQUEST, MCP_FIRST, MCP_LEGACY, on_ping },
    { STR("roots/list"), RPC_REQUEST, MCP_FIRST, MCP_LEGACY, on_roots },
    { STR("sampling/createMessage"), RPC_REQUEST, MCP_FIRST, MCP_LEGACY, on_ask },
    { STR("elicitation/create"), RPC_REQUEST, MCP_FIRST, MCP_LEGACY, on_ask },
    { STR("notifications/progress"), RPC_NOTIFICATION, MCP_FIRST, MCP_LAST, on_progress },
    { STR("notifications/message"), RPC_NOTIFICATION, MCP_FIRST, MCP_LAST, on_message },
    { STR("notifications/tools/list_changed"), RPC_NOTIFICATION, MCP_FIRST, MCP_LAST,
      on_tools_changed },
    { STR("notifications/cancelled"), RPC_NOTIFICATION, MCP_FIRST, MCP_LAST, on_cancelled },
};

const struct peer_kind mcp_client_peer = {
    .name = "mcp server",
    .methods = METHOD_TABLE(methods),
    .cancel_method = "notifications/cancelled",
    .write_cancel = write_cancel,
    .on_garbage = on_garbage,
};

const struct peer_kind mcp_client_peer_quiet = {
    .name = "mcp server",
    .methods = METHOD_TABLE(methods),
    .on_garbage = on_garbage,
};
