/*
 * mcp_era.c - the checks of a message before it is served.
 *
 * In this order; the first failing check determines the error:
 *   1. if the body names no version, the message is legacy; a modern header is then an error
 *   2. the header names the same version as the body
 *   3. we support that version, and it is a version without a handshake
 *   4. the members that every modern request must have are there
 *   5. Mcp-Method and Mcp-Name agree with the body
 * The method itself is looked up afterwards, and the Mcp-Param-* are compared after that.
 */
#include "proto/mcp/server/mcp_era.h"

#include "base/base64.h"
#include "base/utf8.h"

#include <stdio.h>

enum { SHOWN = 60 }; /* characters of a value in an error message */

static void verdict_refuse(struct mcp_verdict *out, int code, struct str message)
{
    out->code = code;
    out->status = 400;
    out->message = message;
    out->data = STR_NONE;
}

/* ---- versions ---------------------------------------------------------------------------- */

static void refuse_version(struct mcp_verdict *out, struct str claimed)
{
    struct buf data = { .p = out->scratch,
                        .room = sizeof(out->scratch),
                        .max = sizeof(out->scratch) };
    struct jw w = jw_to(&data);

    verdict_refuse(out, MCP_NO_SUCH_VERSION, STR("Unsupported protocol version"));
    jw_object(&w);
    jw_kraw(&w, "supported", mcp_versions_json);
    jw_kstr(&w, "requested", utf8_head(claimed, SHOWN));
    jw_object_end(&w);
    out->data = buf_str(&data);
}

static struct json claim_of(const struct rpc_message *m)
{
    return json_get(m->meta, STR(MCP_META "protocolVersion"));
}

/* A message without a claim. The header may name a legacy version; initialize has its own. */
static void judge_legacy(const struct rpc_message *m, const struct mcp_http_headers *h,
                         struct mcp_verdict *out)
{
    enum mcp_version named;

    if (!h || !h->version.p || (m->kind == RPC_REQUEST && str_eq(m->method, STR("initialize"))))
        return;
    if (!mcp_version_named(h->version, &named)) {
        verdict_refuse(out, RPC_INVALID_REQUEST,
                       STR("MCP-Protocol-Version: unsupported version; supported are 2026-07-28, "
                           "2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05"));
        return;
    }
    out->version = named;
    if (mcp_features[named].modern && m->kind == RPC_REQUEST)
        verdict_refuse(out, RPC_INVALID_PARAMS,
                       STR("params._meta: missing required key \"" MCP_META "protocolVersion\""));
}

/* The version that body and header name. False: rejected. */
static bool agree_on_version(struct arena *mem, const struct rpc_message *m, struct json claim,
                             const struct mcp_http_headers *h, struct mcp_verdict *out)
{
    struct str claimed = json_str(mem, claim);

    if (!claimed.p) {
        verdict_refuse(out, RPC_INVALID_PARAMS,
                       STR("params._meta[\"" MCP_META "protocolVersion\"]: expected a string"));
        return false;
    }
    if (h && !h->version.p && m->kind == RPC_REQUEST) {
        verdict_refuse(out, MCP_HEADER_MISMATCH, STR("missing header MCP-Protocol-Version"));
        return false;
    }
    if (h && h->version.p && !str_eq(h->version, claimed)) {
        verdict_refuse(out, MCP_HEADER_MISMATCH,
                       STR("MCP-Protocol-Version and params._meta name different versions"));
        return false;
    }
    if (!mcp_version_named(claimed, &out->version) || !mcp_features[out->version].modern) {
        refuse_version(out, claimed);
        return false;
    }
    return true;
}

static bool has_abilities(const struct rpc_message *m, struct mcp_verdict *out)
{
    if (m->kind == RPC_NOTIFICATION ||
        json_type(json_get(m->meta, STR(MCP_META "clientCapabilities"))) == JSON_OBJECT)
        return true;
    verdict_refuse(
        out, RPC_INVALID_PARAMS,
        STR("params._meta: missing required key \"" MCP_META "clientCapabilities\" (an object)"));
    return false;
}

/* ---- names ------------------------------------------------------------------------------- */

/* The member of params that Mcp-Name repeats. */
static const struct {
    struct str method, member;
} named_methods[] = {
    { STR("tools/call"), STR("name") },     { STR("prompts/get"), STR("name") },
    { STR("resources/read"), STR("uri") },  { STR("tasks/get"), STR("taskId") },
    { STR("tasks/update"), STR("taskId") }, { STR("tasks/cancel"), STR("taskId") },
};

static struct json name_of(const struct rpc_message *m)
{
    for (size_t i = 0; i < ARRAY_LEN(named_methods); i++)
        if (str_eq(m->method, named_methods[i].method))
            return json_get(m->params, named_methods[i].member);
    return (struct json){ 0 };
}

static bool method_agrees(const struct rpc_message *m, const struct mcp_http_headers *h,
                          struct mcp_verdict *out)
{
    if (str_eq(h->method, m->method) || (m->kind == RPC_NOTIFICATION && !h->method.p))
        return true;
    verdict_refuse(out, MCP_HEADER_MISMATCH,
                   h->method.p ? STR("Mcp-Method and the body name different methods")
                               : STR("missing header Mcp-Method"));
    return false;
}

/*
 * The text of a header value: as it is, or decoded when it is wrapped as =?base64?...?=. False when
 * the wrapping holds no valid base64 or no UTF-8.
 */
static bool mcp_header_text(struct arena *mem, struct str value, struct str *out)
{
    static const struct str open = STR("=?base64?"), close = STR("?=");
    struct str text = value;

    if (value.n >= open.n + close.n && str_starts(value, open) && str_ends(value, close)) {
        text = str_head(str_skip(value, open.n), value.n - open.n - close.n);
        if (!base64_decode(mem, BASE64_PLAIN, text, &text) || utf8_valid(text) != text.n)
            return false;
    }
    *out = text;
    return true;
}

static bool name_agrees(struct arena *mem, const struct rpc_message *m,
                        const struct mcp_http_headers *h, struct mcp_verdict *out)
{
    struct json name = name_of(m);
    struct str text = STR_NONE;

    if (json_type(name) != JSON_STRING) /* a missing member has its own error */
        return true;
    if (!h->name.p) {
        verdict_refuse(out, MCP_HEADER_MISMATCH, STR("missing header Mcp-Name"));
        return false;
    }
    if (mcp_header_text(mem, h->name, &text) && str_eq(text, json_str(mem, name)))
        return true;
    verdict_refuse(out, MCP_HEADER_MISMATCH, STR("Mcp-Name and the body name different items"));
    return false;
}

void mcp_judge(struct arena *mem, const struct rpc_message *m,
               const struct mcp_http_headers *headers, enum mcp_version assumed,
               struct mcp_verdict *out)
{
    struct json claim = claim_of(m);

    out->version = assumed;
    out->code = out->status = 0;
    out->message = out->data = STR_NONE;
    if (!json_here(claim))
        judge_legacy(m, headers, out);
    else if (agree_on_version(mem, m, claim, headers, out) && has_abilities(m, out) && headers &&
             method_agrees(m, headers, out))
        name_agrees(mem, m, headers, out);
}

/* ---- header values ----------------------------------------------------------------------- */

/* Integers are compared by value; integers that are too large, by text. */
static bool same_number(struct arena *mem, struct json v, struct str text)
{
    struct json_opts opts = { .max_depth = 1, .max_values = 1 };
    struct json other;
    int64_t a, b;
    struct err e;

    if (str_eq(json_raw(v), text))
        return true;
    return json_read(mem, text, &opts, &other, &e) && json_int(v, &a) && json_int(other, &b) &&
           a == b;
}

static bool same_value(struct arena *mem, struct json v, struct str text)
{
    if (json_type(v) == JSON_STRING)
        return str_eq(json_str(mem, v), text);
    if (json_type(v) == JSON_NUMBER)
        return same_number(mem, v, text);
    return str_eq(json_raw(v), text);
}

static bool refuse_param(struct mcp_verdict *out, struct str name, const char *why)
{
    int n = snprintf(out->scratch, sizeof(out->scratch), "Mcp-Param-" STR_FMT " %s",
                     STR_ARG(utf8_head(name, SHOWN)), why);

    verdict_refuse(out, MCP_HEADER_MISMATCH, (struct str){ out->scratch, (size_t)n });
    return false;
}

/* A value that is not a scalar has no header; the tool decides whether it is valid. */
static bool param_agrees(struct arena *mem, struct str name, struct json v,
                         const struct mcp_http_headers *h, struct mcp_verdict *out)
{
    struct str value = h->param(h->ctx, name), text;
    enum json_type type = json_type(v);

    if (type == JSON_OBJECT || type == JSON_ARRAY)
        return true;
    if (type == JSON_MISSING || type == JSON_NULL)
        return !value.p || refuse_param(out, name, "is present, but the body has no such argument");
    if (!value.p)
        return refuse_param(out, name, "is missing");
    if (!mcp_header_text(mem, value, &text))
        return refuse_param(out, name, "is not valid base64 of UTF-8");
    return same_value(mem, v, text) || refuse_param(out, name, "differs from the body");
}

/* The annotation is ignored for other types. */
static struct str header_name(struct arena *mem, struct json property)
{
    struct json type = json_get(property, STR("type"));

    if (json_is(type, STR("string")) || json_is(type, STR("integer")) ||
        json_is(type, STR("boolean")))
        return json_str(mem, json_get(property, STR("x-mcp-header")));
    return STR_NONE;
}

/* Recursion is bounded by the depth of a JSON text. */
bool mcp_params_agree(struct arena *mem, struct json schema, struct json args,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out)
{
    struct json properties = json_get(schema, STR("properties"));

    if (json_type(properties) != JSON_OBJECT)
        return true;
    JSON_MEMBERS(key, properties)
    {
        struct json property = json_value(key), v = json_get(args, json_str(mem, key));
        struct str name = header_name(mem, property);

        if (name.n && !param_agrees(mem, name, v, headers, out))
            return false;
        if (!mcp_params_agree(mem, property, v, headers, out))
            return false;
    }
    return true;
}

bool mcp_judge_params(struct arena *mem, const struct offer *offer, const struct rpc_message *m,
                      const struct mcp_http_headers *headers, struct mcp_verdict *out)
{
    struct json_opts opts = limits_json(offer->host.limits);
    const struct tool *tool = NULL;
    struct json schema;
    struct err e;

    if (m->kind == RPC_REQUEST && str_eq(m->method, STR("tools/call")))
        tool = offer_tool(offer, json_str(mem, json_get(m->params, STR("name"))));
    if (!tool || str_find(str_of(tool->input_schema), STR("x-mcp-header")) < 0 ||
        !json_read(mem, str_of(tool->input_schema), &opts, &schema, &e))
        return true;
    return mcp_params_agree(mem, schema, json_get(m->params, STR("arguments")), headers, out);
}
