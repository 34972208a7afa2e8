/* mcp_client_request.c - send a request with its context, and handle its answer. */
#include "base/auto.h"
#include "proto/mcp/client/mcp_client_parts.h"
#include "proto/mcp/mcp_trace.h"

/* ---- the context of a request ------------------------------------------------------------- */

static void write_info(const struct mcp_client *c, struct jw *w, const char *key)
{
    jw_plain_key(w, str_of(key));
    jw_object(w);
    jw_kstr(w, "name", str_of(c->world.name));
    jw_kstr(w, "version", str_of(c->world.version));
    jw_object_end(w);
}

/*
 * Write our capabilities: what the caller can be asked. Without a call: what any caller could be
 * asked.
 */
static void write_abilities(const struct mcp_client *c, struct jw *w, const char *key,
                            const struct call *call, bool tasks)
{
    bool form = !call || call_can_ask(call, ASK_FORM), url = !call || call_can_ask(call, ASK_URL);

    jw_plain_key(w, str_of(key));
    jw_object(w);
    if (!c->spec->no_roots)
        jw_kraw(w, "roots", c->modern ? STR("{}") : STR("{\"listChanged\":true}"));
    if (!call || call_can_ask(call, ASK_SAMPLE))
        jw_kraw(w, "sampling", STR("{}"));
    if (form || url) {
        jw_plain_key(w, STR("elicitation"));
        jw_object(w);
        if (form)
            jw_kraw(w, "form", STR("{}"));
        if (url)
            jw_kraw(w, "url", STR("{}"));
        jw_object_end(w);
    }
    if (tasks)
        jw_kraw(w, "extensions", STR("{\"" MCP_TASKS "\":{}}"));
    jw_object_end(w);
}

void mcp_write_hello(struct mcp_client *c, struct jw *w)
{
    jw_object(w);
    jw_kstr(w, "protocolVersion", str_of(c->wanted));
    write_abilities(c, w, "capabilities", NULL, false);
    write_info(c, w, "clientInfo");
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    mcp_trace_write_meta(w, &c->own_trace);
    jw_object_end(w);
    jw_object_end(w);
}

/* Is this a member of _meta that we write ourselves? `name` is decoded. */
static bool is_ours(struct str name)
{
    return str_starts(name, STR("io.modelcontextprotocol/")) ||
           str_eq(name, STR("progressToken")) || mcp_trace_names(name);
}

/* Copy the members of the caller's _meta, except those that we write ourselves. */
static void splice_meta(struct jw *w, struct json theirs)
{
    AUTO_ARENA mem = { 0 };

    JSON_MEMBERS(key, theirs)
    if (!is_ours(json_str(&mem, key)))
        jw_member(w, key);
}

static void write_modern(struct mcp_client *c, struct jw *w, const struct mcp_about *about)
{
    const struct call *call = about->call;

    jw_kstr(w, "io.modelcontextprotocol/protocolVersion", mcp_modern_name());
    write_info(c, w, "io.modelcontextprotocol/clientInfo");
    write_abilities(c, w, "io.modelcontextprotocol/clientCapabilities", call, about->tasks);
    if (call && call->caller->kind != &caller_nobody)
        jw_kstr(w, "io.modelcontextprotocol/logLevel", STR("info"));
}

void mcp_write_meta(struct mcp_client *c, struct jw *w, const struct mcp_about *about)
{
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    if (c->modern)
        write_modern(c, w, about);
    if (about->call)
        jw_kint(w, "progressToken", about->token);
    mcp_trace_write_meta(w, about->call ? &about->trace : &c->own_trace);
    splice_meta(w, about->theirs);
    jw_object_end(w);
}

/* ---- sending ----------------------------------------------------------------------------- */

int64_t mcp_req_patience(const struct mcp_client *c)
{
    int64_t own = c->spec->timeout_ms, most = c->world.rpc->limits->mcp_connect_ms;

    return own > 0 && own < most ? own : most;
}

struct jw *mcp_req_begin(struct mcp_client *c)
{
    struct rpc *rpc = c->world.rpc;

    buf_clear(&rpc->scratch);
    rpc->writer = jw_to(&rpc->scratch);
    return &rpc->writer;
}

static void on_request_done(struct op *op, const struct err *e, void *ctx)
{
    struct mcp_req *r = ctx;
    struct mcp_client *c = r->c;
    struct err large;

    if (r->exchange)
        r->wire->kind->forget(r->wire, r, !e);
    if (r->too_large) {
        fail(&large, ERR_LIMIT, "%s: the request is too large (limits.message_bytes)", r->method);
        e = &large;
    }
    c->reqs--;
    r->done(op, e, r->ctx); /* *r may be freed */
    mcp_client_check(c);
}

/* Without a link the peer fails the call; on_done then reports the actual reason. */
static void send_by(struct mcp_client *c, struct mcp_req *r, struct link *link, struct op *parent,
                    struct str params, int64_t timeout_ms)
{
    struct link *kept = c->peer.link;

    c->peer.link = link;
    if (link)
        c->wire->sending = r;
    peer_call(&c->peer, NULL, &r->out, parent, r->method, params, timeout_ms, on_request_done, r);
    if (link)
        c->wire->sending = NULL;
    c->peer.link = kept;
}

void mcp_req_send(struct mcp_client *c, struct mcp_req *r, struct op *parent, const char *method,
                  int64_t timeout_ms, op_done_fn *done, void *ctx)
{
    struct buf *params = &c->world.rpc->scratch;

    r->c = c;
    r->method = method;
    r->done = done;
    r->ctx = ctx;
    r->exchange = NULL;
    r->wire = c->wire;
    r->status = r->code = 0;
    r->too_large = params->full || (int64_t)params->n > c->world.rpc->limits->message_bytes;
    c->reqs++;
    send_by(c, r, r->too_large || !c->wire ? NULL : c->wire->link, parent, buf_str(params),
            timeout_ms);
    buf_trim(params, 1 << 16);
}

/* ---- its end ----------------------------------------------------------------------------- */

int64_t mcp_req_code(const struct mcp_req *r)
{
    int64_t code;

    if (!json_here(r->out.error))
        return 0;
    return json_int(json_get(r->out.error, STR("code")), &code) && code ? code : RPC_INTERNAL_ERROR;
}

bool mcp_req_ok(const struct mcp_req *r, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct str message = json_str(&mem, json_get(r->out.error, STR("message")));

    if (!json_here(r->out.error))
        return true;
    return mcp_client_fail(r->c, e, ERR_INVALID, "rejected %s: " STR_FMT " (%lld)", r->method,
                           STR_ARG(message.p ? message : STR("no reason given")),
                           (long long)mcp_req_code(r));
}
