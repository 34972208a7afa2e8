/* serve.c - `trefoil serve`: everything on one port and one Unix socket, in the foreground. */
#include "app/app.h"
#include "base/container.h"
#include "daemon/daemon.h"
#include "daemon/systemd_notify.h"
#include "loop/drain.h"
#include "runtime/config_reload.h"
#include "runtime/runtime.h"
#include "runtime/service.h"
#include "runtime/service_http.h"
#include "store/store.h"
#include "wire/address.h"
#include "wire/http1_parse.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct serve_args {
    const char *listen;
};

struct serve {
    struct app *app;
    struct loop *loop;
    struct service service;
    struct runtime runtime;
    bool opened; /* the runtime is open */
    struct drain drain;
    struct drain_part part, daemon_part;
    struct daemon daemon;
    char address[HTTP_ADDRESS];
    struct reload reload;
    struct post begin; /* starts the servers after the HTTP server listens */
    bool unchecked;    /* the store is too large for a check at the start */
    struct store_ask check;
    struct store_step check_step;
    rlim_t nofile; /* limit for child processes: our own limit before we raised it */
};

/* ---- stopping --------------------------------------------------------------------------- */

static void on_store_closed(void *ctx)
{
    loop_stop(((struct serve *)ctx)->loop);
}

static void on_upstreams_closed(void *ctx, bool in_time)
{
    struct serve *s = ctx;
    struct store *store = s->service.store;

    if (!in_time) /* when this process has exited, the keepers kill the remaining processes */
        _exit(EXIT_OK);
    s->service.store = NULL;
    if (store)
        store_close(store, on_store_closed, s);
    else
        loop_stop(s->loop);
}

static void on_runtime_closed(void *ctx)
{
    struct serve *s = ctx;

    service_leave_servers(&s->service, on_upstreams_closed, s);
}

static void on_daemon_closed(void *ctx)
{
    struct serve *s = ctx;

    if (s->opened)
        runtime_close(&s->runtime, on_runtime_closed, s);
    else
        on_runtime_closed(s);
}

static void on_http_closed(void *ctx)
{
    struct serve *s = ctx;

    daemon_close(&s->daemon, on_daemon_closed, s);
}

static void on_http_drained(void *ctx)
{
    drain_leave(&((struct serve *)ctx)->part);
}

static void on_stop_part(struct drain_part *part)
{
    struct serve *s = CONTAINER_OF(part, struct serve, part);

    service_end_mcp(&s->service); /* subscribers are notified of the end */
    http_server_drain(s->service.web.http, on_http_drained, s);
}

static void on_daemon_drained(void *ctx)
{
    drain_leave(&((struct serve *)ctx)->daemon_part);
}

static void on_stop_daemon(struct drain_part *part)
{
    struct serve *s = CONTAINER_OF(part, struct serve, daemon_part);

    daemon_drain(&s->daemon, on_daemon_drained, s);
}

static void on_drained(struct drain *d, bool in_time)
{
    struct serve *s = CONTAINER_OF(d, struct serve, drain);

    if (!in_time)
        LOG(LOG_WARN, "serve", "requests were aborted: they did not finish in time");
    service_close_http(&s->service, on_http_closed, s);
}

/* Stop because of a signal. A second signal stops without waiting. */
static void on_signal(int signum, void *ctx)
{
    struct serve *s = ctx;

    (void)signum;
    if (s->drain.over) /* only MCP servers have not exited yet */
        _exit(EXIT_OK);
    if (!s->drain.begun)
        notify_systemd("STOPPING=1");
    reload_stop(&s->reload);
    drain_begin(&s->drain, s->app->project.config.limits.shutdown_ms);
}

/* ---- starting --------------------------------------------------------------------------- */

/* Allow as many connections as the machine allows. */
static void raise_descriptor_limit(struct serve *s)
{
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) != 0)
        return;
    s->nofile = lim.rlim_cur;
    if (lim.rlim_cur < lim.rlim_max) {
        lim.rlim_cur = lim.rlim_max;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
}

/* ---- the store --------------------------------------------------------------------------- */

static void on_checked(struct op *op, const struct err *e, void *ctx)
{
    struct store_ask *ask = CONTAINER_OF(op, struct store_ask, op);

    (void)ctx;
    if (e)
        LOG(LOG_ERROR, "store", "the database check found damage", LOG_Z("why", e->text));
    store_ask_fini(ask);
}

/*
 * Check a small database before serving, and refuse a damaged one. A large database is checked
 * later, while trefoil serves.
 */
static bool check_small(struct serve *s, const char *path, struct err *e)
{
    struct stat st;

    s->unchecked = stat(path, &st) == 0;
    if (!s->unchecked || st.st_size > s->app->project.config.limits.store_check_bytes)
        return true;
    s->unchecked = false;
    return store_file_check(path, NULL, e);
}

static void check_large(struct serve *s)
{
    s->check_step.what = STORE_CHECK;
    s->check.step = &s->check_step;
    s->check.steps = 1;
    store_start(store_port(s->service.store), &s->check, NULL, on_checked, s);
}

static bool open_store(struct serve *s, struct err *e)
{
    const char *path;

    if (!state_dir_open(&s->app->project.state, e))
        return false;
    path = state_dir_file(&s->app->project.state, &s->app->project.mem, STATE_DATABASE);
    if (!check_small(s, path, e) ||
        !store_open(s->loop, &s->app->project.config.limits, path, &s->service.store, e))
        return false;
    s->service.web.store_schema = store_schema(s->service.store);
    return true;
}

/*
 * Is the address on this machine? True for a malformed address, for which http_server_listen
 * reports the error.
 */
static bool is_local(struct str address)
{
    struct str host, port;

    if (str_starts(address, STR("unix:")) || !http1_authority(address, &host, &port))
        return true;
    if (str_starts(host, STR("[")))
        host = (struct str){ host.p + 1, host.n - 2 };
    return http_host_is_loopback(host);
}

/*
 * Refuse to let other machines connect because of a project's file, since a cloned repository may
 * contain such a file.
 */
static bool check_project(const struct serve *s, struct str address, struct err *e)
{
    const struct config *c = &s->app->project.config;

    if (!c->opened_by || s->app->opt.trust || (is_local(address) && !c->hosts.n))
        return true;
    return fail(e, ERR_DENIED,
                "%s, a file of the project, would let other machines connect ([serve] listen, "
                "hosts, api_key); to accept that, add --trust, or name the file with --config",
                c->opened_by);
}

/* Clients from other machines need a key. */
static bool check_loopback(struct str address, bool keyed, struct err *e)
{
    if (keyed || is_local(address))
        return true;
    return fail(e, ERR_DENIED,
                "listen on " STR_FMT
                ": without an API key only loopback addresses and unix:PATH are allowed",
                STR_ARG(str_head(address, 80)));
}

/* ---- output at the start ----------------------------------------------------------------- */

static void print_json(const struct serve *s, const char *scheme)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 8192);
    jw_object(&w);
    jw_kstr(&w, "version", str_of(trefoil_version));
    jw_kstr(&w, "address", arena_printf(&s->app->project.mem, "%s%s", scheme, s->address));
    jw_kstr(&w, "root", str_of(s->app->project.root.path));
    jw_kbool(&w, "a2a", s->app->project.config.a2a.on);
    jw_kstr(&w, "a2a_why", str_of(s->app->project.config.a2a.why));
    jw_kstr(&w, "socket", s->daemon.path ? str_of(s->daemon.path) : STR_NONE);
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

static void print_things_to_try(const char *how)
{
    printf("\nThree things to try, in another terminal:\n"
           "  curl %s/health\n"
           "  curl %s/mcp -H 'content-type: application/json' \\\n"
           "    -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}'\n"
           "  curl %s/mcp -H 'content-type: application/json' \\\n"
           "    -d '{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
           "\"params\":{\"name\":\"system_time\"}}'\n"
           "Stop with Ctrl-C.\n",
           how, how, how);
}

/* One line: where, or why not. */
static void print_a2a(const struct serve *s, struct str base)
{
    const struct a2a_config *a = &s->app->project.config.a2a;

    if (a->on)
        printf("  A2A     " STR_FMT STR_FMT "  (on: %s)\n", STR_ARG(base), STR_ARG(a->listen_path),
               a->why);
    else
        printf("  A2A     off: %s\n", a->why);
}

static void print_welcome(const struct serve *s)
{
    bool local = str_starts(str_of(s->address), STR("unix:"));
    struct str base =
        arena_printf(&s->app->project.mem, "%s%s", local ? "" : "http://", s->address);
    struct str how = base;

    if (local)
        how = arena_printf(&s->app->project.mem, "--unix-socket %s http://localhost",
                           s->address + sizeof("unix:") - 1);
    if (s->app->opt.json) {
        print_json(s, local ? "" : "http://");
    } else {
        printf("trefoil %s serves\n"
               "  MCP     " STR_FMT "/mcp\n",
               trefoil_version, STR_ARG(base));
        print_a2a(s, base);
        printf(
            "  health  " STR_FMT "/health\n"
            "  root    %s\n%s",
            STR_ARG(base), s->app->project.root.path,
            s->app->project.config.keys.n
                ? "  key     required except for cards and /health, as Authorization: Bearer KEY\n"
                : "");
        print_things_to_try(how.p);
    }
    fflush(stdout);
}

/* ---- MCP servers ------------------------------------------------------------------------- */

static void on_reload(struct reload *r, const struct config *c)
{
    struct serve *s = CONTAINER_OF(r, struct serve, reload);

    service_use(&s->service, c);
    if (s->opened)
        runtime_use(&s->runtime, c);
    daemon_reloaded(&s->daemon);
}

/*
 * Open the agents. The service has already opened the store, so this can fail only for reasons that
 * also prevent serving.
 */
static void open_agents(struct serve *s)
{
    const struct config *c = &s->app->project.config;
    struct err e;

    s->opened = runtime_open(&s->runtime, &s->service, &s->app->project.mem, c, true, &e);
    if (s->opened)
        runtime_serve(&s->runtime);
    else
        LOG(LOG_ERROR, "serve", "no agents are available", LOG_Z("why", e.text));
}

static void on_begin(struct post *post)
{
    struct serve *s = CONTAINER_OF(post, struct serve, begin);

    if (s->drain.begun)
        return;
    open_agents(s);
    service_use(&s->service, &s->app->project.config);
    service_watch(&s->service);
    if (s->opened)
        runtime_use(&s->runtime, &s->app->project.config);
    if (s->opened)
        daemon_use_runtime(&s->daemon, &s->runtime);
    if (s->unchecked)
        check_large(s);
}

/* ---- running ----------------------------------------------------------------------------- */

static bool serve_start(struct serve *s, struct str address, struct err *e)
{
    const struct config *c = &s->app->project.config;

    service_open_audit(&s->service, c);
    s->service.upstreams.pinning = c->keys.n ? PINNING_BLOCK : PINNING_WARN;
    service_expose(&s->service, c);
    service_expect_servers(&s->service, c);
    service_expect_agents(&s->service);
    service_add_http(&s->service, c);
    drain_init(&s->drain, s->loop, on_drained);
    s->part = (struct drain_part){ .name = "http", .stop = on_stop_part };
    drain_join(&s->drain, &s->part);
    s->daemon_part = (struct drain_part){ .name = "door", .stop = on_stop_daemon };
    drain_join(&s->drain, &s->daemon_part);
    return check_project(s, address, e) && check_loopback(address, c->keys.n > 0, e) &&
           open_store(s, e) && loop_on_signal(s->loop, SIGTERM, on_signal, s, e) &&
           loop_on_signal(s->loop, SIGINT, on_signal, s, e) &&
           reload_start(&s->reload, &s->app->project, s->loop, on_reload, e) &&
           http_server_listen(s->service.web.http, address, s->address, e);
}

/* Serve until a signal arrives. If the start fails, close the parts that were opened. */
static int serve(struct serve *s, struct str address)
{
    int code = EXIT_OK;
    struct err e;

    if (serve_start(s, address, &e)) {
        service_use_address(&s->service, str_of(s->address));
        daemon_open(&s->daemon);
        print_welcome(s);
        notify_systemd("READY=1");
        s->begin.fn = on_begin;
        loop_post(s->loop, &s->begin);
    } else {
        code = print_error(&e);
        reload_stop(&s->reload);
        service_close_http(&s->service, on_http_closed, s);
    }
    loop_run(s->loop);
    return code;
}

static int serve_run(struct app *app, const void *args, int words, char **word)
{
    const struct serve_args *a = args;
    struct serve *s = ARENA_NEW(&app->project.mem, struct serve);
    int code;
    struct err e;

    (void)words;
    (void)word;
    s->app = app;
    s->loop = loop_new(LOOP_REAL_CLOCK);
    raise_descriptor_limit(s);
    if (service_open(&s->service, s->loop, &app->project.config.limits, app->project.root.path,
                     &e)) {
        s->service.upstreams.procs.nofile = s->nofile;
        service_use_state(&s->service, &app->project.state.port);
        daemon_init(&s->daemon, &app->project, &s->service);
        code = serve(s, a->listen ? str_of(a->listen) : app->project.config.listen);
        service_close(&s->service);
        reload_fini(&s->reload);
    } else {
        code = print_error(&e);
    }
    loop_free(s->loop);
    return code;
}

static const struct option options[] = {
    { "listen", OPTION_TEXT, offsetof(struct serve_args, listen), "ADDRESS",
      "Listen on 127.0.0.1:8733 (default), [::1]:PORT, localhost:PORT or unix:PATH" },
};

const struct verb verb_serve = {
    .name = "serve",
    .words = "",
    .summary = "Run the daemon, which serves MCP and A2A over HTTP",
    .more =
        "The daemon runs in the foreground until it receives SIGTERM or SIGINT. Port 0 picks a\n"
        "free port.\n",
    .option = options,
    .options = ARRAY_LEN(options),
    .args_size = sizeof(struct serve_args),
    .serves = true,
    .run = serve_run,
};
