/* mcp.c - `trefoil mcp`: an MCP server on stdin and stdout, in the daemon or in this process. */
#include "app/app.h"
#include "base/container.h"
#include "daemon/attach.h"
#include "daemon/daemon_http_client.h"
#include "loop/drain.h"
#include "loop/fd_stream.h"
#include "proto/mcp/server/mcp_stdio.h"
#include "runtime/runtime.h"
#include "runtime/service.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

struct mcp_args {
    const char *scope, *framing, *agent;
    bool no_attach;
};

/*
 * The delay before servers are started and the store is opened, so that the client gets its first
 * answer earlier.
 */
enum { SERVERS_AFTER_MS = 10 };

struct mcp_run {
    struct app *app;
    struct loop *loop;
    struct service service;
    struct runtime runtime;
    bool keeps;                /* there is a state directory */
    bool opened;               /* the runtime is open */
    struct mcp_server *server; /* the MCP server of the service, or of one agent */
    struct pipe_stream io;
    struct mcp_stdio stdio;
    struct drain drain;
    struct drain_part part;
    struct timer begin, open_agents;
    bool begun;
    int code;
};

static void on_upstreams_closed(void *ctx, bool in_time)
{
    struct mcp_run *run = ctx;

    if (!in_time) /* when this process has exited, the keepers kill the remaining processes */
        _exit(run->code);
    drain_leave(&run->part);
    loop_stop(run->loop);
}

/* ---- agents ------------------------------------------------------------------------------ */

/*
 * Open the runtime. If the store cannot be opened, agents work without it, and their conversations
 * are not stored.
 */
static bool open_runtime(struct mcp_run *run, struct err *e)
{
    struct app *app = run->app;

    if (runtime_open(&run->runtime, &run->service, &app->project.mem, &app->project.config,
                     run->keeps, e))
        return true;
    if (!run->keeps)
        return false;
    LOG(LOG_WARN, "mcp", "agent sessions are not stored", LOG_Z("why", e->text));
    return runtime_open(&run->runtime, &run->service, &app->project.mem, &app->project.config,
                        false, e);
}

static void open_agents(struct mcp_run *run)
{
    struct err e;

    if (run->opened)
        return;
    run->opened = open_runtime(run, &e);
    if (!run->opened) {
        LOG(LOG_ERROR, "mcp", "no agents are available", LOG_Z("why", e.text));
        readiness_end(&run->service.web.opening);
        return;
    }
    runtime_serve(&run->runtime);
    if (run->begun)
        runtime_use(&run->runtime, &run->app->project.config);
}

static void on_open_agents(struct timer *t)
{
    open_agents(CONTAINER_OF(t, struct mcp_run, open_agents));
}

/*
 * A request needs the agents, so open them now. With a scope that does not list agents, they are
 * opened only when needed.
 */
static void on_wanted(struct readiness *g)
{
    struct mcp_run *run = CONTAINER_OF(g, struct mcp_run, service.web.opening);

    if (!timer_is_set(&run->open_agents))
        timer_set(run->loop, &run->open_agents, 0, on_open_agents);
}

static void on_begin(struct timer *t)
{
    struct mcp_run *run = CONTAINER_OF(t, struct mcp_run, begin);

    /*
     * Open the agents if tools may write, because these tools respect the locks of tasks, or if an
     * agent is served, because its definition may change.
     */
    if (run->service.scope != SCOPE_TOOLS || run->app->project.config.mode != ENDPOINT_READ_ONLY ||
        run->service.scopes)
        open_agents(run);
    service_use(&run->service, &run->app->project.config);
    service_watch(&run->service);
    run->begun = true;
    if (run->opened)
        runtime_use(&run->runtime, &run->app->project.config);
}

/* ---- stopping ---------------------------------------------------------------------------- */

static void on_runtime_closed(void *ctx)
{
    struct mcp_run *run = ctx;

    service_leave_servers(&run->service, on_upstreams_closed, run);
}

static void on_done(struct mcp_stdio *s, const struct err *e)
{
    struct mcp_run *run = s->ctx;

    if (e)
        run->code = print_error(e);
    timer_clear(run->loop, &run->begin);
    timer_clear(run->loop, &run->open_agents);
    if (run->opened)
        runtime_close(&run->runtime, on_runtime_closed, run);
    else
        on_runtime_closed(run);
}

/* Stop because of a signal: finish the running calls, within limits.shutdown_ms. */
static void on_signal(int signum, void *ctx)
{
    struct mcp_run *run = ctx;

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
    if (!in_time) /* something hangs; after the exit, the kernel and the keepers clean up */
        _exit(EXIT_FAILED);
}

static bool open_stdio(struct mcp_run *run, enum framing framing, struct err *e)
{
    int in, out;

    if (!fd_own_stdio(&in, &out, e))
        return false;
    pipe_stream_open(&run->io, run->loop, in, out, &stream_link_events, &run->stdio.io.link,
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
        return print_error(&e);
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

static int run_here(struct app *app, const struct mcp_args *a, enum service_scope scope,
                    enum framing framing)
{
    struct mcp_run *r = ARENA_NEW(&app->project.mem, struct mcp_run);
    int code;
    struct err e;

    if (!project_open_state(&app->project, &r->keeps))
        return EXIT_FAILED;
    r->app = app;
    r->loop = loop_new(LOOP_REAL_CLOCK);
    if (service_open(&r->service, r->loop, &app->project.config.limits, app->project.root.path,
                     &e)) {
        r->service.scope = scope;
        r->service.web.opening.wanted = on_wanted;
        service_use_state(&r->service, r->keeps ? &app->project.state.port : NULL);
        service_open_audit(&r->service, &app->project.config);
        service_expose(&r->service, &app->project.config);
        service_expect_servers(&r->service, &app->project.config);
        service_expect_agents(&r->service);
        code = choose_server(r, a->agent, &e) ? serve_stdio(r, framing) : print_error_given(&e);
        service_close(&r->service);
    } else {
        code = print_error(&e);
    }
    loop_free(r->loop);
    return code;
}

static bool run_attached(struct app *app, const struct mcp_args *a, enum service_scope scope,
                         int *code)
{
    struct daemon_hello hello = {

        .scope = str_of(service_scope_name(scope)),
        .agent = a->agent ? str_of(a->agent) : STR_NONE,
        .framing = a->framing ? str_of(a->framing) : STR("auto"),
    };

    return !a->no_attach && !attach_is_forbidden() && attach(&app->project, hello, code);
}

static int mcp_verb_run(struct app *app, const void *args, int words, char **word)
{
    const struct mcp_args *a = args;
    enum framing framing = FRAMING_AUTO;
    enum service_scope scope = a->agent ? SCOPE_TOOLS : SCOPE_AGENTS;
    int code;

    (void)words;
    (void)word;
    if (a->framing && !framing_named(str_of(a->framing), &framing))
        return print_usage_error("mcp: --framing %.40s: expected auto, line or header", a->framing);
    if (a->scope && !service_scope_named(str_of(a->scope), &scope))
        return print_usage_error("mcp: --scope %.40s: expected agents, tools or all", a->scope);
    return run_attached(app, a, scope, &code) ? code : run_here(app, a, scope, framing);
}

static const struct option options[] = {
    { "scope", OPTION_TEXT, offsetof(struct mcp_args, scope), "WHAT",
      "Offer agents (default), tools, or all" },
    { "agent", OPTION_TEXT, offsetof(struct mcp_args, agent), "NAME",
      "Offer only the tools that the definition of agent NAME exposes" },
    { "framing", OPTION_TEXT, offsetof(struct mcp_args, framing), "HOW",
      "Use this message framing: auto (default), line, or header (Content-Length)" },
    { "no-attach", OPTION_FLAG, offsetof(struct mcp_args, no_attach), NULL,
      "Do not use a running `trefoil serve` of this root" },
};

const struct verb verb_mcp = {
    .name = "mcp",
    .words = "[--scope agents|tools|all | --agent NAME]",
    .summary = "Serve MCP over stdin and stdout",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct mcp_args),
    .serves = true,
    .run = mcp_verb_run,
};
