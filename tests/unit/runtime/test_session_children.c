/* Servers of a session, as an editor sends them, with real children, and what is left of them. */
#include "base/log.h"
#include "loop/proc.h"
#include "proto/mcp/client/session_servers.h"
#include "runtime/session_table.h"
#include "tap.h"
#include "unit/loop/until.h"
#include "wire/http_client.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

struct bench {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct procs procs;
    struct mcp_client_world world;
    struct host host;
    struct arena mem;
    struct caller caller;
    struct call call;
    bool connected, called, closed;
    struct err err;
};

static void on_connected(struct session_servers *s, void *ctx)
{
    (void)s;
    ((struct bench *)ctx)->connected = true;
}

static void on_called(struct op *op, const struct err *e, void *ctx)
{
    struct bench *b = ctx;

    (void)op;
    b->called = true;
    if (e)
        b->err = *e;
    else
        b->call.raw_result = arena_str(&b->mem, b->call.raw_result);
}

static void on_closed(void *ctx)
{
    ((struct bench *)ctx)->closed = true;
}

static void bench_open(struct bench *b)
{
    *b = (struct bench){ .loop = loop_new(LOOP_REAL_CLOCK) };
    limits_preset(&b->limits);
    rpc_init(&b->rpc, b->loop, &b->limits);
    procs_init(&b->procs, b->loop, &b->limits);
    b->procs.keeper = TEST_KEEPER;
    b->world = (struct mcp_client_world){
        .rpc = &b->rpc,
        .procs = &b->procs,
        .environ = (const char *const *)environ,
        .root = "/",
        .name = "test",
        .version = "1",
    };
    b->host = (struct host){ .loop = b->loop, .limits = &b->limits, .root_fd = -1, .root = "/" };
    b->caller = (struct caller){
        .kind = &caller_nobody, .name = "test", .origin = ORIGIN_STDIO, .principal = STR("user:1")
    };
}

static void bench_close(struct bench *b)
{
    arena_fini(&b->mem);
    rpc_fini(&b->rpc);
    loop_free(b->loop);
}

static struct server_spec spec(const char *name, const char *const *argv)
{
    return (struct server_spec){
        .name = name,
        .argv = argv,
        .timeout_ms = 60000,
        .timeout_max_ms = 60000,
        .concurrency = 8,
        .enabled = true,
        .trusted = true,
    };
}

static const char *const ok_argv[] = { "python3", BAD_SERVER, "ok", NULL };
static const char *const modern_argv[] = { "python3", BAD_SERVER, "modern", NULL };
static const char *const dead_argv[] = { "python3", BAD_SERVER, "die-in-handshake", NULL };
static const char *const none_argv[] = { "/nonexistent/program", NULL };

/* The working folder of its child. */
static const char *session_folder(const struct upstream *u)
{
    static char folder[256];
    char path[64];
    ssize_t n;

    snprintf(path, sizeof(path), "/proc/%d/cwd", mcp_client_facts(u->client).proc->pid);
    n = readlink(path, folder, sizeof(folder) - 1);
    folder[n > 0 ? n : 0] = '\0';
    return folder;
}

TEST(a_session_uses_what_connects_names_what_does_not_and_leaves_nobody)
{
    struct bench b;
    struct server_spec s[] = {
        spec("old", ok_argv),
        spec("new", modern_argv),
        spec("dead", dead_argv),
        spec("none", none_argv),
    };
    struct session_servers *ses;
    const struct tool *t;
    struct err why;
    int pid;

    bench_open(&b);
    ses = session_servers_open(&(struct session_servers_opts){ .world = &b.world,
                                                               .host = &b.host,
                                                               .cwd = "/tmp",
                                                               .on_connected = on_connected,
                                                               .ctx = &b },
                               s, 4);
    OK(until(b.loop, until_true, &b.connected));
    OK(!session_servers_failed(session_servers_get(ses, STR("old")), &why));
    OK(!session_servers_failed(session_servers_get(ses, STR("new")), &why));
    OK(session_servers_failed(session_servers_get(ses, STR("dead")), &why));
    HAS_S(str_of(why.text), "exited with code 3");
    OK(session_servers_failed(session_servers_get(ses, STR("none")), &why));
    HAS_S(str_of(why.text), "/nonexistent/program");

    t = offer_tool(session_servers_offer(ses), STR("mcp_new_env"));
    OK(t && t->always);
    tool_run(t, &b.call, &b.host, &b.caller, &b.mem, (struct json){ 0 }, NULL, on_called, &b);
    OK(until(b.loop, until_true, &b.called));
    EQ(b.err.code, ERR_NONE);
    HAS_S(b.call.raw_result, "PATH");
    EQ_STR(session_folder(session_servers_get(ses, STR("old"))), "/tmp");

    pid = mcp_client_facts(session_servers_get(ses, STR("old"))->client).proc->pid;
    EQ(kill(pid, 0), 0);
    session_servers_close(ses, on_closed, &b);
    OK(until(b.loop, until_true, &b.closed));
    OK(kill(pid, 0) < 0 && errno == ESRCH);
    OK(b.procs.first == NULL);
    bench_close(&b);
}

/* ---- from the params of session/new ------------------------------------------------------------ */

static const char session_new_params[] =
    "{\"cwd\":\"%s\",\"mcpServers\":["
    "{\"name\":\"mine\",\"command\":\"python3\",\"args\":[\"" BAD_SERVER "\",\"ok\"],"
    "\"env\":[{\"name\":\"GREETING\",\"value\":\"hello\"}]},"
    "{\"type\":\"http\",\"name\":\"far\",\"url\":\"http://127.0.0.1:1/mcp\","
    "\"headers\":[{\"name\":\"X-Who\",\"value\":\"me\"}]},"
    "{\"type\":\"sse\",\"name\":\"old\",\"url\":\"http://127.0.0.1:1/sse\",\"headers\":[]}]}";

static struct json params_for(struct bench *b, const char *folder)
{
    struct json_opts opts = limits_json(&b->limits);
    struct json params = { 0 };

    OK(json_read(&b->mem, arena_printf(&b->mem, session_new_params, folder), &opts, &params,
                 &b->err));
    return params;
}

static struct session_table table_of(struct bench *b)
{
    return (struct session_table){
        .base = { .world = &b->world, .host = &b->host, .on_connected = on_connected, .ctx = b },
        .limits = &b->limits,
    };
}

TEST(a_session_takes_the_servers_its_editor_sends)
{
    struct bench b;
    struct session_table table;
    struct session_entry *ses;
    const struct upstream *mine, *far;
    const struct tool *t;
    char folder[] = "/tmp/trefoil-session-XXXXXX";

    bench_open(&b);
    b.world.http = http_client_new(
        &(struct http_client_opts){ .loop = b.loop, .limits = &b.limits, .user_agent = "test" });
    OK(mkdtemp(folder) != NULL);
    table = table_of(&b);
    OK(session_table_new(&table, params_for(&b, folder), &ses, &b.err));
    EQ(strlen(ses->id), 36);
    OK(session_table_find(&table, str_of(ses->id)) == ses);
    OK(!session_table_find(&table, STR("nobody")));
    EQ_STR(ses->cwd, folder);
    OK(until(b.loop, until_true, &b.connected));
    mine = session_servers_get(ses->servers, STR("mine"));
    far = session_servers_get(ses->servers, STR("far"));
    EQ(far->spec.transport, SERVER_HTTP);
    EQ_S(far->spec.header[0].value, "me");
    EQ(session_servers_get(ses->servers, STR("old"))->spec.transport, SERVER_SSE);
    OK(!session_servers_failed(mine, &b.err));
    OK(session_servers_failed(far, &b.err));
    EQ_STR(session_folder(mine), folder);
    t = offer_tool(session_servers_offer(ses->servers), STR("mcp_mine_env"));
    OK(t && t->always);
    b.err = (struct err){ 0 };
    tool_run(t, &b.call, &b.host, &b.caller, &b.mem, (struct json){ 0 }, NULL, on_called, &b);
    OK(until(b.loop, until_true, &b.called));
    HAS_S(b.call.raw_result, "hello");
    session_table_end(ses, on_closed, &b);
    EQ(table.count, 0);
    OK(until(b.loop, until_true, &b.closed));
    EQ(rmdir(folder), 0); /* nothing was written there */
    b.closed = false;
    http_client_close(b.world.http, on_closed, &b);
    OK(until(b.loop, until_true, &b.closed));
    bench_close(&b);
}

TEST(two_sessions_have_nothing_to_do_with_each_other)
{
    struct bench b;
    struct session_table table;
    struct session_entry *one, *two, *none;
    struct json_opts opts = { .max_depth = 8, .max_values = 100 };
    struct json params, wrong;

    bench_open(&b);
    table = table_of(&b);
    b.limits.sessions = 2;
    OK(json_read(&b.mem, STR("{\"cwd\":\"/tmp\",\"mcpServers\":[]}"), &opts, &params, &b.err));
    OK(session_table_new(&table, params, &one, &b.err));
    OK(session_table_new(&table, params, &two, &b.err));
    OK(strcmp(one->id, two->id) != 0);
    OK(!session_table_new(&table, params, &none, &b.err));
    EQ(b.err.code, ERR_LIMIT);
    session_table_end(one, on_closed, &b);
    OK(until(b.loop, until_true, &b.closed));
    OK(session_table_find(&table, str_of(two->id)) == two);
    OK(json_read(&b.mem, STR("{\"cwd\":\"here\",\"mcpServers\":[]}"), &opts, &wrong, &b.err));
    OK(!session_table_new(&table, wrong, &none, &b.err));
    HAS_S(str_of(b.err.text), "cwd");
    EQ(table.count, 1);
    b.closed = false;
    session_table_end(two, on_closed, &b);
    OK(until(b.loop, until_true, &b.closed));
    bench_close(&b);
}

TEST_MAIN()
