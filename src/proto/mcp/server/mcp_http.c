/*
 * mcp_http.c - classify a POST.
 *
 * The checks, in this order: is it JSON, is it JSON-RPC, which era is it, do its headers agree,
 * which session does it belong to? The first failing check determines the error.
 */
#include "proto/mcp/server/mcp_http.h"

#include "proto/mcp/server/mcp_era.h"
#include "proto/mcp/server/mcp_post.h"

#include <stdio.h>

enum { NO_SESSION = -32001, BAD_HTTP = -32000 }; /* the codes of other servers */

static const struct json no_id = { 0 };

static bool refuse_post(struct http_req *req, int status, struct json id, int code,
                        struct str message)
{
    http_post_refuse(req, status, id, code, message, STR_NONE);
    return false;
}

static bool refuse_by_verdict(struct http_req *req, struct json id, const struct mcp_verdict *v)
{
    http_post_refuse(req, v->status, id, v->code, v->message, v->data);
    return false;
}

/* ---- headers ----------------------------------------------------------------------------- */

static struct str header_trimmed(const struct http_req *req, const char *name)
{
    struct str value = http_req_header(req, name);

    return value.p ? str_trim(value) : value;
}

static struct str param_header(const void *ctx, struct str name)
{
    const struct http_req *req = ctx;
    static const struct str prefix = STR("Mcp-Param-");

    for (size_t i = 0; i < req->headers; i++) {
        struct str full = req->header[i].name;

        if (full.n == prefix.n + name.n && str_eq_nocase(str_head(full, prefix.n), prefix) &&
            str_eq_nocase(str_skip(full, prefix.n), name))
            return str_trim(req->header[i].value);
    }
    return STR_NONE;
}

static struct mcp_http_headers headers_of(const struct http_req *req)
{
    return (struct mcp_http_headers){ .version = header_trimmed(req, "mcp-protocol-version"),
                                      .method = header_trimmed(req, "mcp-method"),
                                      .name = header_trimmed(req, "mcp-name"),
                                      .param = param_header,
                                      .ctx = req };
}

/* ---- modern ------------------------------------------------------------------------------ */

/* Does the response need an event stream? */
static bool needs_events(const struct rpc_message *m)
{
    return m->kind == RPC_REQUEST && str_eq(m->method, STR("subscriptions/listen"));
}

static void serve_modern(struct mcp_http *h, struct http_req *req, struct json root,
                         const struct rpc_message *m, const struct mcp_http_headers *headers,
                         struct mcp_verdict *v)
{
    if (m->kind == RPC_RESPONSE)
        refuse_post(req, 400, no_id, RPC_INVALID_REQUEST,
                    STR("clients do not send responses in this protocol version"));
    else if (needs_events(m) && !http_accepts(http_req_header(req, "accept"), "text/event-stream"))
        refuse_post(req, 406, m->id, RPC_INVALID_REQUEST,
                    STR("Accept must allow text/event-stream"));
    else if (!mcp_judge_params(&req->mem, h->server->offer, m, headers, v))
        refuse_by_verdict(req, m->id, v);
    else
        mcp_post_alone(h, req, v->version, root, m);
}

/* ---- legacy ------------------------------------------------------------------------------ */

bool mcp_http_find_session(struct mcp_http *h, struct http_req *req, struct json id,
                           struct mcp_session **out)
{
    struct str name = header_trimmed(req, "mcp-session-id"), version;
    struct mcp_session *s;
    enum mcp_version named;

    *out = NULL;
    if (!name.p)
        return true;
    s = mcp_session_find(h, MCP_SESSION_STREAMABLE, name, req);
    if (!s)
        return refuse_post(req, 404, id, NO_SESSION, STR("Session not found"));
    version = header_trimmed(req, "mcp-protocol-version");
    if (s->conv.greeted && version.p &&
        (!mcp_version_named(version, &named) || (int)named != s->conv.peer.version)) {
        mcp_session_release(s);
        return refuse_post(req, 400, id, RPC_INVALID_REQUEST,
                           STR("MCP-Protocol-Version: this session speaks another version"));
    }
    *out = s;
    return true;
}

static void begin_session(struct mcp_http *h, struct http_req *req, struct json root,
                          const struct rpc_message *m)
{
    struct mcp_session *s = mcp_session_new(h, MCP_SESSION_STREAMABLE, req);

    if (s)
        mcp_post_in_session(s, req, true, root, m);
    else
        refuse_post(req, 503, m->id, BAD_HTTP,
                    STR("too many sessions, all of them in use (limits.mcp_sessions)"));
}

static void serve_legacy(struct mcp_http *h, struct http_req *req, enum mcp_version version,
                         struct json root, const struct rpc_message *m)
{
    struct json id = m ? m->id : no_id;
    struct mcp_session *s;

    if (!http_accepts(http_req_header(req, "accept"), "application/json"))
        refuse_post(req, 406, id, RPC_INVALID_REQUEST,
                    STR("Accept must allow application/json (and text/event-stream)"));
    else if (!mcp_http_find_session(h, req, id, &s))
        return;
    else if (s)
        mcp_post_in_session(s, req, false, root, m);
    else if (m && m->kind == RPC_RESPONSE)
        refuse_post(req, 400, no_id, RPC_INVALID_REQUEST,
                    STR("a response belongs to a session: missing header Mcp-Session-Id"));
    else if (m && m->kind == RPC_REQUEST && str_eq(m->method, STR("initialize")))
        begin_session(h, req, root, m);
    else
        mcp_post_alone(h, req, version, root, m);
}

/* Arrays exist in 2025-03-26 only. They must not contain modern messages or other values. */
static bool check_batch(struct http_req *req, struct json root, enum mcp_version *version)
{
    struct str named = header_trimmed(req, "mcp-protocol-version");
    struct rpc_message m;

    *version = MCP_ASSUMED;
    if (named.p && !mcp_version_named(named, version))
        return refuse_post(req, 400, no_id, RPC_INVALID_REQUEST,
                           STR("MCP-Protocol-Version: unsupported version"));
    JSON_EACH(item, root)
    {
        rpc_message_read(&req->mem, item, &m);
        if (m.kind == RPC_MALFORMED)
            return refuse_post(req, 400, no_id, RPC_INVALID_REQUEST, str_of(m.why.text));
        if (mcp_features[*version].modern ||
            json_here(json_get(m.meta, STR(MCP_META "protocolVersion"))))
            return refuse_post(req, 400, no_id, RPC_INVALID_REQUEST,
                               STR("batches are not part of this protocol version"));
    }
    return true;
}

/* ---- classifying -------------------------------------------------------------------------- */

static bool read_body(struct mcp_http *h, struct http_req *req, struct json *root)
{
    int status, code;
    struct err e;

    return http_post_read(req, h->server->rpc->limits, root, &status, &code, &e) ||
           refuse_post(req, status, no_id, code, str_of(e.text));
}

static void serve_message(struct mcp_http *h, struct http_req *req, struct json root,
                          const struct rpc_message *m)
{
    struct mcp_http_headers headers = headers_of(req);
    struct mcp_verdict v;

    mcp_judge(&req->mem, m, &headers, MCP_ASSUMED, &v);
    if (v.code)
        refuse_by_verdict(req, m->id, &v);
    else if (mcp_features[v.version].modern && m->kind != RPC_RESPONSE)
        serve_modern(h, req, root, m, &headers, &v);
    else
        serve_legacy(h, req, v.version, root, m);
}

void mcp_http_post(struct mcp_http *h, struct http_req *req)
{
    enum mcp_version version;
    struct rpc_message m;
    struct json root = { 0 };

    if (!read_body(h, req, &root))
        return;
    if (json_type(root) == JSON_ARRAY) {
        if (check_batch(req, root, &version))
            serve_legacy(h, req, version, root, NULL);
        return;
    }
    rpc_message_read(&req->mem, root, &m);
    if (m.kind == RPC_MALFORMED)
        refuse_post(req, 400, m.id, m.code, str_of(m.why.text));
    else
        serve_message(h, req, root, &m);
}
