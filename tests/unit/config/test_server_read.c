/* test_server_read.c - every shape of an entry, what becomes of it, and what is refused where. */
#include "base/auto.h"
#include "base/toml/toml.h"
#include "config/config.h"
#include "tap.h"

#include <stdlib.h>

struct got {
    struct arena mem;
    struct limits limits;
    struct notes notes;
    struct server_list list;
    struct err e;
    bool ok;
};

static void got_fini(struct got *g)
{
    arena_fini(&g->mem);
}

#define AUTO_GOT __attribute__((cleanup(got_fini))) struct got

static void from_toml(struct got *g, const char *text)
{
    const struct server_reader r = { &g->mem,   "/some/place", &g->limits,
                                     &g->notes, SHAPE_NATIVE,  true };
    struct json file;

    *g = (struct got){ 0 };
    limits_preset(&g->limits);
    g->ok = toml_read(&g->mem, str_of(text), "t.toml", 32, &file, &g->e) &&
            config_servers(&r, file, &g->list, &g->e);
}

static void from_acp(struct got *g, const char *text)
{
    const struct json_opts opts = { .max_depth = 32, .max_values = 1000 };
    struct json array;

    *g = (struct got){ 0 };
    limits_preset(&g->limits);
    g->ok = json_read(&g->mem, str_of(text), &opts, &array, &g->e) &&
            server_specs_from_acp(&g->mem, array, "/some/place", &g->limits, &g->notes, &g->list,
                                  &g->e);
}

/* argv as one line. */
static struct str line(struct got *g, const struct server_spec *s)
{
    struct str out = STR("");

    for (size_t i = 0; s->argv && s->argv[i]; i++)
        out = arena_printf(&g->mem, STR_FMT "%s%s", STR_ARG(out), i ? " " : "", s->argv[i]);
    return out;
}

#define IS_OK(g)                                                                                   \
    do {                                                                                           \
        if (!(g).ok)                                                                               \
            TAP_NOT("%s", (g).e.text);                                                             \
    } while (0)

/* ---- [[mcp.servers]] -------------------------------------------------------------------- */

TEST(the_command_is_one_array)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp.servers]]\n"
                  "name = \"filesystem\"\n"
                  "command = [\"mcp-server-filesystem\", \"/workspace\"]\n"
                  "\n"
                  "[[mcp.servers]]\n"
                  "name = \"database\"\n"
                  "command = [\"mcp-server-postgres\"]\n"
                  "env = { DATABASE_URL = \"postgres://localhost/mydb\" }\n"
                  "allowed_tools = [\"query\", \"list_tables\"]\n");
    IS_OK(g);
    EQ(g.list.n, 2);
    EQ_STR(g.list.v[0].name, "filesystem");
    EQ(g.list.v[0].transport, SERVER_STDIO);
    EQ_S(line(&g, &g.list.v[0]), "mcp-server-filesystem /workspace");
    EQ_STR(g.list.v[0].origin, "t.toml:1");
    OK(!g.list.v[0].allowed.set && g.list.v[0].enabled);
    OK(g.list.v[0].from_project && !g.list.v[0].trusted);
    EQ_S(line(&g, &g.list.v[1]), "mcp-server-postgres");
    EQ(g.list.v[1].envs, 1);
    EQ_S(g.list.v[1].env[0].name, "DATABASE_URL");
    EQ_S(g.list.v[1].env[0].value, "postgres://localhost/mydb");
    EQ(g.list.v[1].allowed.n, 2);
    EQ_S(g.list.v[1].allowed.v[1], "list_tables");
    EQ_STR(g.list.v[1].origin, "t.toml:5");
}

TEST(allowed_tools_keeps_its_three_states)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp.servers]]\nname='a'\ncommand='x'\n"
                  "[[mcp.servers]]\nname='b'\ncommand='x'\nallowed_tools=[]\n"
                  "[[mcp.servers]]\nname='c'\ncommand='x'\nallowed_tools=['t']\n");
    IS_OK(g);
    OK(!g.list.v[0].allowed.set);
    OK(g.list.v[1].allowed.set && !g.list.v[1].allowed.n);
    OK(g.list.v[2].allowed.set && g.list.v[2].allowed.n == 1);
}

/* ---- [[mcp_servers]]: the examples ------------------------------------------------------ */

static const struct {
    const char *text, *name, *argv, *pass;
    int64_t timeout_ms;
} examples[] = {
    { "[[mcp_servers]]\nname = \"github\"\ntimeout_secs = 30\n"
      "env = [\"GITHUB_PERSONAL_ACCESS_TOKEN\"]\n[mcp_servers.transport]\ntype = \"stdio\"\n"
      "command = \"npx\"\nargs = [\"-y\", \"@modelcontextprotocol/server-github\"]\n",
      "github", "npx -y @modelcontextprotocol/server-github", "GITHUB_PERSONAL_ACCESS_TOKEN",
      30000 },
    { "[[mcp_servers]]\nname = \"filesystem\"\ntimeout_secs = 10\nenv = []\n"
      "[mcp_servers.transport]\ntype = \"stdio\"\ncommand = \"npx\"\n"
      "args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/home/user/projects\"]\n",
      "filesystem", "npx -y @modelcontextprotocol/server-filesystem /home/user/projects", NULL,
      10000 },
    { "[[mcp_servers]]\nname = \"postgres\"\ntimeout_secs = 30\nenv = [\"DATABASE_URL\"]\n"
      "[mcp_servers.transport]\ntype = \"stdio\"\ncommand = \"npx\"\n"
      "args = [\"-y\", \"@modelcontextprotocol/server-postgres\"]\n",
      "postgres", "npx -y @modelcontextprotocol/server-postgres", "DATABASE_URL", 30000 },
    { "[[mcp_servers]]\nname = \"puppeteer\"\ntimeout_secs = 60\n[mcp_servers.transport]\n"
      "type = \"stdio\"\ncommand = \"npx\"\n"
      "args = [\"-y\", \"@modelcontextprotocol/server-puppeteer\"]\n",
      "puppeteer", "npx -y @modelcontextprotocol/server-puppeteer", NULL, 60000 },
    { "[[mcp_servers]]\nname = \"plain\"\ntransport = { type = \"stdio\", command = \"npx\", "
      "args = [\"-y\", \"x\"] }\n",
      "plain", "npx -y x", NULL, 30000 },
};

TEST(the_stdio_examples_load)
{
    for (size_t i = 0; i < ARRAY_LEN(examples); i++) {
        AUTO_GOT g;

        from_toml(&g, examples[i].text);
        IS_OK(g);
        EQ(g.list.n, 1);
        EQ_STR(g.list.v[0].name, examples[i].name);
        EQ_S(line(&g, &g.list.v[0]), examples[i].argv);
        EQ(g.list.v[0].timeout_ms, examples[i].timeout_ms);
        EQ(g.list.v[0].envs, 0);
        EQ(g.list.v[0].passes, examples[i].pass != NULL);
        if (examples[i].pass)
            EQ_S(g.list.v[0].pass[0], examples[i].pass);
    }
}

TEST(the_remote_example_loads)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp_servers]]\nname = \"remote-tools\"\ntimeout_secs = 30\n\n"
                  "[mcp_servers.transport]\ntype = \"sse\"\n"
                  "url = \"https://mcp.example.com/events\"\n");
    IS_OK(g);
    EQ(g.list.v[0].transport, SERVER_SSE);
    EQ_STR(g.list.v[0].url, "https://mcp.example.com/events");
    OK(!g.list.v[0].argv);
}

TEST(many_servers_of_both_tables_stand_in_one_file)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp_servers]]\nname = \"one\"\n[mcp_servers.transport]\ntype = \"stdio\"\n"
                  "command = \"a\"\n"
                  "[[mcp.servers]]\nname = \"two\"\ncommand = [\"b\"]\n"
                  "[[mcp_servers]]\nname = \"three\"\n[mcp_servers.transport]\ntype = \"http\"\n"
                  "url = \"http://localhost:9/mcp\"\nheaders = { X-A = \"1\" }\n");
    IS_OK(g);
    EQ(g.list.n, 3);
    EQ_STR(g.list.v[0].name, "two");
    EQ_STR(g.list.v[2].name, "three");
    EQ_S(g.list.v[2].header[0].name, "X-A");
}

/* ---- every key -------------------------------------------------------------------------- */

TEST(all_keys_in_all_shapes)
{
    AUTO_GOT g;
    const struct server_spec *s;

    setenv("TREFOIL_TEST_SECRET", "hush", 1);
    from_toml(&g, "[[mcp.servers]]\nname='x'\ncommand='run'\nargs=['a']\ncwd='sub'\n"
                  "env=['HOME_OF','A=1=2',{name='B',value='env:TREFOIL_TEST_SECRET'}]\n"
                  "env_base='strict'\ntimeout_secs=5\ntimeout_max_secs=7\nidle_stop_secs=9\n"
                  "concurrency=2\nera='legacy'\nenabled=false\n"
                  "[mcp.servers.tools.\"a.b\"]\nhide=true\n"
                  "[mcp.servers.tools.c]\nrename='d'\ndescription='e'\ntimeout_secs=3\n"
                  "[[mcp.servers]]\nname='y'\ncommand=['run','a']\nargs=['b']\ndisabled=true\n"
                  "[[mcp.servers]]\nname='z'\nurl='HTTPS://h.example:1/p'\n"
                  "headers=[{name='Authorization',value='env:TREFOIL_TEST_SECRET'},"
                  "'X-Key: env:TREFOIL_TEST_SECRET','X-Plain:a: b ']\n");
    IS_OK(g);
    s = &g.list.v[0];
    EQ_S(line(&g, s), "run a");
    EQ_STR(s->cwd, "/some/place/sub");
    EQ_S(s->pass[0], "HOME_OF");
    EQ(s->envs, 2);
    EQ_S(s->env[0].value, "1=2");
    EQ_S(s->env[1].value, "hush");
    OK(s->env_strict && !s->enabled);
    EQ(s->timeout_ms, 5000);
    EQ(s->timeout_max_ms, 7000);
    EQ(s->idle_stop_ms, 9000);
    EQ(s->concurrency, 2);
    EQ(s->era, SERVER_ERA_LEGACY);
    EQ(s->overrides, 2);
    EQ_S(s->override[0].tool, "a.b");
    OK(s->override[0].hide && !s->override[0].rename.p);
    EQ_S(s->override[1].rename, "d");
    EQ_S(s->override[1].description, "e");
    EQ(s->override[1].timeout_secs, 3);
    EQ_S(line(&g, &g.list.v[1]), "run a b");
    OK(!g.list.v[1].enabled);
    EQ(g.list.v[2].transport, SERVER_HTTP);
    EQ(g.list.v[2].headers, 3);
    EQ_S(g.list.v[2].header[0].value, "hush");
    EQ_S(g.list.v[2].header[1].name, "X-Key");
    EQ_S(g.list.v[2].header[1].value, "hush");
    EQ_S(g.list.v[2].header[2].value, "a: b");
    HAS_S(g.list.v[2].written, "env:TREFOIL_TEST_SECRET");
    EQ(g.notes.n, 0);
}

TEST(tools_are_included_always_or_by_hand)
{
    AUTO_GOT g;
    const struct server_spec *s;

    from_toml(&g, "[[mcp.servers]]\nname='x'\ncommand='run'\n"
                  "toolInclude={serverDefault='manual',tools={a='always',b='manual',c='agent'}}\n"
                  "[[mcp.servers]]\nname='y'\ncommand='run'\ntoolInclude={tools={a='manual'}}\n"
                  "[[mcp.servers]]\nname='z'\ncommand='run'\ntoolInclude={}\n");
    IS_OK(g);
    s = &g.list.v[0];
    OK(s->manual);
    EQ(s->otherwise.n, 2);
    EQ_S(s->otherwise.v[0], "a");
    EQ_S(s->otherwise.v[1], "c");
    OK(!g.list.v[1].manual);
    EQ_S(g.list.v[1].otherwise.v[0], "a");
    OK(!g.list.v[2].manual && !g.list.v[2].otherwise.n);
}

TEST(defaults_come_from_the_limits)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp.servers]]\nname='x'\ncommand='run'\n");
    IS_OK(g);
    EQ(g.list.v[0].timeout_ms, g.limits.server_request_ms);
    EQ(g.list.v[0].timeout_max_ms, g.limits.server_request_max_ms);
    EQ(g.list.v[0].concurrency, g.limits.server_calls);
    EQ(g.limits.server_request_ms, 30000);
    EQ(g.list.v[0].idle_stop_ms, 0);
    OK(!g.list.v[0].cwd && g.list.v[0].enabled);
}

TEST(a_long_timeout_raises_the_longest_unless_that_was_given)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp.servers]]\nname='x'\ncommand='run'\ntimeout_secs=1000\n");
    IS_OK(g);
    EQ(g.list.v[0].timeout_max_ms, 1000000);
}

/* ---- refused ---------------------------------------------------------------------------- */

static const struct {
    const char *text, *error;
} refused[] = {
    { "[[mcp.servers]]\nname='x'\ncomand='a'\n", "t.toml:3:1: mcp.servers[0].comand: unknown key" },
    { "[[mcp.servers]]\ncommand='a'\n",
      "t.toml:1:1: mcp.servers[0]: missing required key \"name\"" },
    { "[[mcp.servers]]\nname='a b'\ncommand='a'\n", "t.toml:2:6: mcp.servers[0].name: the name" },
    { "[[mcp.servers]]\nname=''\ncommand='a'\n", "t.toml:2:6:" },
    { "[[mcp.servers]]\nname=1\ncommand='a'\n", "expected a string, found a number" },
    { "[[mcp.servers]]\nname='x'\n", "needs a \"command\" or a \"url\"" },
    { "[[mcp.servers]]\nname='x'\ncommand=[]\n", "t.toml:3:9: mcp.servers[0].command: no program" },
    { "[[mcp.servers]]\nname='x'\ncommand=''\n", "no program given" },
    { "[[mcp.servers]]\nname='x'\ncommand=[1]\n", "t.toml:3:10:" },
    { "[[mcp.servers]]\nname='x'\ncommand=1\n", "expected an array of strings, found a number" },
    { "[[mcp.servers]]\nname='x'\ncommand='../a'\n", "must not contain .." },
    { "[[mcp.servers]]\nname='x'\ncommand='/a/../b'\n", "must not contain .." },
    { "[[mcp.servers]]\nname='x'\ncommand=['..']\n", "must not contain .." },
    { "[[mcp.servers]]\nname='x'\ncommand=\"a\\u0000b\"\n", "the string contains a NUL" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nargs='b'\n", "t.toml:4:6: mcp.servers[0].args" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nurl='http://h/'\n", "cannot have \"command\"" },
    { "[[mcp.servers]]\nname='x'\ntype='stdio'\ncommand='a'\nurl='http://h/'\n",
      "cannot have \"url\"" },
    { "[[mcp.servers]]\nname='x'\ntype='sse'\n", "needs a \"url\"" },
    { "[[mcp.servers]]\nname='x'\ntype='ws'\nurl='http://h/'\n", "unknown type of transport" },
    { "[[mcp.servers]]\nname='x'\nurl='ftp://h/'\n", "begins with http:// or https://" },
    { "[[mcp.servers]]\nname='x'\nurl='http://u:p@h/'\n", "must not contain a user or password" },
    { "[[mcp.servers]]\nname='x'\nurl='http:///p'\n", "has no host" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/ x'\n", "must not contain spaces" },
    { "[[mcp.servers]]\nname='x'\nurl='http://169.254.169.254/latest'\n", "metadata service" },
    { "[[mcp.servers]]\nname='x'\nurl='http://2852039166/'\n", "metadata service" },
    { "[[mcp.servers]]\nname='x'\nurl='http://[fd00:ec2::254]:80/'\n", "metadata service" },
    { "[[mcp.servers]]\nname='x'\nurl='http://METADATA.google.internal./'\n", "metadata service" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/'\nenv={A='b'}\n", "cannot have \"env\"" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/'\nheaders={'a b'='c'}\n", "valid header name" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/'\nheaders={a=\"b\\nc\"}\n", "line break" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/'\nheaders=['a']\n", "\"Name: value\"" },
    { "[[mcp.servers]]\nname='x'\nurl='http://h/'\nheaders=['a b: c']\n", "valid header name" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv={'A=B'='c'}\n", "variable name" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv=['']\n", "variable name" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv={A=1}\n", "t.toml:4:8: mcp.servers[0].env.A:" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv=[{name='A'}]\n",
      "missing required key \"value\" (a string)" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv='A'\n", "expected a table or an array" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv={A='env:TREFOIL_NOT_SET'}\n",
      "t.toml:4:8: mcp.servers[0].env.A: the variable TREFOIL_NOT_SET is not set" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv={A='file:/nonexistent/x'}\n",
      "mcp.servers[0].env.A: open /nonexistent/x" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenv_base='all'\n",
      "expected \"default\" or \"strict\"" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nera='old'\n", "expected auto, legacy" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\nenabled=true\ndisabled=true\n", "contradicts" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntimeout_secs=0\n", "expected 1 to 86400" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntimeout_secs=9\ntimeout_max_secs=8\n",
      "is less than" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntimeout=9\n", "unknown key" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntools={a={hid=true}}\n", "t.toml:4:11:" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntools={a={rename='b c'}}\n", "a name has 1 to 64" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntoolInclude={serverDefault='never'}\n",
      "expected \"always\", \"manual\" or \"agent\"" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntoolInclude={tools={a=true}}\n",
      "expected \"always\"" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntoolInclude={default='always'}\n", "unknown key" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\ntransport={type='stdio',command='b'}\n",
      "also set in transport" },
    { "[[mcp.servers]]\nname='x'\ntransport={type='stdio',comand='b'}\n", "unknown key" },
    { "[[mcp.servers]]\nname='x'\ncommand='a'\n[[mcp.servers]]\nname='x'\ncommand='b'\n",
      "duplicate server x: in t.toml:1 and in t.toml:4" },
    { "[[mcp_servers]]\nname='x'\ncommand='a'\n[[mcp.servers]]\nname='x'\ncommand='b'\n",
      "duplicate server x: in t.toml:4 and in t.toml:1" },
};

TEST(what_is_wrong_is_said_with_its_place)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        AUTO_GOT g;

        from_toml(&g, refused[i].text);
        OK(!g.ok);
        if (!strstr(g.e.text, refused[i].error))
            TAP_NOT("%s: \"%s\" is not \"%s\"", refused[i].text, g.e.text, refused[i].error);
    }
}

TEST(a_name_with_dots_is_no_path_that_goes_up)
{
    AUTO_GOT g;

    from_toml(&g, "[[mcp.servers]]\nname='x'\ncommand='/opt/a..b/c'\nargs=['../up']\n");
    IS_OK(g);
}

TEST(a_url_longer_than_fetch_url_bytes_is_refused)
{
    AUTO_GOT g;
    char text[9000] = "[[mcp.servers]]\nname='x'\nurl='http://h/";
    size_t n = strlen(text);

    memset(text + n, 'p', 8200);
    memcpy(text + n + 8200, "'\n", 3);
    from_toml(&g, text);
    OK(!g.ok && strstr(g.e.text, "the constant fetch_url_bytes"));
}

/* ---- what is shown ---------------------------------------------------------------------- */

TEST(literal_secrets_are_noted_and_masked)
{
    AUTO_GOT g;

    from_toml(
        &g,
        "[[mcp.servers]]\nname='x'\n"
        "command=['run','--api-key','k1','--token=k2','postgres://u:k3@h/d',\"a\\u001b[2J b\"]\n"
        "env={GH_TOKEN='k4',PLAIN='v'}\n"
        "[[mcp.servers]]\nname='y'\nurl='http://h/?key=k5'\nheaders={Authorization='k6'}\n");
    IS_OK(g);
    EQ_S(g.list.v[0].shown, "run --api-key *** --token=*** postgres://u:***@h/d 'a\\u{1b}[2J b'");
    EQ_S(g.list.v[1].shown, "http://h/?***");
    EQ(g.notes.n, 2);
    HAS_S(g.notes.v[0].text, "t.toml:4:15: the secret GH_TOKEN is stored in the file");
    HAS_S(g.notes.v[1].text, "the secret Authorization is stored in the file");
    for (size_t i = 0; i < g.notes.n; i++)
        OK(str_find(g.notes.v[i].text, STR("k4")) < 0 &&
           str_find(g.notes.v[i].text, STR("k6")) < 0);
}

/* ---- ACP -------------------------------------------------------------------------------- */

TEST(an_editors_array_becomes_the_same_records)
{
    AUTO_GOT g;

    from_acp(&g, "[{\"type\":\"http\",\"name\":\"a\",\"url\":\"https://h/mcp\",\"headers\":"
                 "[{\"name\":\"X\",\"value\":\"env:HOME\"}],\"_meta\":{}},"
                 "{\"type\":\"sse\",\"name\":\"b\",\"url\":\"https://h/sse\",\"headers\":[]},"
                 "{\"name\":\"My Server\",\"command\":\"/bin/x\",\"args\":[\"${HOME}\"],"
                 "\"env\":[{\"name\":\"K\",\"value\":\"v\"}]}]");
    IS_OK(g);
    EQ(g.list.n, 3);
    EQ(g.list.v[0].transport, SERVER_HTTP);
    EQ_S(g.list.v[0].header[0].value, "env:HOME");
    EQ(g.list.v[1].transport, SERVER_SSE);
    EQ(g.list.v[2].transport, SERVER_STDIO);
    EQ_STR(g.list.v[2].name, "My-Server");
    EQ_S(line(&g, &g.list.v[2]), "/bin/x ${HOME}");
    EQ_S(g.list.v[2].env[0].name, "K");
    EQ_S(g.list.v[2].env[0].value, "v");
    for (size_t i = 0; i < 3; i++) {
        OK(g.list.v[i].trusted && !g.list.v[i].from_project);
        EQ_STR(g.list.v[i].origin, "session");
    }
}

TEST(an_editors_entry_without_http_or_sse_is_stdio)
{
    AUTO_GOT g;

    from_acp(&g, "[{\"type\":\"odd\",\"name\":\"a\",\"command\":\"x\",\"args\":[],\"env\":[]}]");
    IS_OK(g);
    EQ(g.list.v[0].transport, SERVER_STDIO);
}

TEST(an_editors_array_that_is_wrong_is_refused)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        { "{}", "expected an array" },
        { "[1]", "expected an object" },
        { "[{\"name\":\"a\"}]", "needs a \"command\"" },
        { "[{\"type\":\"http\",\"name\":\"a\"}]", "needs a \"url\"" },
        { "[{\"name\":\"a\",\"url\":\"http://h/\"}]", "cannot have \"url\"" },
        { "[{\"name\":\"a\",\"command\":\"../x\"}]", "must not contain .." },
        { "[{\"name\":\"a\",\"command\":\"x\"},{\"name\":\"a\",\"command\":\"y\"}]",
          "duplicate server" },
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_GOT g;

        from_acp(&g, wrong[i].text);
        OK(!g.ok);
        if (!strstr(g.e.text, wrong[i].error))
            TAP_NOT("%s: %s", wrong[i].text, g.e.text);
    }
}

TEST_MAIN()
