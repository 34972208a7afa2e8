#include "base/auto.h"
#include "proto/mcp/server/mcp_era.h"
#include "tap.h"

static struct json read_json(struct arena *mem, const char *text)
{
    struct json_opts opts = { .max_depth = 32, .max_values = 1000 };
    struct json out = { 0 };
    struct err e;

    if (!json_read(mem, str_of(text), &opts, &out, &e))
        TAP_NOT("%s: %s", text, e.text);
    return out;
}

#define V "\"io.modelcontextprotocol/protocolVersion\":"
#define C "\"io.modelcontextprotocol/clientCapabilities\":{}"
#define CALL(params)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{" params "}}"
#define LIST(params)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" params "}}"
#define NOTE(params)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{" params "}}"
#define INIT(params)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{" params "}}"
#define READ(params)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{" params "}}"
#define META "\"_meta\":{" V "\"2026-07-28\"," C "}"
#define NEW "2026-07-28"

/* ---- without headers ---------------------------------------------------------------------- */

static const struct {
    const char *body;
    enum mcp_version version;
    int code;
} bodies[] = {
    { LIST(""), MCP_2025_06_18, 0 },
    { LIST(META), MCP_2026_07_28, 0 },
    { LIST("\"_meta\":{" C "}"), MCP_2025_06_18, 0 },
    { LIST("\"_meta\":{\"progressToken\":1}"), MCP_2025_06_18, 0 },
    { LIST("\"_meta\":7"), MCP_2025_06_18, 0 },
    { LIST("\"_meta\":[1]"), MCP_2025_06_18, 0 },
    { LIST("\"_meta\":{" V "\"2026-07-28\"}"), MCP_2026_07_28, RPC_INVALID_PARAMS },
    { LIST("\"_meta\":{" V "null," C "}"), MCP_2025_06_18, RPC_INVALID_PARAMS },
    { LIST("\"_meta\":{" V "\"2025-11-25\"," C "}"), MCP_2025_11_25, MCP_NO_SUCH_VERSION },
    { LIST("\"_meta\":{" V "\"v999.0.0\"," C "}"), MCP_2025_06_18, MCP_NO_SUCH_VERSION },
    { NOTE("\"requestId\":1"), MCP_2025_06_18, 0 },
    { NOTE("\"requestId\":1,\"_meta\":{" V "\"2026-07-28\"}"), MCP_2026_07_28, 0 },
    { INIT(META), MCP_2026_07_28, 0 },
    { INIT(""), MCP_2025_06_18, 0 },
};

TEST(without_headers_a_message_is_served_by_its_own_claim)
{
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        AUTO_ARENA mem = { 0 };
        struct rpc_message m;
        struct mcp_verdict v;

        rpc_message_read(&mem, read_json(&mem, bodies[i].body), &m);
        mcp_judge(&mem, &m, NULL, MCP_2025_06_18, &v);
        if (v.code != bodies[i].code || v.version != bodies[i].version)
            TAP_NOT("%s: code %d, version %d", bodies[i].body, v.code, v.version);
        if (v.code)
            EQ(v.status, 400);
    }
}

/* ---- with headers ------------------------------------------------------------------------- */

static const struct {
    const char *version, *method, *name, *body;
    enum mcp_version in;
    int code;
} posts[] = {
    /* modern, all in place */
    { NEW, "tools/list", NULL, LIST(META), MCP_2026_07_28, 0 },
    { NEW, "tools/call", "t", CALL("\"name\":\"t\"," META), MCP_2026_07_28, 0 },
    { NEW, "tools/call", "=?base64?w6k=?=", CALL("\"name\":\"\\u00e9\"," META), MCP_2026_07_28, 0 },
    { NEW, "resources/read", "a:b", READ("\"uri\":\"a:b\"," META), MCP_2026_07_28, 0 },
    { NEW, "initialize", NULL, INIT(META), MCP_2026_07_28, 0 },
    /* a header that is missing, or says something else */
    { NULL, "tools/list", NULL, LIST(META), MCP_ASSUMED, MCP_HEADER_MISMATCH },
    { "2025-11-25", "tools/list", NULL, LIST(META), MCP_ASSUMED, MCP_HEADER_MISMATCH },
    { NEW, "tools/list", NULL, LIST("\"_meta\":{" V "\"v999.0.0\"," C "}"), MCP_ASSUMED,
      MCP_HEADER_MISMATCH },
    { NEW, NULL, NULL, LIST(META), MCP_2026_07_28, MCP_HEADER_MISMATCH },
    { NEW, "prompts/list", NULL, LIST(META), MCP_2026_07_28, MCP_HEADER_MISMATCH },
    { NEW, "TOOLS/LIST", NULL, LIST(META), MCP_2026_07_28, MCP_HEADER_MISMATCH },
    { NEW, "tools/call", NULL, CALL("\"name\":\"t\"," META), MCP_2026_07_28, MCP_HEADER_MISMATCH },
    { NEW, "tools/call", "u", CALL("\"name\":\"t\"," META), MCP_2026_07_28, MCP_HEADER_MISMATCH },
    { NEW, "tools/call", "=?base64?dA?=", CALL("\"name\":\"t\"," META), MCP_2026_07_28,
      MCP_HEADER_MISMATCH },
    { NEW, "resources/read", "a:c", READ("\"uri\":\"a:b\"," META), MCP_2026_07_28,
      MCP_HEADER_MISMATCH },
    /* a name that should be there is for the method to miss */
    { NEW, "tools/call", NULL, CALL(META), MCP_2026_07_28, 0 },
    /* a version we do not speak so */
    { "v999.0.0", "tools/list", NULL, LIST("\"_meta\":{" V "\"v999.0.0\"," C "}"), MCP_ASSUMED,
      MCP_NO_SUCH_VERSION },
    { "2025-11-25", "tools/list", NULL, LIST("\"_meta\":{" V "\"2025-11-25\"," C "}"),
      MCP_2025_11_25, MCP_NO_SUCH_VERSION },
    /* a modern header asks for a modern body */
    { NEW, "tools/list", NULL, LIST(""), MCP_2026_07_28, RPC_INVALID_PARAMS },
    { NEW, "tools/list", NULL, LIST("\"_meta\":{" C "}"), MCP_2026_07_28, RPC_INVALID_PARAMS },
    { NEW, "tools/list", NULL, LIST("\"_meta\":{" V "\"2026-07-28\"}"), MCP_2026_07_28,
      RPC_INVALID_PARAMS },
    /* legacy */
    { NULL, NULL, NULL, LIST(""), MCP_ASSUMED, 0 },
    { "2025-11-25", NULL, NULL, LIST(""), MCP_2025_11_25, 0 },
    { "2025-06-18", "whatever", "whatever", LIST(""), MCP_2025_06_18, 0 },
    { "1999-01-01", NULL, NULL, LIST(""), MCP_ASSUMED, RPC_INVALID_REQUEST },
    { NULL, NULL, NULL, INIT(""), MCP_ASSUMED, 0 },
    { NEW, "initialize", NULL, INIT(""), MCP_ASSUMED, 0 },
    { "2025-11-25", "initialize", NULL, INIT(""), MCP_ASSUMED, 0 },
    /* notifications need no headers */
    { NULL, NULL, NULL, NOTE(""), MCP_ASSUMED, 0 },
    { NEW, NULL, NULL, NOTE(""), MCP_2026_07_28, 0 },
    { NULL, NULL, NULL, NOTE("\"_meta\":{" V "\"2026-07-28\"}"), MCP_2026_07_28, 0 },
    { NEW, "notifications/cancelled", NULL, NOTE("\"_meta\":{" V "\"2026-07-28\"}"), MCP_2026_07_28,
      0 },
    { "2025-11-25", NULL, NULL, NOTE("\"_meta\":{" V "\"2026-07-28\"}"), MCP_ASSUMED,
      MCP_HEADER_MISMATCH },
};

TEST(headers_must_say_the_same_as_the_body)
{
    for (size_t i = 0; i < ARRAY_LEN(posts); i++) {
        AUTO_ARENA mem = { 0 };
        struct mcp_http_headers h = { .version = str_of(posts[i].version),
                                      .method = str_of(posts[i].method),
                                      .name = str_of(posts[i].name) };
        struct rpc_message m;
        struct mcp_verdict v;

        rpc_message_read(&mem, read_json(&mem, posts[i].body), &m);
        mcp_judge(&mem, &m, &h, MCP_ASSUMED, &v);
        if (v.code != posts[i].code || v.version != posts[i].in || (v.code && v.status != 400))
            TAP_NOT("row %zu, %s: code %d, version %d", i, posts[i].body, v.code, v.version);
    }
}

TEST(a_refused_version_names_those_we_speak)
{
    AUTO_ARENA mem = { 0 };
    struct rpc_message m;
    struct mcp_verdict v;
    struct json data;

    rpc_message_read(&mem, read_json(&mem, LIST("\"_meta\":{" V "\"a\\\"b\"," C "}")), &m);
    mcp_judge(&mem, &m, NULL, MCP_ASSUMED, &v);
    data = read_json(&mem, arena_cstr(&mem, v.data));
    OK(json_is(json_get(data, STR("requested")), STR("a\"b")));
    EQ(json_count(json_get(data, STR("supported"))), MCP_LAST + 1);
    OK(json_is(json_first(json_get(data, STR("supported"))), STR("2026-07-28")));
}

/* ---- parameters --------------------------------------------------------------------------- */

static struct str one_param(const void *ctx, struct str name)
{
    const char *value = ctx;

    return str_eq_nocase(name, STR("Region")) ? str_of(value) : STR_NONE;
}

#define STRING "{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}"
#define INTEGER "{\"region\":{\"type\":\"integer\",\"x-mcp-header\":\"Region\"}}"
#define BOOLEAN "{\"region\":{\"type\":\"boolean\",\"x-mcp-header\":\"region\"}}"
#define NUMBER "{\"region\":{\"type\":\"number\",\"x-mcp-header\":\"Region\"}}"
#define DEEP "{\"at\":{\"type\":\"object\",\"properties\":" STRING "}}"
#define IN_ITEMS "{\"at\":{\"type\":\"array\",\"items\":{\"properties\":" STRING "}}}"

static const struct {
    const char *properties, *args, *header;
    bool ok;
} params[] = {
    { STRING, "{\"region\":\"Hello\"}", "Hello", true },
    { STRING, "{\"region\":\"Hello\"}", "=?base64?SGVsbG8=?=", true },
    { STRING, "{\"region\":\"SGVsbG8=\"}", "SGVsbG8=", true },
    { STRING, "{\"region\":\"=?base64?SGVsbG8=\"}", "=?base64?SGVsbG8=", true },
    { STRING, "{\"region\":\"=?base64?\"}", "=?base64?", true },
    { STRING, "{\"region\":\"=?BASE64?SGVsbG8=?=\"}", "=?BASE64?SGVsbG8=?=", true },
    { STRING, "{\"region\":\"\"}", "", true },
    { STRING, "{\"region\":\"\"}",
      "=?base64?"
      "?=",
      true },
    { STRING, "{\"region\":\"a b\"}", "a b", true },
    { STRING, "{\"region\":\"Hello\"}", "=?base64?SGVsbG8?=", false },
    { STRING, "{\"region\":\"Hello\"}", "=?base64?SGVs!!!bG8=?=", false },
    { STRING, "{\"region\":\"Hello\"}", "=?base64?/w==?=", false },
    { STRING, "{\"region\":\"Hello\"}", "hello", false },
    { STRING, "{\"region\":\"test-value\"}", NULL, false },
    { STRING, "{\"region\":\"\"}", NULL, false },
    { STRING, "{}", NULL, true },
    { STRING, "{\"region\":null}", NULL, true },
    { STRING, "{}", "Hello", false },
    { STRING, "{\"region\":null}", "", false },
    { STRING, "{\"region\":[1]}", NULL, true }, /* for the tool to refuse */
    { INTEGER, "{\"region\":42}", "42", true },
    { INTEGER, "{\"region\":42.0}", "42", true },
    { INTEGER, "{\"region\":42}", "4.2e1", true },
    { INTEGER, "{\"region\":99999999999999999999}", "99999999999999999999", true },
    { INTEGER, "{\"region\":42}", "43", false },
    { INTEGER, "{\"region\":42}", "0x2a", false },
    { INTEGER, "{\"region\":42}", "", false },
    { INTEGER, "{\"region\":42}", "\"42\"", false },
    { BOOLEAN, "{\"region\":true}", "true", true },
    { BOOLEAN, "{\"region\":false}", "false", true },
    { BOOLEAN, "{\"region\":true}", "True", false },
    { BOOLEAN, "{\"region\":true}", "1", false },
    { NUMBER, "{\"region\":1.5}", NULL, true }, /* no header for such */
    { DEEP, "{\"at\":{\"region\":\"x\"}}", "x", true },
    { DEEP, "{\"at\":{\"region\":\"x\"}}", "y", false },
    { DEEP, "{}", NULL, true },
    { "[\"x\"]", "{\"x\":1}", NULL, true },
    { IN_ITEMS, "{\"at\":[{\"region\":\"x\"}]}", NULL, true },
};

TEST(annotated_arguments_and_headers_must_agree)
{
    for (size_t i = 0; i < ARRAY_LEN(params); i++) {
        AUTO_ARENA mem = { 0 };
        struct str schema = arena_printf(&mem, "{\"properties\":%s}", params[i].properties);
        struct mcp_http_headers h = { .param = one_param, .ctx = params[i].header };
        struct mcp_verdict v = { 0 };
        bool ok = mcp_params_agree(&mem, read_json(&mem, schema.p), read_json(&mem, params[i].args),
                                   &h, &v);

        if (ok != params[i].ok || (!ok && (v.code != MCP_HEADER_MISMATCH || v.status != 400)))
            TAP_NOT("row %zu, %s: %d, code %d", i, params[i].args, ok, v.code);
    }
}

TEST(the_tool_of_a_call_says_which_headers_it_wants)
{
    static const struct tool tool = { .name = "t", .input_schema = "{\"properties\":" STRING "}" };
    static const struct tool *const tools[] = { &tool };
    struct offer_source source = { .tool = tools, .tools = 1 };
    struct limits limits;
    struct loop *loop = loop_new(LOOP_FAKE_CLOCK);
    struct mcp_http_headers h = { .param = one_param, .ctx = "x" };
    AUTO_ARENA mem = { 0 };
    struct mcp_verdict v;
    struct rpc_message m;
    struct offer offer;

    limits_preset(&limits);
    offer_init(&offer, &(struct host){ .loop = loop, .limits = &limits }, 1);
    offer_join(&offer, &source);
    rpc_message_read(&mem, read_json(&mem, CALL("\"name\":\"t\",\"arguments\":{\"region\":\"x\"}")),
                     &m);
    OK(mcp_judge_params(&mem, &offer, &m, &h, &v));
    h.ctx = "y";
    OK(!mcp_judge_params(&mem, &offer, &m, &h, &v));
    EQ(v.code, MCP_HEADER_MISMATCH);
    rpc_message_read(&mem, read_json(&mem, CALL("\"name\":\"other\"")), &m);
    OK(mcp_judge_params(&mem, &offer, &m, &h, &v));
    offer_fini(&offer);
    loop_free(loop);
}

/* ---- names of versions -------------------------------------------------------------------- */

TEST(versions_have_names)
{
    AUTO_ARENA mem = { 0 };
    struct json all = read_json(&mem, mcp_versions_json.p);
    enum mcp_version v = MCP_LAST;
    int expected = MCP_LAST;

    JSON_EACH(name, all)
    {
        OK(mcp_version_named(json_str(&mem, name), &v));
        EQ(v, expected);
        expected--;
    }
    EQ(expected, -1);
    OK(mcp_version_named(STR("2024-10-07"), &v));
    EQ(v, MCP_2024_11_05);
    OK(!mcp_version_named(STR("2026-07-29"), &v));
}

TEST_MAIN()
