/* Servers of a session with real children, and what is left of them. */
#include "base/log.h"
#include "loop/proc.h"
#include "proto/mcp/session_servers.h"
#include "tap.h"
#include "unit/loop/until.h"

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

static void on_connected(struct session_servers *s, void *who)
{
    (void)s;
    ((struct bench *)who)->connected = true;
}

static void on_called(struct op *op, const struct err *e, void *who)
{
    struct bench *b = who;

    (void)op;
    b->called = true;
    if (e)
        b->err = *e;
    else
        b->call.raw_result = arena_str(&b->mem, b->call.raw_result);
}

static void on_closed(void *who)
{
    ((struct bench *)who)->closed = true;
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
    b->host = (struct host){ b->loop, &b->limits, -1, "/" };
    b->caller = (struct caller){ .kind = &caller_nobody, .name = "test" };
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
    ses = session_servers_open(&(struct session_opts){ .world = &b.world,
                                                       .host = &b.host,
                                                       .cwd = "/tmp",
                                                       .on_connected = on_connected,
                                                       .who = &b },
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

TEST_MAIN()
