/* mcp.c - `trefoil mcp`: an MCP server on stdin and stdout. */
#include "app/app.h"
#include "app/service.h"
#include "base/container.h"
#include "loop/drain.h"
#include "loop/fd_stream.h"
#include "proto/mcp/mcp_stdio.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

struct mcp_args {
    const char *scope, *framing, *agent;
};

/* The client gets its first answer before servers are started. */
enum { SERVERS_AFTER_MS = 10 };

struct mcp_run {
    struct app *app;
    struct loop *loop;
    struct service service;
    struct mcp_server *server; /* of the service, or of one agent */
    struct pipe_stream io;
    struct mcp_stdio stdio;
    struct drain drain;
    struct drain_part part;
    struct timer begin;
    int code;
};

static void on_upstreams_closed(void *who, bool in_time)
{
    struct mcp_run *run = who;

    if (!in_time) /* the keepers end what is left, as soon as we are gone */
        _exit(run->code);
    drain_leave(&run->part);
    loop_stop(run->loop);
}

static void on_begin(struct timer *t)
{
    struct mcp_run *run = CONTAINER_OF(t, struct mcp_run, begin);

    service_use(&run->service, &run->app->config);
    service_watch(&run->service);
}

static void on_done(struct mcp_stdio *s, const struct err *e)
{
    struct mcp_run *run = s->who;

    if (e)
        run->code = app_fail(e);
    timer_clear(run->loop, &run->begin);
    service_leave_servers(&run->service, on_upstreams_closed, run);
}

/* Told to stop: finish what is under way, but within limits.shutdown_ms. */
static void on_signal(int signum, void *who)
{
    struct mcp_run *run = who;

    (void)signum;
    drain_begin(&run->drain, run->service.limits->shutdown_ms);
}

static void on_stop_part(struct drain_part *part)
{
    mcp_stdio_drain(&CONTAINER_OF(part, struct mcp_run, part)->stdio);
}

static void on_drained(struct drain *d, bool in_time)
{
    (void)d;
    if (!in_time) /* something hangs; the kernel and the keepers clean up after us */
        _exit(EXIT_FAILED);
}

static bool open_stdio(struct mcp_run *run, enum framing framing, struct err *e)
{
    int in, out;

    if (!fd_own_nonblocking(STDIN_FILENO, &in, e))
        return false;
    if (!fd_own_nonblocking(STDOUT_FILENO, &out, e)) {
        close(in);
        return false;
    }
    pipe_stream_open(&run->io, run->loop, in, out, &stream_link_events, &run->stdio.link,
                     (size_t)run->service.limits->output_backlog_bytes);
    mcp_stdio_start(&run->stdio, run->server, &run->io.s, framing, on_done, run);
    return true;
}

static int serve_stdio(struct mcp_run *run, enum framing framing)
{
    struct err e;

    drain_init(&run->drain, run->loop, on_drained);
    run->part = (struct drain_part){ .name = "stdio", .stop = on_stop_part };
    drain_join(&run->drain, &run->part);
    if (!loop_on_signal(run->loop, SIGTERM, on_signal, run, &e) ||
        !loop_on_signal(run->loop, SIGINT, on_signal, run, &e) || !open_stdio(run, framing, &e))
        return app_fail(&e);
    timer_set(run->loop, &run->begin, SERVERS_AFTER_MS, on_begin);
    loop_run(run->loop);
    return run->code;
}

static bool choose_server(struct mcp_run *run, const char *agent, struct err *e)
{
    struct agent_scope *scope;

    run->server = &run->service.mcp;
    if (!agent)
        return true;
    scope = service_agent(&run->service, str_of(agent), e);
    if (scope)
        run->server = &scope->server;
    return scope != NULL;
}

static int run(struct app *app, const void *args, int words, char **word)
{
    const struct mcp_args *a = args;
    enum framing framing = FRAMING_AUTO;
    struct mcp_run *r;
    int code;
    struct err e;

    if (words)
        return app_usage("mcp: unexpected word %.40s", word[0]);
    if (a->framing && !framing_named(str_of(a->framing), &framing))
        return app_usage("mcp: --framing %.40s: accepted are auto, line, header", a->framing);
    if (!a->agent && (!a->scope || !str_eq(str_of(a->scope), STR("tools"))))
        return app_usage("mcp: --scope %.20s is not available yet; available is: tools",
                         a->scope ? a->scope : "agents (the default)");
    r = ARENA_NEW(&app->mem, struct mcp_run);
    r->app = app;
    r->loop = loop_new(LOOP_REAL_CLOCK);
    if (service_open(&r->service, r->loop, &app->config.limits, app->root.path, &e)) {
        service_open_audit(&r->service, &app->mem, &app->config);
        service_expose(&r->service, &app->config);
        service_expect_servers(&r->service, &app->config);
        code = choose_server(r, a->agent, &e) ? serve_stdio(r, framing) : app_fail(&e);
        service_close(&r->service);
    } else {
        code = app_fail(&e);
    }
    loop_free(r->loop);
    return code;
}

static const struct option options[] = {
    { "scope", OPTION_TEXT, offsetof(struct mcp_args, scope), "WHAT",
      "what to offer: tools (agents and all come later)" },
    { "agent", OPTION_TEXT, offsetof(struct mcp_args, agent), "NAME",
      "only what agents/NAME/agent.json exposes" },
    { "framing", OPTION_TEXT, offsetof(struct mcp_args, framing), "HOW",
      "auto (default), line, or header for Content-Length" },
};

const struct verb verb_mcp = {
    .name = "mcp",
    .words = "--scope tools | --agent NAME",
    .summary = "serve MCP on stdin and stdout",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct mcp_args),
    .serves = true,
    .run = run,
};
