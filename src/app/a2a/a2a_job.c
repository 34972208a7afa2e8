#include "app/a2a/a2a_job.h"

#include "config/agent_files.h"
#include "config/remote_read.h"

#include <signal.h>
#include <unistd.h>

/* ---- the agent ------------------------------------------------------------------------------- */

static bool find_agent(struct app *app, const char *name, struct remote_spec *out, struct err *e)
{
    struct arena *mem = &app->project.mem;
    const struct agent_def *def;
    struct agent_list list = { 0 };

    agents_load(mem, app->project.root.path, &app->project.config, NULL, &list);
    if (!agents_find(&list, str_of(name), &def, e)) {
        fail(e, ERR_NOT_FOUND, "\"%.60s\" is neither a URL nor the name of an agent", name);
        return false;
    }
    if (!def->remote)
        return fail(e, ERR_INVALID, "the agent %s is not a remote agent", name);
    if (!def->trusted)
        return fail(e, ERR_DENIED, "%s: the agent %s is not trusted; see: " TREFOIL_NAME " trust",
                    def->origin, name);
    *out = *def->remote;
    return true;
}

static void use_credentials(const struct a2a_args *a, struct remote_spec *s)
{
    if (a->token) {
        s->auth = a->user ? REMOTE_AUTH_BASIC : REMOTE_AUTH_BEARER;
        s->secret = str_of(a->token);
        s->user = str_of(a->user);
    } else if (a->api_key) {
        s->auth = REMOTE_AUTH_API_KEY;
        s->secret = str_of(a->api_key);
        s->key_name = STR("X-API-Key");
    }
}

static bool make_spec(struct a2a_job *j, const char *agent, struct remote_spec *s, struct err *e)
{
    struct app *app = j->app;

    *s = (struct remote_spec){ .url = str_of(agent) };
    if (!strstr(agent, "://") && !find_agent(app, agent, s, e))
        return false;
    use_credentials(j->args, s);
    if (j->args->binding)
        s->binding = str_of(j->args->binding);
    if (j->args->protocol)
        s->version = str_of(j->args->protocol);
    return remote_resolve(&app->project.mem, app->project.root.path, &app->project.config.limits, s,
                          e);
}

/* ---- running --------------------------------------------------------------------------------- */

static void on_signal(int signum, void *ctx)
{
    struct a2a_job *j = ctx;

    if (j->interrupted)
        _exit(128 + signum);
    j->interrupted = true;
    if (j->shot.op.kind && !j->done)
        op_cancel(&j->shot.op);
}

static void on_done(struct op *op, const struct err *e, void *ctx)
{
    struct a2a_job *j = ctx;

    (void)op;
    j->done = true;
    if (e)
        j->err = *e;
    loop_stop(j->loop);
}

bool a2a_job_open(struct a2a_job *j, struct app *app, const struct a2a_args *args,
                  const char *agent, int *code)
{
    const struct limits *limits = &app->project.config.limits;
    struct remote_spec spec;
    struct err e;

    *j = (struct a2a_job){ .app = app, .args = args };
    *code = EXIT_USAGE;
    if (!make_spec(j, agent, &spec, &e)) {
        print_error(&e);
        return false;
    }
    j->user_agent = arena_printf(&app->project.mem, TREFOIL_NAME "/%s A2A", trefoil_version).p;
    j->loop = loop_new(LOOP_REAL_CLOCK);
    j->http = http_client_new(&(struct http_client_opts){
        .loop = j->loop, .limits = limits, .user_agent = j->user_agent });
    j->peer = a2a_peer_new(&(struct a2a_peer_opts){ .loop = j->loop,
                                                    .limits = limits,
                                                    .http = j->http,
                                                    .user_agent = j->user_agent,
                                                    .spec = &spec,
                                                    .zone = FETCH_CONFIGURED },
                           &e);
    if (j->peer && loop_on_signal(j->loop, SIGINT, on_signal, j, &e) &&
        loop_on_signal(j->loop, SIGTERM, on_signal, j, &e))
        return true;
    print_error(&e);
    a2a_job_close(j);
    return false;
}

void a2a_job_run(struct a2a_job *j, bool ask,
                 void (*on_result)(struct a2a_oneshot *o, struct arena *mem, struct json result))
{
    const struct limits *limits = &j->app->project.config.limits;
    bool waits = j->ask.op == A2A_SEND;

    j->shot = (struct a2a_oneshot){ .peer = j->peer,
                                    .ask = ask ? &j->ask : NULL,
                                    .mem = &j->app->project.mem,
                                    .whole_ms = waits ? limits->turn_ms : limits->a2a_request_ms,
                                    .on_result = on_result,
                                    .ctx = j };
    a2a_oneshot_start(&j->shot, NULL, on_done, j);
    while (!j->done)
        loop_run(j->loop);
}

static void on_closed(void *ctx)
{
    struct a2a_job *j = ctx;

    j->closed = true;
    loop_stop(j->loop);
}

void a2a_job_close(struct a2a_job *j)
{
    a2a_peer_drop(j->peer);
    http_client_close(j->http, on_closed, j);
    while (!j->closed)
        loop_run(j->loop);
    loop_free(j->loop);
}
