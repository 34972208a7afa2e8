/* mcp_lifecycle.c - initialize, discover, ping, cancellation and log levels. */
#include "base/log.h"
#include "base/utf8.h"
#include "proto/mcp/server/mcp_method.h"

struct initialize {
    struct str version;
    struct json capabilities, client;
};

static const struct pick initialize_fields[] = {
    PICK_FIELD("protocolVersion", PICK_STR, struct initialize, version, PICK_MUST),
    PICK_FIELD("capabilities", PICK_OBJECT, struct initialize, capabilities, 0),
    PICK_FIELD("clientInfo", PICK_OBJECT, struct initialize, client, 0),
};

/*
 * An unknown version, or one without a handshake, is answered with the newest version that has one:
 * the client decides whether to continue.
 */
static enum mcp_version agree(struct str asked)
{
    enum mcp_version v = MCP_LEGACY;

    mcp_version_named(asked, &v);
    return v > MCP_LEGACY ? MCP_LEGACY : v;
}

void mcp_on_initialize(struct rpc_in *in)
{
    struct mcp_conv *conv = mcp_conv_of(in);
    struct initialize params = { 0 };
    enum mcp_version v;
    struct jw *w;

    if (!rpc_params(in, PICK_TABLE(initialize_fields), &params))
        return;
    v = agree(params.version);
    mcp_conv_set_version(conv, v);
    conv->abilities = mcp_abilities_read(params.capabilities, v);
    conv->greeted = true;
    conv->ready = false;
    LOG(LOG_DEBUG, "mcp", "client", LOG_Z("version", mcp_features[v].name),
        LOG_S("name", json_str(in->mem, json_get(params.client, STR("name")))));
    w = rpc_result_begin(in);
    mcp_write_initialize(w, conv->server, v, conv->lasting);
    rpc_result_end(in);
}

void mcp_on_initialized(struct rpc_in *in)
{
    struct mcp_conv *conv = mcp_conv_of(in);

    conv->ready = conv->greeted;
    mcp_conv_watch(conv);
}

void mcp_on_discover(struct rpc_in *in)
{
    const struct mcp_server *server = mcp_conv_of(in)->server;
    struct jw *w = mcp_result_begin(in);

    jw_kraw(w, "supportedVersions", mcp_versions_json);
    mcp_write_capabilities(w, server->offer, mcp_version_of(in), true);
    jw_kstr(w, "instructions", str_of(server->instructions));
    mcp_result_end(in, MCP_CACHE_LIST);
}

void mcp_on_ping(struct rpc_in *in)
{
    mcp_result_empty(in);
}

/* Ignored: we report no progress of our questions, and request the roots each time. */
void mcp_on_noted(struct rpc_in *in)
{
    (void)in;
}

struct cancelled {
    struct json id;
};

static const struct pick cancelled_fields[] = {
    PICK_FIELD("requestId", PICK_ID, struct cancelled, id, PICK_MUST),
};

/* A cancellation of an unknown or answered request is normal: it crossed our answer. */
void mcp_on_cancelled(struct rpc_in *in)
{
    struct cancelled params = { 0 };
    struct rpc_in *call = NULL;

    if (rpc_params(in, PICK_TABLE(cancelled_fields), &params))
        call = peer_find_in(in->peer, params.id);
    if (call)
        rpc_in_cancel(call);
}

struct set_level {
    struct str level;
};

static const struct pick set_level_fields[] = {
    PICK_FIELD("level", PICK_STR, struct set_level, level, PICK_MUST),
};

void mcp_on_set_level(struct rpc_in *in)
{
    struct set_level params = { 0 };

    if (!rpc_params(in, PICK_TABLE(set_level_fields), &params))
        return;
    if (!mcp_level_named(params.level, &mcp_conv_of(in)->log_level)) {
        rpc_error(in, RPC_INVALID_PARAMS,
                  "params.level: \"" STR_FMT
                  "\"; expected debug, info, notice, warning, error, critical, alert or emergency",
                  STR_ARG(utf8_head(params.level, 40)));
        return;
    }
    mcp_result_empty(in);
}
