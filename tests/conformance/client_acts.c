/* client_acts.c - what each scenario of the conformance suite wants a client to do. */
#include "client.h"

#include <stdlib.h>

/* ---- a caller that answers everything ------------------------------------------------------ */

static bool can(const struct caller *c, enum ask_kind kind)
{
    (void)c;
    return kind != ASK_URL;
}

static void write_default(struct jw *w, struct json key, struct json schema)
{
    struct json preset = json_get(schema, STR("default"));
    struct str raw = json_raw(key);

    jw_plain_key(w, str_head(str_skip(raw, 1), raw.n - 2));
    if (json_here(preset))
        jw_raw(w, json_raw(preset));
    else if (json_is(json_get(schema, STR("type")), STR("boolean")))
        jw_bool(w, true);
    else if (json_is(json_get(schema, STR("type")), STR("string")))
        jw_str(w, STR("text"));
    else
        jw_int(w, 1);
}

static void fill_in(struct jw *w, struct json form)
{
    struct json properties = json_get(json_get(form, STR("requestedSchema")), STR("properties"));

    jw_object(w);
    jw_kstr(w, "action", STR("accept"));
    jw_plain_key(w, STR("content"));
    jw_object(w);
    JSON_MEMBERS(key, properties)
    write_default(w, key, json_value(key));
    jw_object_end(w);
    jw_object_end(w);
}

static void ask(struct caller *c, struct ask *ask)
{
    struct act *a = CONTAINER_OF(c, struct act, caller);
    struct json_opts opts = limits_json(&a->limits);
    struct json params, answer;
    struct buf out;
    struct jw w;
    struct err e;

    buf_init_in(&out, ask->call->mem, 1 << 20);
    w = jw_to(&out);
    if (!json_read(ask->call->mem, ask->params, &opts, &params, &e)) {
        ask_refuse(ask, &e);
        return;
    }
    if (ask->kind == ASK_FORM)
        fill_in(&w, params);
    else
        jw_raw(&w, STR("{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"},"
                       "\"model\":\"test-model\",\"stopReason\":\"endTurn\"}"));
    if (json_read(ask->call->mem, buf_str(&out), &opts, &answer, &e))
        ask_answer(ask, answer);
    else
        ask_refuse(ask, &e);
}

static void progress(struct caller *c, const struct progress *p)
{
    (void)c;
    fprintf(stderr, "progress " STR_FMT "\n", STR_ARG(p->done));
}

static void log_it(struct caller *c, enum call_level level, struct str logger, struct str data)
{
    (void)c;
    (void)level;
    (void)logger;
    fprintf(stderr, "log " STR_FMT "\n", STR_ARG(data));
}

const struct caller_kind act_caller = {
    .can = can,
    .ask = ask,
    .progress = progress,
    .log = log_it,
};

/* ---- steps --------------------------------------------------------------------------------- */

static void on_step(struct act_call *k, const struct err *e)
{
    struct act *a = k->act;

    if (e) {
        fprintf(stderr, "%s: %s\n", k->call.what, e->text);
        a->failed = true;
    } else if (k->call.raw_error.p) {
        fprintf(stderr, "%s: " STR_FMT "\n", k->call.what, STR_ARG(k->call.raw_error));
    }
    a->at++;
    a->next(a);
}

static bool has_tool(struct act *a, const char *name)
{
    struct mcp_client_facts f = mcp_client_facts(a->client);

    for (size_t i = 0; i < f.tools; i++)
        if (str_eq(f.tool[i].name, str_of(name)))
            return true;
    return false;
}

static void only_list(struct act *a)
{
    act_leave(a);
}

static void call_once(struct act *a, const char *tool, struct str args)
{
    if (a->at == 0)
        act_call_tool(a, tool, args, on_step);
    else
        act_leave(a);
}

static void add_numbers(struct act *a)
{
    call_once(a, "add_numbers", STR("{\"a\":5,\"b\":3}"));
}

static void defaults(struct act *a)
{
    call_once(a, "test_client_elicitation_defaults", STR("{}"));
}

static void reconnection(struct act *a)
{
    call_once(a, "test_reconnection", STR("{}"));
}

static void valid_tool(struct act *a)
{
    call_once(a, "valid_tool", STR("{\"region\":\"us-west1\"}"));
}

static void echo_schema(struct act *a)
{
    struct mcp_client_facts f = mcp_client_facts(a->client);
    char args[16384];

    for (size_t i = 0; i < f.tools; i++) {
        if (!str_eq(f.tool[i].name, STR("json_schema_2020_12_tool")))
            continue;
        snprintf(args, sizeof(args), "{\"schema\":" STR_FMT "}",
                 STR_ARG(json_raw(json_get(f.tool[i].tool, STR("inputSchema")))));
        call_once(a, "json_schema_echo", str_of(args));
        return;
    }
    a->failed = true;
    act_leave(a);
}

static void standard_headers(struct act *a)
{
    switch (a->at) {
    case 0: act_call_tool(a, "test_headers", STR("{}"), on_step); break;
    case 1:
        if (has_tool(a, "my-hyphenated-tool")) {
            act_call_tool(a, "my-hyphenated-tool", STR("{}"), on_step);
            break;
        }
        a->at++;
        __attribute__((fallthrough));
    case 2: act_request(a, "resources/list", STR_NONE, on_step); break;
    case 3:
        act_request(a, "resources/read", STR("{\"uri\":\"file:///path/to/file%20name.txt\"}"),
                    on_step);
        break;
    case 4: act_request(a, "prompts/list", STR_NONE, on_step); break;
    case 5: act_request(a, "prompts/get", STR("{\"name\":\"test_prompt\"}"), on_step); break;
    default: act_leave(a); break;
    }
}

/* The calls are in the context. */
static void custom_headers(struct act *a)
{
    static struct arena mem;
    const char *context = getenv("MCP_CONFORMANCE_CONTEXT");
    struct json_opts opts = limits_json(&a->limits);
    struct json root, calls, one = { 0 };
    struct err e;
    int i = 0;

    if (!json_read(&mem, str_of(context), &opts, &root, &e)) {
        fprintf(stderr, "context: %s\n", e.text);
        exit(2);
    }
    calls = json_get(root, STR("toolCalls"));
    JSON_EACH(call, calls)
    if (i++ == a->at)
        one = call;
    if (json_here(one)) {
        act_call_tool(a, arena_cstr(&mem, json_str(&mem, json_get(one, STR("name")))),
                      json_raw(json_get(one, STR("arguments"))), on_step);
        return;
    }
    arena_fini(&mem);
    act_leave(a);
}

/* The unrelated call goes out while the first one asks. */
static void request_state(struct act *a)
{
    switch (a->at) {
    case 0:
        act_call_tool(a, "test_mrtr_echo_state", STR("{}"), on_step);
        act_call_tool(a, "test_mrtr_unrelated", STR("{}"), on_step);
        break;
    case 1: break;
    case 2: act_call_tool(a, "test_mrtr_no_state", STR("{}"), on_step); break;
    case 3: act_call_tool(a, "test_mrtr_no_result_type", STR("{}"), on_step); break;
    default: act_leave(a); break;
    }
}

static const struct {
    const char *name;
    void (*run)(struct act *a);
} acts[] = {
    { "initialize", only_list },
    { "tools_call", add_numbers },
    { "elicitation-sep1034-client-defaults", defaults },
    { "sse-retry", reconnection },
    { "json-schema-2020-12-preservation", echo_schema },
    { "request-metadata", only_list },
    { "http-standard-headers", standard_headers },
    { "http-custom-headers", custom_headers },
    { "http-invalid-tool-headers", valid_tool },
    { "sep-2322-client-request-state", request_state },
    { "json-schema-ref-no-deref", only_list },
};

void (*act_scenario(const char *name))(struct act *a)
{
    for (size_t i = 0; name && i < ARRAY_LEN(acts); i++)
        if (!strcmp(name, acts[i].name))
            return acts[i].run;
    return only_list;
}
