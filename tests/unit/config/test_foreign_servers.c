/* test_foreign.c - the files of other programs, in their own shapes. */
#include "config/foreign_servers.h"
#include "place.h"

struct got {
    struct limits limits;
    struct notes notes;
    struct server_list list;
    struct err e;
    bool ok;
};

static struct got read_one(struct place *at, const char *text)
{
    struct got g = { 0 };
    const struct server_reader r = { &at->mem, at->path, &g.limits, &g.notes, SHAPE_FOREIGN, true };

    limits_preset(&g.limits);
    place_write(at, "x.json", text);
    g.ok = foreign_read_file(&r, place_file(at, "x.json"), NULL, &g.list, &g.e);
    return g;
}

TEST(claude_cursor_and_desktop_have_mcpServers)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(
        &at, "{\"mcpServers\":{\"a\":{\"command\":\"npx\",\"args\":[\"-y\",\"x\"],\"env\":{\"K\":"
             "\"v\",\"N\":1,\"B\":true}},\"b\":{\"type\":\"http\",\"url\":\"https://h/mcp\","
             "\"headers\":{\"X\":\"1\"}},\"c\":{\"url\":\"http://localhost:3/sse\",\"type\":"
             "\"sse\"},\"d\":{\"type\":\"stdio\",\"command\":\"y\",\"args\":[],\"env\":{}}}}");

    OK(g.ok);
    EQ(g.list.n, 4);
    EQ_STR(g.list.v[0].argv[2], "x");
    EQ_S(g.list.v[0].env[1].value, "1");
    EQ_S(g.list.v[0].env[2].value, "true");
    EQ(g.list.v[1].transport, SERVER_HTTP);
    EQ_S(g.list.v[1].header[0].value, "1");
    EQ(g.list.v[2].transport, SERVER_SSE);
    EQ(g.list.v[3].transport, SERVER_STDIO);
    EQ(g.notes.n, 0);
    OK(g.list.v[0].from_project && !g.list.v[0].trusted);
    EQ_STR(g.list.v[0].origin, "x.json:1");
}

static struct got read_map(struct place *at, const char *file, const char *map, const char *text)
{
    struct got g = { 0 };
    const struct server_reader r = {
        &at->mem, at->path, &g.limits, &g.notes, SHAPE_FOREIGN, false
    };

    limits_preset(&g.limits);
    place_write(at, file, text);
    g.ok = foreign_read_file(&r, place_file(at, file), map, &g.list, &g.e);
    return g;
}

TEST(gemini_has_urls_of_its_own)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(&at, "{\"mcpServers\": {\"a\": {\"httpUrl\": \"https://h/mcp\", "
                                 "\"trust\": true, \"includeTools\": [\"x\"]}}}");

    OK(g.ok);
    EQ(g.list.n, 1);
    EQ(g.list.v[0].transport, SERVER_HTTP);
    EQ_STR(g.list.v[0].url, "https://h/mcp");
    EQ(g.list.v[0].allowed.n, 1);
    EQ(g.notes.n, 0);
}

TEST(opencode_has_commands_in_one_list)
{
    AUTO_PLACE at = place_new();
    struct got g = read_map(
        &at, "opencode.json", "mcp",
        "{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"npx\", \"x\"], \"environment\": "
        "{\"K\": \"${env:PATH}\"}, \"enabled\": false}, \"b\": {\"type\": \"remote\", \"url\": "
        "\"https://h/\", \"headers\": {\"A\": \"1\"}}, \"c\": {\"type\": \"remote\", \"url\": "
        "\"https://h/\", \"headers\": {\"A\": \"{env:KEY}\"}}}}");

    OK(g.ok);
    EQ(g.list.n, 2);
    EQ_STR(g.list.v[0].argv[1], "x");
    EQ_S(g.list.v[0].env[0].name, "K");
    OK(!g.list.v[0].enabled && g.list.v[1].enabled);
    EQ(g.list.v[1].transport, SERVER_HTTP);
    EQ(g.list.v[1].headers, 1);
    EQ(g.notes.n, 1);
    HAS_S(g.notes.v[0].text, "{env:NAME} and {file:PATH} of opencode are not supported");
}

TEST(codex_has_tables_in_toml)
{
    AUTO_PLACE at = place_new();
    struct got g =
        read_map(&at, "config.toml", "mcp_servers",
                 "model = 'x'\n[mcp_servers.a]\ncommand = 'npx'\nargs = ['-y', 'x']\n"
                 "startup_timeout_sec = 20\ntool_timeout_sec = 9\n[mcp_servers.a.env]\n"
                 "K = 'v'\n[mcp_servers.b]\nurl = 'https://h/'\nhttp_headers = { A = '1' "
                 "}\nbearer_token_env_var = 'T'\n");

    OK(g.ok);
    EQ(g.list.n, 2);
    EQ_STR(g.list.v[0].argv[2], "x");
    EQ_S(g.list.v[0].env[0].value, "v");
    EQ(g.list.v[0].timeout_ms, 9000);
    EQ(g.list.v[1].headers, 1);
    EQ(g.notes.n, 1);
    HAS_S(g.notes.v[0].text, "bearer_token_env_var is ignored");
}

TEST(goose_has_extensions_in_yaml)
{
    AUTO_PLACE at = place_new();
    struct got g = read_map(
        &at, "config.yaml", "extensions",
        "GOOSE_MODEL: x\nextensions:\n  developer:\n    type: builtin\n    name: developer\n"
        "    enabled: true\n  a:\n    enabled: true\n    type: stdio\n    name: A\n    "
        "description: d\n"
        "    cmd: npx\n    args:\n    - x\n    envs:\n      K: v\n    env_keys: []\n    bundled: "
        "null\n"
        "    timeout: 300\n  b:\n    enabled: false\n    type: streamable_http\n    name: b\n"
        "    uri: https://h/\n");

    OK(g.ok);
    EQ(g.list.n, 2);
    EQ_STR(g.list.v[0].name, "a");
    EQ_STR(g.list.v[0].argv[1], "x");
    EQ_S(g.list.v[0].env[0].value, "v");
    EQ(g.list.v[0].timeout_ms, 300000);
    EQ(g.list.v[1].transport, SERVER_HTTP);
    OK(!g.list.v[1].enabled);
    EQ(g.notes.n, 0);
}

TEST(zed_has_context_servers_among_its_settings)
{
    AUTO_PLACE at = place_new();
    struct got g =
        read_one(&at, "{\n  \"theme\": \"One\", // of the editor\n  \"acp_agents\": {\"trefoil\": "
                      "{\"command\": \"trefoil\", \"args\": [\"acp\"]}},\n  \"context_servers\": "
                      "{\"fs\": {\"command\": \"mcp-fs\", \"args\": [\"/w\"]}},\n}\n");

    OK(g.ok);
    EQ(g.list.n, 1);
    EQ_STR(g.list.v[0].name, "fs");
    EQ_STR(g.list.v[0].argv[1], "/w");
    EQ(g.notes.n, 0);
}

TEST(vs_code_has_servers_and_inputs_and_comments)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(&at, "{\n  // what VS Code writes\n  \"inputs\": [{\"id\": \"k\"}],\n"
                                 "  \"servers\": {\n    \"ok\": {\"type\": \"stdio\", \"command\": "
                                 "\"${workspaceFolder}/run\", \"cwd\": \"${workspaceFolder}\"},\n"
                                 "    \"asks\": {\"command\": \"x\", \"env\": {\"K\": "
                                 "\"${input:k}\"}},\n  },\n}\n");

    OK(g.ok);
    EQ(g.list.n, 1);
    EQ_STR(g.list.v[0].argv[0], arena_printf(&at.mem, "%s/run", at.path).p);
    EQ_STR(g.list.v[0].cwd, at.path);
    EQ_S(g.list.v[0].shown, "${workspaceFolder}/run");
    EQ(g.notes.n, 1);
    HAS_S(g.notes.v[0].text, "x.json:6:");
    HAS_S(g.notes.v[0].text, "servers.asks.env.K: ${input:k} is an editor prompt");
    HAS_S(g.notes.v[0].text, "this server is skipped");
}

TEST(variables_expand_and_our_own_references_do_not)
{
    AUTO_PLACE at = place_new();
    struct got g;

    setenv("TREFOIL_TEST_V", "secret-value", 1);
    g = read_one(&at,
                 "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[\"--k\","
                 "\"${TREFOIL_TEST_V}\"],\"env\":{\"D\":\"file:./dev.db\",\"T\":"
                 "\"${TREFOIL_NOT_SET:-d}\"}},\"b\":{\"url\":\"https://${TREFOIL_TEST_V}/\"}}}");
    OK(g.ok);
    EQ_STR(g.list.v[0].argv[2], "secret-value");
    EQ_S(g.list.v[0].shown, "x --k ${TREFOIL_TEST_V}");
    OK(str_find(g.list.v[0].written, STR("secret-value")) < 0);
    EQ_S(g.list.v[0].env[0].value, "file:./dev.db");
    EQ_S(g.list.v[0].env[1].value, "d");
    EQ_STR(g.list.v[1].url, "https://secret-value/");
    EQ_S(g.list.v[1].shown, "https://${TREFOIL_TEST_V}/");
}

TEST(timeouts_are_milliseconds_or_small_seconds)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(&at, "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"timeout\":60},"
                                 "\"b\":{\"command\":\"x\",\"timeout\":60000},"
                                 "\"c\":{\"command\":\"x\",\"disabled\":true}}}");

    OK(g.ok);
    EQ(g.list.v[0].timeout_ms, 60000);
    EQ(g.list.v[1].timeout_ms, 60000);
    OK(!g.list.v[2].enabled);
}

TEST(unknown_keys_are_noted_once_and_the_server_works)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(&at, "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"autoApprove\":[1],"
                                 "\"alwaysAllow\":[]}}}"); /* nothing is lost without it */

    OK(g.ok);
    EQ(g.list.n, 1);
    EQ(g.notes.n, 1);
    EQ(g.notes.v[0].level, LOG_WARN);
    HAS_S(g.notes.v[0].text, "x.json:1:35: unknown key mcpServers.a.autoApprove is ignored");
}

static const struct {
    const char *text, *note;
} left_out[] = {
    { "{", "its servers are skipped" },
    { "{\"mcpServers\":[]}", "expected an object; its servers are skipped" },
    { "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"a\":{\"command\":\"x\"}}}", "duplicate key" },
    { "{\"mcpServers\":{\"a\":{\"command\":7}}}", "this server is skipped" },
    { "{\"mcpServers\":{\"a\":{\"command\":\"../x\"}}}", "this server is skipped" },
    { "{\"mcpServers\":{\"a\":{\"url\":\"http://169.254.169.254/\"}}}", "this server is skipped" },
    { "{\"mcpServers\":{\"a\":{\"command\":\"${TREFOIL_NOT_SET}\"}}}",
      "TREFOIL_NOT_SET is not set" },
    { "{\"mcpServers\":{\"\":{\"command\":\"x\"}}}", "the name of a server" },
    { "{\"mcpServers\":{\"a\":{\"command\":\"/x/trefoil\",\"args\":[\"--root\",\"/\",\"mcp\"]}}}",
      "trefoil itself" },
    { "{\"mcpServers\":{\"trefoil\":{\"url\":\"http://127.0.0.1:8733/mcp\"}}}", "trefoil itself" },
};

TEST(what_cannot_be_used_is_left_out_and_said)
{
    for (size_t i = 0; i < ARRAY_LEN(left_out); i++) {
        AUTO_PLACE at = place_new();
        struct got g = read_one(&at, left_out[i].text);

        OK(g.ok);
        EQ(g.list.n, 0);
        EQ(g.notes.n, 1);
        if (g.notes.n)
            HAS_S(g.notes.v[0].text, left_out[i].note);
    }
}

TEST(null_is_nothing_and_odd_names_are_tamed)
{
    AUTO_PLACE at = place_new();
    struct got g =
        read_one(&at, "{\"mcpServers\":{\"Chrome Tools!\":{\"command\":\"x\",\"url\":null,"
                      "\"env\":null,\"args\":null,\"headers\":null}}}");

    OK(g.ok);
    EQ(g.list.n, 1);
    EQ_STR(g.list.v[0].name, "Chrome-Tools-");
}

TEST(an_absent_or_empty_file_has_no_servers)
{
    AUTO_PLACE at = place_new();
    struct got g = read_one(&at, " \n");
    const struct server_reader r = { &at.mem, at.path, &g.limits, &g.notes, SHAPE_FOREIGN, true };

    OK(g.ok && !g.list.n && !g.notes.n);
    OK(foreign_read_file(&r, place_file(&at, "none.json"), NULL, &g.list, &g.e));
    OK(!g.list.n && !g.notes.n);
}

TEST_MAIN()
