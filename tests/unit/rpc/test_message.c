#include "base/limits.h"
#include "rpc/message.h"
#include "tap.h"

static const struct json_opts opts = { .max_depth = 32, .max_values = 1000 };

static const struct {
    const char *in;
    enum rpc_kind kind;
    int code;
    const char *id, *says; /* raw id or NULL; part of the sentence */
} rows[] = {
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", RPC_REQUEST, 0, "1", NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"m\",\"params\":{}}", RPC_REQUEST, 0,
      "\"a\\u0062\"", NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":1e2,\"method\":\"m\"}", RPC_REQUEST, 0, "1e2", NULL },
    { "{\"method\":\"m\",\"jsonrpc\":\"2.0\"}", RPC_NOTIFICATION, 0, NULL, NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", RPC_RESPONSE, 0, "1", NULL },
    { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1}}", RPC_RESPONSE, 0, NULL, NULL },
    { "[]", RPC_MALFORMED, RPC_INVALID_REQUEST, NULL, "expected an object" },
    { "7", RPC_MALFORMED, RPC_INVALID_REQUEST, NULL, "expected an object" },
    { "{}", RPC_MALFORMED, RPC_INVALID_REQUEST, NULL,
      "missing required key \"jsonrpc\" (a string)" },
    { "{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, "5",
      "jsonrpc: expected \"2.0\"" },
    { "{\"jsonrpc\":2,\"id\":5,\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, "5",
      "jsonrpc: expected a string" },
    { "{\"id\":5,\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, "5", "jsonrpc" },
    { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST,
      NULL, "id: expected a string or an integer, found null" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, NULL,
      "id: expected" },
    { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, NULL,
      "id: expected" },
    { "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"m\"}", RPC_MALFORMED,
      RPC_INVALID_REQUEST, NULL, "id: " },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\udc00\"}", RPC_MALFORMED, RPC_INVALID_REQUEST,
      "1", "surrogate" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", RPC_MALFORMED, RPC_INVALID_REQUEST, "1",
      "method: expected a string" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[1]}", RPC_MALFORMED,
      RPC_INVALID_PARAMS, "1", "params: expected an object, found an array" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"method\":\"n\"}", RPC_MALFORMED,
      RPC_INVALID_REQUEST, "1", "duplicate key" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_MALFORMED, RPC_INVALID_REQUEST, "1", "method" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}", RPC_MALFORMED,
      RPC_INVALID_REQUEST, "1", "one of" },
    { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"x\"}", RPC_MALFORMED, RPC_INVALID_REQUEST, "1",
      "error: expected an object" },
};

TEST(messages_are_what_they_are)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena mem = { 0 };
        struct rpc_message m;
        struct json v;
        struct err e;

        if (!json_read(&mem, str_of(rows[i].in), &opts, &v, &e)) {
            TAP_NOT("%s: %s", rows[i].in, e.text);
            continue;
        }
        rpc_message_read(&mem, v, &m);
        if (m.kind != rows[i].kind || (m.kind == RPC_MALFORMED && (int)m.code != rows[i].code))
            TAP_NOT("%s: kind %d code %d: %s", rows[i].in, (int)m.kind, (int)m.code, m.why.text);
        if (!str_eq(json_raw(m.id), str_of(rows[i].id)))
            TAP_NOT("%s: id " STR_FMT, rows[i].in, STR_ARG(json_raw(m.id)));
        if (rows[i].says && !strstr(m.why.text, rows[i].says))
            TAP_NOT("%s: says %s", rows[i].in, m.why.text);
        arena_fini(&mem);
    }
}

TEST(the_id_of_a_cut_message_is_found_where_it_can_be)
{
    EQ_S(rpc_salvage_id(STR("{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"to")), "17");
    EQ_S(rpc_salvage_id(STR(" { \"id\" : \"a\\\"b\" , \"x\":")), "\"a\\\"b\"");
    EQ_S(rpc_salvage_id(STR("{\"params\":{\"id\":1,\"a\":[{}]},\"id\":-2,")), "-2");
    OK(!rpc_salvage_id(STR("{\"params\":{\"id\":1,\"text\":\"aaaa")).p);
    OK(!rpc_salvage_id(STR("{\"id\":17")).p); /* may go on: 170 */
    OK(!rpc_salvage_id(STR("{\"id\":{\"a\":1},")).p);
    OK(!rpc_salvage_id(STR("{\"id\":1.5,")).p);
    OK(!rpc_salvage_id(STR("[{\"id\":1},")).p);
    OK(!rpc_salvage_id(STR("")).p);
    OK(!rpc_salvage_id(STR("{\"a")).p);
    OK(!rpc_salvage_id(STR("{\"a\":\"\\")).p);
}

TEST(every_failure_has_a_code_on_the_wire)
{
    for (int c = ERR_NONE; c <= ERR_SYSTEM; c++)
        OK(rpc_code_of((enum err_code)c) == RPC_INVALID_PARAMS ||
           rpc_code_of((enum err_code)c) == RPC_INTERNAL_ERROR);
    EQ(rpc_code_of(ERR_INVALID), RPC_INVALID_PARAMS);
    EQ(rpc_code_of(ERR_TIMEOUT), RPC_INTERNAL_ERROR);
}

TEST_MAIN()
