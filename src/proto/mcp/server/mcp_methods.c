/* mcp_methods.c - the methods of our server: the table, and which requests are admitted. */
#include "base/auto.h"
#include "base/utf8.h"
#include "core/shown_error.h"
#include "proto/mcp/mcp_trace.h"
#include "proto/mcp/server/mcp_method.h"
#include "proto/mcp/server/mcp_tasks.h"

#include <stdio.h>

/* clang-format off */
static const struct method methods[] = {
    /* name                           kind              from            to          handler */
    { STR("initialize"),              RPC_REQUEST,      MCP_FIRST,      MCP_LEGACY, mcp_on_initialize },
    { STR("server/discover"),         RPC_REQUEST,      MCP_MODERN,     MCP_LAST,   mcp_on_discover },
    { STR("ping"),                    RPC_REQUEST,      MCP_FIRST,      MCP_LEGACY, mcp_on_ping },
    { STR("tools/call"),              RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_tools_call },
    { STR("tools/list"),              RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_tools_list },
    { STR("resources/list"),          RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_resources_list },
    { STR("resources/templates/list"), RPC_REQUEST,     MCP_FIRST,      MCP_LAST,   mcp_on_templates_list },
    { STR("resources/read"),          RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_resources_read },
    { STR("resources/subscribe"),     RPC_REQUEST,      MCP_FIRST,      MCP_LEGACY, mcp_on_subscribe },
    { STR("resources/unsubscribe"),   RPC_REQUEST,      MCP_FIRST,      MCP_LEGACY, mcp_on_unsubscribe },
    { STR("prompts/list"),            RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_prompts_list },
    { STR("prompts/get"),             RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_prompts_get },
    { STR("completion/complete"),     RPC_REQUEST,      MCP_FIRST,      MCP_LAST,   mcp_on_complete },
    { STR("logging/setLevel"),        RPC_REQUEST,      MCP_FIRST,      MCP_LEGACY, mcp_on_set_level },
    { STR("subscriptions/listen"),    RPC_REQUEST,      MCP_MODERN,     MCP_LAST,   mcp_on_listen },
    { STR("tasks/get"),               RPC_REQUEST,      MCP_MODERN,     MCP_LAST,   mcp_on_tasks_get },
    { STR("tasks/update"),            RPC_REQUEST,      MCP_MODERN,     MCP_LAST,   mcp_on_tasks_update },
    { STR("tasks/cancel"),            RPC_REQUEST,      MCP_MODERN,     MCP_LAST,   mcp_on_tasks_cancel },
    { STR("notifications/initialized"), RPC_NOTIFICATION, MCP_FIRST,    MCP_LEGACY, mcp_on_initialized },
    { STR("notifications/cancelled"), RPC_NOTIFICATION, MCP_FIRST,      MCP_LAST,   mcp_on_cancelled },
    { STR("notifications/progress"),  RPC_NOTIFICATION, MCP_FIRST,      MCP_LEGACY, mcp_on_noted },
    { STR("notifications/roots/list_changed"), RPC_NOTIFICATION, MCP_FIRST, MCP_LEGACY, mcp_on_noted },
};

/* Methods that exist only where one of these parts is offered. */
static const struct {
    struct str prefix;
    unsigned parts;
} served[] = {
    { STR("tools/"),      1u << OFFER_TOOLS },
    { STR("resources/"),  1u << OFFER_RESOURCES },
    { STR("prompts/"),    1u << OFFER_PROMPTS },
    { STR("completion/"), 1u << OFFER_RESOURCES | 1u << OFFER_PROMPTS },
};
/* clang-format on */

static bool is_served(const struct offer *offer, struct str method)
{
    for (size_t i = 0; i < ARRAY_LEN(served); i++)
        if (str_starts(method, served[i].prefix))
            return offer->parts & served[i].parts;
    return !str_starts(method, STR("tasks/")) || mcp_keeps_tasks(offer);
}

static void admit_refuse(struct rpc_admit *out, int code, const char *fmt, struct str word)
    __attribute__((format(printf, 3, 0)));

static void admit_refuse(struct rpc_admit *out, int code, const char *fmt, struct str word)
{
    word = utf8_head(word, 120);
    snprintf(out->scratch, sizeof(out->scratch), fmt, STR_ARG(word));
    out->code = code;
    out->message = str_of(out->scratch);
    out->data = STR_NONE;
}

/* The text of a verdict may be in its scratch. */
static void refuse_by(struct rpc_admit *out, const struct mcp_verdict *v)
{
    out->code = v->code;
    out->message = v->message;
    out->data = v->data;
    if (v->data.p == v->scratch) {
        memcpy(out->scratch, v->scratch, v->data.n);
        out->data.p = out->scratch;
    }
}

/* Reject calls of too long chains of agents, and invalid trace ids. */
static void check_trace(const struct mcp_conv *conv, struct arena *mem, const struct rpc_message *m,
                        struct rpc_admit *out)
{
    const struct host *host = &conv->server->offer->host;
    struct trace trace = conv->trace;
    const char *why = NULL;

    mcp_trace_from_meta(mem, m->meta, &trace);
    trace_arrives(&trace, host->traces);
    if (trace.malformed)
        why = arena_printf(mem, "X-Trefoil-Trace-ID: expected printable ASCII, up to %d bytes",
                           (int)MCP_TRACE_BYTES)
                  .p;
    else if (trace_too_deep(trace.depth, host->limits->trace_depth))
        why = arena_printf(mem, "the chain of agent calls is longer than %lld (X-Trefoil-Depth)",
                           (long long)host->limits->trace_depth)
                  .p;
    if (why)
        admit_refuse(out, RPC_INVALID_REQUEST, STR_FMT "; rejected",
                     arena_printf(mem, STR_FMT ": %s", STR_ARG(str_head(m->method, 40)), why));
}

static void admit(struct peer *p, const struct rpc_message *m, struct rpc_admit *out)
{
    const struct mcp_conv *conv = p->ctx;
    AUTO_ARENA mem = { 0 };
    struct mcp_verdict v;

    v.version = (enum mcp_version)p->version;
    v.code = 0;
    if (!conv->judged)
        mcp_judge(&mem, m, NULL, v.version, &v);
    out->version = v.version;
    if (v.code)
        refuse_by(out, &v);
    else if (!is_served(conv->server->offer, m->method))
        admit_refuse(out, RPC_METHOD_NOT_FOUND, "Method not found: " STR_FMT, m->method);
    else
        check_trace(conv, &mem, m, out);
}

static void write_cancel(struct jw *w, struct str id, const struct err *why)
{
    jw_object(w);
    jw_kraw(w, "requestId", id);
    jw_kstr(w, "reason", str_of(why->text));
    jw_object_end(w);
}

static const struct err *shown(struct peer *p, const struct err *e, struct err *own)
{
    const struct mcp_conv *conv = p->ctx;

    return shown_error(conv->principal.origin, e, own);
}

const struct peer_kind mcp_server_peer = {
    .name = "mcp client",
    .methods = { methods, ARRAY_LEN(methods) },
    .cancel_method = "notifications/cancelled",
    .write_cancel = write_cancel,
    .admit = admit,
    .shown = shown,
};

/* ---- params ------------------------------------------------------------------------------ */

struct json mcp_reread(struct arena *mem, const struct limits *limits, struct str raw)
{
    struct json_opts opts = limits_json(limits);
    struct json out = { 0 };
    struct err e;

    json_read(mem, raw, &opts, &out, &e);
    return out;
}

struct json mcp_keep(struct arena *mem, const struct limits *limits, struct json v)
{
    return json_here(v) ? mcp_reread(mem, limits, arena_str(mem, json_raw(v))) : v;
}
