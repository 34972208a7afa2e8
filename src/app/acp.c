/* acp.c - `trefoil acp`: an ACP agent on stdin and stdout, for editors. */
#include "app/app.h"
#include "base/container.h"
#include "core/agent/agent_def.h"
#include "loop/drain.h"
#include "loop/fd_stream.h"
#include "proto/acp/agent/acp_stdio.h"
#include "runtime/acp_projects.h"

#include <signal.h>
#include <unistd.h>

struct acp_args {
    const char *agent;
};

struct acp_run {
    struct loop *loop;
    struct limits limits;
    struct rpc rpc;
    struct acp_projects projects;
    struct acp_agent agent;
    struct pipe_stream io;
    struct acp_stdio stdio;
    struct drain drain;
    struct drain_part part;
    int code;
};

/* ---- leaving --------------------------------------------------------------------------------- */

static void on_projects_closed(void *ctx, bool in_time)
{
    struct acp_run *run = ctx;

    if (!in_time) /* the keepers end what is left, as soon as we are gone */
        _exit(run->code);
    drain_leave(&run->part);
    loop_stop(run->loop);
}

static void on_done(struct acp_stdio *s, const struct err *e)
{
    struct acp_run *run = s->ctx;

    if (e)
        run->code = print_error(e);
    acp_projects_close(&run->projects, on_projects_closed, run);
}

/* Told to stop: cancel the prompts, but within limits.shutdown_ms. */
static void on_signal(int signum, void *ctx)
{
    struct acp_run *run = ctx;

    (void)signum;
    drain_begin(&run->drain, run->limits.shutdown_ms);
}

static void on_stop_part(struct drain_part *part)
{
    acp_stdio_drain(&CONTAINER_OF(part, struct acp_run, part)->stdio);
}

static void on_drained(struct drain *d, bool in_time)
{
    (void)d;
    if (!in_time) /* something hangs; the kernel and the keepers clean up after us */
        _exit(EXIT_FAILED);
}

/* ---- serving --------------------------------------------------------------------------------- */

static bool open_stdio(struct acp_run *run, struct err *e)
{
    int in, out;

    if (!fd_own_stdio(&in, &out, e))
        return false;
    pipe_stream_open(&run->io, run->loop, in, out, &stream_link_events, &run->stdio.io.link,
                     (size_t)run->limits.output_backlog_bytes);
    acp_stdio_start(&run->stdio, &run->agent, &run->io.s, on_done, run);
    return true;
}

static int serve_stdio(struct acp_run *run)
{
    struct err e;

    drain_init(&run->drain, run->loop, on_drained);
    run->part = (struct drain_part){ .name = "stdio", .stop = on_stop_part };
    drain_join(&run->drain, &run->part);
    if (!loop_on_signal(run->loop, SIGTERM, on_signal, run, &e) ||
        !loop_on_signal(run->loop, SIGINT, on_signal, run, &e) || !open_stdio(run, &e))
        return print_error(&e);
    loop_run(run->loop);
    return run->code;
}

/*
 * What applies before the first session: the name and version for `initialize`, the limits of
 * messages and the log. It comes from the configuration of the folder in which the editor has
 * started us. If that cannot be read, the defaults apply, and a session in this root says why.
 */
static void read_config(struct app *app, struct config *out)
{
    struct project *p = &app->project;
    struct err e;

    config_preset(out);
    if (root_of_folder(&p->mem, ".", &p->root, &e) &&
        config_load(&p->mem, &p->root, app->opt.config, app->opt.trust, out, &e) &&
        !app->opt.log_level)
        log_setup(out->log_level, out->log_json);
}

static struct acp_agent make_agent(struct acp_run *run, struct app *app, const char *agent)
{
    const struct config *c = &app->project.config;
    struct str name = c->acp_name.n ? c->acp_name : STR(TREFOIL_NAME);

    return (struct acp_agent){ .rpc = &run->rpc,
                               .roots = &run->projects.port,
                               .name = name,
                               .title = name,
                               .version =
                                   c->acp_version.n ? c->acp_version : str_of(trefoil_version),
                               .agent = str_of(agent),
                               .keeps = root_user_state_path(&app->project.mem) != NULL };
}

static int acp_verb_run(struct app *app, const void *args, int words, char **word)
{
    const struct acp_args *a = args;
    struct acp_run *run = ARENA_NEW(&app->project.mem, struct acp_run);
    int code;

    (void)words;
    (void)word;
    if (a->agent && !agent_name_valid(str_of(a->agent)))
        return print_usage_error("acp: --agent %.40s: %s", a->agent, agent_name_rule);
    read_config(app, &app->project.config);
    run->limits = app->project.config.limits;
    run->loop = loop_new(LOOP_REAL_CLOCK);
    rpc_init(&run->rpc, run->loop, &run->limits);
    acp_projects_init(&run->projects, run->loop, app->opt.config, app->opt.trust);
    run->agent = make_agent(run, app, a->agent);
    code = serve_stdio(run);
    acp_projects_fini(&run->projects);
    rpc_fini(&run->rpc);
    loop_free(run->loop);
    return code;
}

static const struct option options[] = {
    { "agent", OPTION_TEXT, offsetof(struct acp_args, agent), "NAME",
      "Use this agent in new sessions (default: the default agent of the project)" },
};

const struct verb verb_acp = {
    .name = "acp",
    .words = "[--agent NAME]",
    .summary = "Serve ACP over stdin and stdout, for editors",
    .more = "An editor starts this command and names the folder of each session. The project of a\n"
            "session is found from that folder, so --root and TREFOIL_ROOT are ignored.\n",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct acp_args),
    .bare = true,
    .run = acp_verb_run,
};
