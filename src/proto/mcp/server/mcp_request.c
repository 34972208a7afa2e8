#include "proto/mcp/server/mcp_request.h"

#include "base/auto.h"
#include "base/id.h"

#include "proto/mcp/mcp_trace.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_park.h"

static struct mcp_request *request_of(const struct caller *c)
{
    return (struct mcp_request *)(void *)c;
}

/* ---- reporting --------------------------------------------------------------------------- */

/* Progress must increase; other values are not reported. */
static bool goes_forward(struct mcp_request *r, struct str done)
{
    AUTO_ARENA mem = { 0 };
    struct json_opts opts = { .max_depth = 1, .max_values = 1 };
    struct json v;
    double value;
    struct err e;

    if (!json_read(&mem, done, &opts, &v, &e) || !json_double(v, &value) ||
        (r->told && value <= r->told_value))
        return false;
    r->told = true;
    r->told_value = value;
    return true;
}

static void tell_progress(struct caller *c, const struct progress *p)
{
    struct mcp_request *r = request_of(c);
    AUTO_BUF params = { 0 };
    struct jw w = jw_to(&params);

    if (!r->in || !r->token.p || !goes_forward(r, p->done))
        return;
    buf_init(&params, (size_t)r->server->rpc->limits->message_bytes);
    jw_object(&w);
    jw_kraw(&w, "progressToken", r->token);
    jw_kraw(&w, "progress", p->done);
    jw_kraw(&w, "total", p->total);
    if (mcp_features[r->version].progress_message)
        jw_kstr(&w, "message", p->message);
    jw_object_end(&w);
    if (!params.full)
        peer_notify(r->in->peer, r->in->via, "notifications/progress", buf_str(&params));
}

static void tell_log(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    struct mcp_request *r = request_of(c);
    AUTO_BUF params = { 0 };
    struct jw w = jw_to(&params);

    if (!r->in || !r->logs || level < r->log_level)
        return;
    buf_init(&params, (size_t)r->server->rpc->limits->message_bytes);
    jw_object(&w);
    jw_kstr(&w, "level", str_of(mcp_level_name(level)));
    jw_kstr(&w, "logger", logger);
    jw_kraw(&w, "data", data);
    jw_object_end(&w);
    if (!params.full)
        peer_notify(r->in->peer, r->in->via, "notifications/message", buf_str(&params));
}

/* The conversation of the request; NULL while it is parked. */
static struct mcp_conv *conv_of(const struct mcp_request *r)
{
    return r->in ? mcp_conv_of(r->in) : NULL;
}

static void let_rest(struct caller *c, int64_t retry_ms)
{
    struct mcp_request *r = request_of(c);
    struct mcp_conv *conv = conv_of(r);

    if (conv && conv->rest)
        conv->rest(conv, r->in, retry_ms);
}

/* ---- asking ------------------------------------------------------------------------------ */

static bool can_be_asked(const struct caller *c, enum ask_kind kind)
{
    return request_of(c)->abilities.can[kind] &&
           (kind != ASK_PERMISSION || origin_may_approve(c->origin));
}

/* A question to a legacy client: a request of ours, below the ask. */
struct mcp_client_question {
    struct rpc_out out;
    struct ask *ask;
};

static void refuse_ask(struct ask *ask, struct json error)
{
    AUTO_ARENA mem = { 0 };
    struct str message = json_str(&mem, json_get(error, STR("message")));
    struct err e;

    fail(&e, ERR_DENIED, "the client rejected the request: " STR_FMT,
         STR_ARG(str_head(message.p ? message : STR("no reason given"), 200)));
    ask_refuse(ask, &e);
}

static void on_answer(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_client_question *q = ctx;
    struct ask *ask = q->ask;
    struct call *call = ask->call;
    struct err bad;

    (void)op;
    if (e) {
        ask_refuse(ask, e);
    } else if (json_here(q->out.error)) {
        refuse_ask(ask, q->out.error);
    } else if (!mcp_answer_fits(ask->kind, q->out.result)) {
        fail(&bad, ERR_INVALID, "the client's response to %s is malformed",
             mcp_ask_method(ask->kind));
        ask_refuse(ask, &bad);
    } else {
        ask_answer(ask, mcp_keep(call->mem, call->host->limits,
                                 mcp_answer_taken(call->mem, ask->kind, q->out.result)));
    }
    rpc_out_fini(&q->out);
}

static void begin_ask(struct caller *c, struct ask *ask)
{
    struct mcp_request *r = request_of(c);
    const struct mcp_conv *conv = conv_of(r);
    struct mcp_client_question *q;

    if (conv && conv->ended) {
        ask_refuse(ask, &(struct err){ ERR_CLOSED, "the client disconnected and cannot be asked" });
        return;
    }
    if (ask->kind == ASK_PERMISSION && ask->about->pass.cut) {
        ask_refuse(
            ask, &(struct err){
                     ERR_DENIED,
                     "the arguments are too long to show to the client (limits.ask_shown_bytes)" });
        return;
    }
    if (r->park) {
        mcp_park_ask(r->park, ask);
        return;
    }
    if (mcp_features[r->version].modern) { /* a modern client gets no requests */
        ask_refuse(ask, &(struct err){ ERR_DENIED, "this method cannot ask its client" });
        return;
    }
    q = ARENA_NEW(r->mem, struct mcp_client_question);
    q->ask = ask;
    peer_call(r->in->peer, r->in->via, &q->out, &ask->op, mcp_ask_method(ask->kind),
              mcp_ask_params(r->mem, ask->kind, ask->params), r->server->rpc->limits->ask_ms,
              on_answer, q);
}

static const struct caller_kind mcp_caller = {
    .can = can_be_asked,
    .ask = begin_ask,
    .progress = tell_progress,
    .log = tell_log,
    .rest = let_rest,
};

/* ---- life -------------------------------------------------------------------------------- */

/* A modern request carries its own context; for a legacy client the conversation has it. */
static void read_modern(struct mcp_request *r, struct json meta)
{
    struct json level = json_get(meta, STR(MCP_META "logLevel"));

    r->abilities =
        mcp_abilities_read(json_get(meta, STR(MCP_META "clientCapabilities")), r->version);
    r->logs = mcp_level_named(json_str(r->mem, level), &r->log_level);
}

static void read_legacy(struct mcp_request *r, const struct mcp_conv *conv)
{
    if (conv->lasting)
        r->abilities = conv->abilities;
    r->logs = conv->greeted;
    r->log_level = conv->log_level;
}

/*
 * Read once: a further round does not change the origin of the call. Copied, since the call may
 * outlive `in` and its headers.
 */
static struct trace read_trace(const struct rpc_in *in, struct arena *mem)
{
    struct trace t = mcp_conv_of(in)->trace;

    mcp_trace_from_meta(mem, in->meta, &t);
    t.id = arena_maybe(mem, t.id);
    t.parent = arena_maybe(mem, t.parent);
    t.state = arena_maybe(mem, t.state);
    trace_arrives(&t, mcp_conv_of(in)->server->offer->host.traces);
    return t;
}

/*
 * The grants of a conversation, if it outlives the call; a call parked at the server may outlive
 * it.
 */
static struct guard_grants *session_grants(const struct rpc_in *in, struct mcp_conv *conv)
{
    bool may_park = mcp_features[mcp_version_of(in)].modern && !conv->keeps;

    return conv->lasting && !may_park ? &conv->grants : NULL;
}

struct caller mcp_caller_of(const struct rpc_in *in, struct arena *mem)
{
    struct mcp_conv *conv = mcp_conv_of(in);

    if (conv->lasting && !conv->client)
        conv->client = id_number();
    return (struct caller){
        .kind = &mcp_caller,
        .name = origin_rows[conv->principal.origin].caller,
        .client = conv->client,
        .origin = conv->principal.origin,
        .principal = arena_str(mem, str_of(conv->principal.name)),
        .remote = conv->remote,
        .scope = mcp_conv_scope(conv),
        .grants = session_grants(in, conv),
        .trace = read_trace(in, mem),
    };
}

void mcp_request_attach(struct mcp_request *r, struct rpc_in *in)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    struct json token = json_get(in->meta, STR("progressToken"));
    int64_t n;

    r->in = in;
    in->data = r;
    r->version = mcp_version_of(in);
    r->token = STR_NONE;
    if (json_type(token) == JSON_STRING || json_int(token, &n))
        r->token = json_raw(token);
    r->told = false;
    if (mcp_features[r->version].modern)
        read_modern(r, in->meta);
    else
        read_legacy(r, conv);
}

static bool can_anything(struct rpc_in *in)
{
    struct json said = json_get(in->meta, STR(MCP_META "clientCapabilities"));
    struct mcp_abilities a = mcp_abilities_read(said, mcp_version_of(in));

    for (size_t i = 0; i < ASK_KINDS; i++)
        if (a.can[i])
            return true;
    return false;
}

struct mcp_request *mcp_request_begin(struct rpc_in *in, const struct mcp_round *round,
                                      struct json *args, mcp_answer_fn *answer)
{
    struct mcp_parked *park = NULL;
    struct mcp_request *r;

    if (round && mcp_has(in)->modern && can_anything(in))
        park = mcp_park_new(in, round);
    r = park ? &park->request : ARENA_NEW(in->mem, struct mcp_request);
    r->park = park;
    r->mem = park ? &park->own : in->mem;
    r->caller = mcp_caller_of(in, r->mem);
    r->server = mcp_conv_of(in)->server;
    r->answer = answer;
    mcp_request_attach(r, in);
    if (park)
        *args = mcp_park_keep(park, *args);
    return r;
}

struct op *mcp_request_op(struct mcp_request *r)
{
    return r->park ? &r->park->op : &r->in->op;
}

void mcp_request_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_request *r = ctx;

    (void)op;
    if (r->park)
        mcp_park_over(r->park, e);
    else
        r->answer(r, e);
}
