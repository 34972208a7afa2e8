/* mcp_answer.c - writes results and errors with the members that each version requires. */
#include "proto/mcp/server/mcp_method.h"

/*
 * How long a list may be cached. Short: subscribed clients are notified of changes, the others
 * should not keep using deleted tools. The content of a resource may change at any time.
 */
enum { LIST_TTL_MS = 5000, READ_TTL_MS = 0 };

static const struct str complete = STR("complete");

void mcp_write_cache(struct jw *w, const struct rpc_in *in, enum mcp_cache cache)
{
    bool private = mcp_conv_of(in)->principal.origin == ORIGIN_KEY;

    if (cache == MCP_CACHE_NEVER)
        return;
    jw_kint(w, "ttlMs", cache == MCP_CACHE_LIST ? LIST_TTL_MS : READ_TTL_MS);
    jw_kstr(w, "cacheScope", private ? STR("private") : STR("public"));
}

/* call: the call of a tool, whose marks are written; NULL: none. */
static void write_meta(struct jw *w, const struct rpc_in *in, const struct call *call)
{
    if (!call && !mcp_has(in)->modern)
        return;
    jw_plain_key(w, STR("_meta"));
    jw_object(w);
    if (call)
        mcp_write_marks(w, call);
    if (mcp_has(in)->modern)
        mcp_write_server_info(w, MCP_META "serverInfo", mcp_conv_of(in)->server,
                              mcp_version_of(in));
    jw_object_end(w);
}

struct jw *mcp_result_begin(struct rpc_in *in)
{
    struct jw *w = rpc_result_begin(in);

    jw_object(w);
    if (mcp_has(in)->modern)
        jw_kstr(w, "resultType", complete);
    return w;
}

static void end_result(struct rpc_in *in, enum mcp_cache cache, const struct call *call)
{
    struct jw *w = &in->peer->rpc->writer;

    if (mcp_has(in)->modern)
        mcp_write_cache(w, in, cache);
    write_meta(w, in, call);
    jw_object_end(w);
    rpc_result_end(in);
}

void mcp_result_end(struct rpc_in *in, enum mcp_cache cache)
{
    end_result(in, cache, NULL);
}

void mcp_result_end_of_tool(struct rpc_in *in, const struct call *call)
{
    end_result(in, MCP_CACHE_NEVER, call);
}

void mcp_result_empty(struct rpc_in *in)
{
    mcp_result_begin(in);
    mcp_result_end(in, MCP_CACHE_NEVER);
}

/* ---- forwarded results -------------------------------------------------------------------- */

struct forwarded_error {
    int64_t code;
    struct str message;
    struct json data;
};

static const struct pick error_fields[] = {
    PICK_FIELD("code", PICK_INT, struct forwarded_error, code, 0),
    PICK_FIELD("message", PICK_STR, struct forwarded_error, message, 0),
    PICK_FIELD("data", PICK_ANY, struct forwarded_error, data, 0),
};

/* Map error codes of another server that would be wrong or misleading on our connection. */
static int code_here(const struct rpc_in *in, int64_t code)
{
    if (code == MCP_NOT_FOUND && mcp_has(in)->modern)
        return RPC_INVALID_PARAMS;
    if (code == RPC_METHOD_NOT_FOUND && mcp_has(in)->modern) /* would become HTTP 404 */
        return RPC_INTERNAL_ERROR;
    if (code == MCP_HEADER_MISMATCH || code == MCP_LACKS_ABILITY || code == MCP_NO_SUCH_VERSION ||
        code < INT32_MIN || code > INT32_MAX)
        return RPC_INTERNAL_ERROR;
    return (int)code;
}

static void forward_error(struct rpc_in *in, struct str raw)
{
    struct json root = mcp_reread(in->mem, in->peer->rpc->limits, raw);
    struct forwarded_error error = { .code = RPC_INTERNAL_ERROR, .message = STR("it failed") };
    struct err e;

    pick(in->mem, root, PICK_TABLE(error_fields), PICK_LENIENT, &error, &e);
    rpc_error_data(in, code_here(in, error.code), error.message,
                   json_here(error.data) ? json_raw(error.data) : STR_NONE);
}

/* ---- common parts of answers -------------------------------------------------------------- */

const struct str mcp_required[ASK_KINDS] = {
    [ASK_FORM] = STR("{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}"),
    [ASK_URL] = STR("{\"requiredCapabilities\":{\"elicitation\":{\"url\":{}}}}"),
    [ASK_SAMPLE] = STR("{\"requiredCapabilities\":{\"sampling\":{}}}"),
    [ASK_ROOTS] = STR("{\"requiredCapabilities\":{\"roots\":{}}}"),
    [ASK_PERMISSION] = STR("{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}"),
};

bool mcp_answer_common(struct mcp_request *r, const struct err *e, enum mcp_cache cache)
{
    const struct call *call = &r->call;

    if (e && e->code == ERR_CANCELED)
        rpc_error_of(r->in, e);
    else if (e && e->code == ERR_DENIED && call->lacking && mcp_has(r->in)->modern)
        rpc_error_data(r->in, MCP_LACKS_ABILITY, str_of(e->text), mcp_required[call->lacked]);
    else if (!e && call->raw_error.p)
        forward_error(r->in, call->raw_error);
    else if (!e && call->raw_result.p)
        mcp_forward_result(r, cache);
    else
        return false;
    return true;
}

struct str mcp_failure_text(struct mcp_request *r)
{
    struct json block = mcp_reread(r->mem, r->in->peer->rpc->limits, buf_str(&r->call.content));
    struct str text = json_str(r->mem, json_get(block, STR("text")));

    return text.p ? text : STR("it failed");
}
