/* mcp_methods.c - what we speak as a server: the table, and a handler per row. */
#include "base/log.h"
#include "base/pick.h"
#include "base/utf8.h"
#include "proto/mcp/mcp_codec.h"
#include "proto/mcp/mcp_server.h"

static struct mcp_server *server_of(struct rpc_in *in)
{
    return in->peer->who;
}

static enum mcp_version version_of(struct rpc_in *in)
{
    return (enum mcp_version)in->peer->version;
}

/* Decode the params by a table; answers the error itself. Absent params read as {}. */
static bool read_params(struct rpc_in *in, const struct pick *row, size_t rows, void *out)
{
    struct err e;

    for (size_t i = 0; i < rows && !json_here(in->params); i++) {
        if (row[i].flags & PICK_MUST) {
            rpc_error(in, RPC_INVALID_PARAMS, "params: the member \"" STR_FMT "\" is missing",
                      STR_ARG(row[i].name));
            return false;
        }
    }
    if (json_here(in->params) && !pick(in->mem, in->params, row, rows, PICK_LENIENT, out, &e)) {
        rpc_error_of(in, &e);
        return false;
    }
    return true;
}

/* ---- the conversation -------------------------------------------------------------------- */

struct initialize {
    struct str version;
    struct json capabilities, client;
};

static const struct pick initialize_fields[] = {
    PICK_FIELD("protocolVersion", PICK_STR, struct initialize, version, PICK_MUST),
    PICK_FIELD("capabilities", PICK_OBJECT, struct initialize, capabilities, 0),
    PICK_FIELD("clientInfo", PICK_OBJECT, struct initialize, client, 0),
};

/* A version we do not know is answered with our newest: the client decides whether to stay. */
static void on_initialize(struct rpc_in *in)
{
    struct initialize params = { 0 };
    enum mcp_version v = MCP_LAST;
    struct jw *w;

    if (!read_params(in, PICK_TABLE(initialize_fields), &params))
        return;
    mcp_version_named(params.version, &v);
    mcp_peer_set_version(in->peer, v);
    LOG(LOG_DEBUG, "mcp", "client", LOG_Z("version", mcp_features[v].name),
        LOG_S("name", json_str(in->mem, json_get(params.client, STR("name")))));
    w = rpc_result_begin(in);
    mcp_write_initialize(w, server_of(in), v);
    rpc_result_end(in);
}

static void on_ping(struct rpc_in *in)
{
    rpc_result_raw(in, STR("{}"));
}

static void on_initialized(struct rpc_in *in)
{
    (void)in;
}

struct cancelled {
    struct json id;
};

static const struct pick cancelled_fields[] = {
    PICK_FIELD("requestId", PICK_ID, struct cancelled, id, PICK_MUST),
};

/* A cancel for what is unknown or answered already is normal: it crossed our answer. */
static void on_cancelled(struct rpc_in *in)
{
    struct cancelled params = { 0 };
    struct rpc_in *call = NULL;

    if (read_params(in, PICK_TABLE(cancelled_fields), &params))
        call = peer_find_in(in->peer, params.id);
    if (call)
        rpc_in_cancel(call);
}

/* ---- tools ------------------------------------------------------------------------------ */

struct list {
    struct str cursor;
};

static const struct pick list_fields[] = {
    PICK_FIELD("cursor", PICK_STR, struct list, cursor, 0),
};

/* All fit on one page, so we never gave out a cursor. */
static void on_tools_list(struct rpc_in *in)
{
    struct list params = { 0 };
    struct jw *w;

    if (!read_params(in, PICK_TABLE(list_fields), &params))
        return;
    if (params.cursor.p) {
        rpc_error(in, RPC_INVALID_PARAMS, "params.cursor: not a cursor of this server");
        return;
    }
    w = rpc_result_begin(in);
    mcp_write_tools(w, server_of(in)->offer, version_of(in));
    rpc_result_end(in);
}

struct call_params {
    struct str name;
    struct json args;
};

static const struct pick call_fields[] = {
    PICK_FIELD("name", PICK_STR, struct call_params, name, PICK_MUST),
    PICK_FIELD("arguments", PICK_OBJECT, struct call_params, args, 0),
};

static void on_tool_done(struct op *op, const struct err *e, void *who)
{
    struct rpc_in *in = who;
    struct jw *w;

    if (e && e->code == ERR_CANCELED) {
        rpc_error_of(in, e);
        return;
    }
    w = rpc_result_begin(in);
    if (e)
        mcp_write_failure(w, e);
    else
        mcp_write_result(w, (const struct call *)op, version_of(in));
    rpc_result_end(in);
}

static struct caller nobody = { .kind = &caller_nobody, .name = "mcp" };

static void on_tools_call(struct rpc_in *in)
{
    const struct mcp_server *server = server_of(in);
    const struct tool *tool;
    struct call_params params = { 0 };

    if (!read_params(in, PICK_TABLE(call_fields), &params))
        return;
    tool = offer_tool(server->offer, params.name);
    if (!tool) {
        rpc_error(in, RPC_INVALID_PARAMS, "Unknown tool: " STR_FMT,
                  STR_ARG(utf8_head(params.name, 100)));
        return;
    }
    tool_run(tool, ARENA_NEW(in->mem, struct call), &server->offer->host, &nobody, in->mem,
             params.args, &in->op, on_tool_done, in);
}

/* ---- the table -------------------------------------------------------------------------- */

/* clang-format off */
static const struct method methods[] = {
    /* name                             kind              from       to        handler */
    { STR("initialize"),                RPC_REQUEST,      MCP_FIRST, MCP_LAST, on_initialize },
    { STR("ping"),                      RPC_REQUEST,      MCP_FIRST, MCP_LAST, on_ping },
    { STR("tools/list"),                RPC_REQUEST,      MCP_FIRST, MCP_LAST, on_tools_list },
    { STR("tools/call"),                RPC_REQUEST,      MCP_FIRST, MCP_LAST, on_tools_call },
    { STR("notifications/initialized"), RPC_NOTIFICATION, MCP_FIRST, MCP_LAST, on_initialized },
    { STR("notifications/cancelled"),   RPC_NOTIFICATION, MCP_FIRST, MCP_LAST, on_cancelled },
};
/* clang-format on */

static void write_cancel(struct jw *w, struct str id, const struct err *why)
{
    jw_object(w);
    jw_kraw(w, "requestId", id);
    jw_kstr(w, "reason", str_of(why->text));
    jw_object_end(w);
}

const struct peer_kind mcp_server_peer = {
    .name = "mcp client",
    .methods = { methods, ARRAY_LEN(methods) },
    .cancel_method = "notifications/cancelled",
    .write_cancel = write_cancel,
};

void mcp_peer_set_version(struct peer *p, enum mcp_version version)
{
    p->version = version;
    p->batches = mcp_features[version].batches;
}

void mcp_peer_init(struct peer *p, struct mcp_server *server, struct link *link,
                   enum mcp_version version)
{
    peer_init(p, server->rpc, &mcp_server_peer, link, server);
    mcp_peer_set_version(p, version);
}
