/* acp_initialize.c - initialize, authenticate, logout and the cancellation of requests. */
#include "base/log.h"
#include "proto/acp/acp_names.h"
#include "proto/acp/agent/acp_method.h"
#include "proto/acp/agent/acp_prompt.h"

/* ---- initialize ------------------------------------------------------------------------------ */

struct acp_hello {
    int64_t version;
    struct json capabilities, client;
};

static const struct pick initialize_fields[] = {
    PICK_RANGE("protocolVersion", struct acp_hello, version, PICK_MUST, 0, 65535),
    PICK_FIELD("clientCapabilities", PICK_ANY, struct acp_hello, capabilities, 0),
    PICK_FIELD("clientInfo", PICK_ANY, struct acp_hello, client, 0),
};

static bool is_object(struct json v, const char *key)
{
    return json_type(json_get(v, str_of(key))) == JSON_OBJECT;
}

/* What the client does not declare in the form of the protocol, it cannot do. */
static struct acp_client_can read_capabilities(struct json v)
{
    struct json fs = json_get(v, STR("fs")), ask = json_get(v, STR("elicitation"));
    struct json session = json_get(v, STR("session"));

    return (struct acp_client_can){
        .read_file = json_true(json_get(fs, STR("readTextFile"))),
        .write_file = json_true(json_get(fs, STR("writeTextFile"))),
        .terminal = json_true(json_get(v, STR("terminal"))),
        .form = is_object(ask, "form"),
        .url = is_object(ask, "url"),
        .boolean_options = is_object(json_get(session, STR("configOptions")), "boolean"),
        .notices = is_object(session, "notices"),
        .compaction = is_object(session, "compaction"),
        .subagents = is_object(v, "subagents"),
    };
}

/*
 * Only what works is announced. Media that the model of a session does not take are replaced by a
 * text that says so.
 */
static void write_capabilities(struct jw *w, bool keeps)
{
    jw_plain_key(w, STR("agentCapabilities"));
    jw_object(w);
    jw_kbool(w, "loadSession", keeps);
    jw_kraw(w, "promptCapabilities",
            STR("{\"image\":true,\"audio\":true,\"embeddedContext\":true}"));
    jw_kraw(w, "mcpCapabilities", STR("{\"http\":true,\"sse\":true}"));
    jw_kraw(w, "sessionCapabilities",
            keeps ? STR("{\"list\":{},\"delete\":{},\"resume\":{},\"close\":{},"
                        "\"additionalDirectories\":{},\"fork\":{}}")
                  : STR("{\"close\":{},\"additionalDirectories\":{}}"));
    jw_kraw(w, "_meta", STR("{\"trefoil\":{\"mcpServers\":true}}"));
    jw_object_end(w);
}

static void answer_initialize(struct rpc_in *in)
{
    const struct acp_agent *agent = acp_conn_of(in)->agent;
    struct jw *w = rpc_result_begin(in);

    jw_object(w);
    jw_kint(w, "protocolVersion", ACP_PROTOCOL);
    write_capabilities(w, agent->keeps);
    jw_plain_key(w, STR("agentInfo"));
    jw_object(w);
    jw_kstr(w, "name", agent->name);
    jw_kstr(w, "title", agent->title);
    jw_kstr(w, "version", agent->version);
    jw_object_end(w);
    jw_kraw(w, "authMethods", STR("[]"));
    jw_object_end(w);
    rpc_result_end(in);
}

/* Every version is answered with ours; a client that cannot speak it disconnects. */
void acp_on_initialize(struct rpc_in *in)
{
    struct acp_conn *c = acp_conn_of(in);
    struct acp_hello params = { 0 };

    if (c->state != ACP_CONN_WAITING) {
        rpc_error(in, RPC_INVALID_REQUEST, "initialize was called before on this connection");
        return;
    }
    if (!rpc_params(in, PICK_TABLE(initialize_fields), &params))
        return;
    c->can = read_capabilities(params.capabilities);
    c->state = ACP_CONN_READY;
    LOG(LOG_DEBUG, "acp", "client", LOG_N("version", params.version),
        LOG_S("name", json_str(in->mem, json_get(params.client, STR("name")))));
    answer_initialize(in);
}

/* ---- authentication -------------------------------------------------------------------------- */

/* Model providers check their keys themselves, so there is nothing to do. */
void acp_on_authenticate(struct rpc_in *in)
{
    acp_result_empty(in);
}

void acp_on_logout(struct rpc_in *in)
{
    acp_result_empty(in);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

struct cancel_request {
    struct json id;
};

static const struct pick cancel_request_fields[] = {
    PICK_FIELD("requestId", PICK_ID, struct cancel_request, id, PICK_MUST),
};

/*
 * The request is answered: a prompt with the stop reason `cancelled`, others with -32800 unless
 * they succeed. A request that is unknown or answered is no error: the messages have crossed.
 */
void acp_on_cancel_request(struct rpc_in *in)
{
    struct cancel_request params = { 0 };
    struct rpc_in *call;

    if (!rpc_params(in, PICK_TABLE(cancel_request_fields), &params))
        return;
    call = peer_find_in(in->peer, params.id);
    if (call)
        op_cancel(&call->op);
}
