#include "app/short_service.h"

#include "base/container.h"
#include "core/lock/lock.h"
#include "store/store.h"

#include <signal.h>
#include <unistd.h>

static void on_tried(struct upstreams *up)
{
    struct once *o = up->ctx;

    o->tried = true;
    if (o->waiting)
        loop_stop(o->loop);
}

/*
 * Is the tool `wanted` available? A withheld tool does not count: its cached definition may be
 * withheld although the server's current definition is not.
 */
static bool has_wanted(const struct once *o)
{
    const struct tool *t = o->wanted.p ? offer_tool(&o->service.offer, o->wanted) : NULL;

    return t && !t->withheld;
}

/* The tools of the servers have changed: stop waiting if the tool `wanted` is available now. */
static void on_changed(struct upstreams *up)
{
    struct once *o = up->ctx;

    if (o->waiting && has_wanted(o))
        loop_stop(o->loop);
}

static void on_deadline(struct timer *t)
{
    loop_stop(CONTAINER_OF(t, struct once, deadline)->loop);
}

/* Handle Ctrl-C. The second Ctrl-C exits at once, and the keepers clean up. */
static void on_signal(int signum, void *ctx)
{
    struct once *o = ctx;

    if (o->interrupted)
        _exit(128 + signum);
    o->interrupted = true;
    if (o->on_interrupt)
        o->on_interrupt(o);
    else
        loop_stop(o->loop);
}

bool once_open(struct once *o, struct app *app)
{
    struct err e;

    if (!app->opt.log_level) /* the verb shows failures itself */
        log_setup(LOG_ERROR, app->project.config.log_json);
    *o = (struct once){ .app = app, .loop = loop_new(LOOP_REAL_CLOCK) };
    if (!service_open(&o->service, o->loop, &app->project.config.limits, app->project.root.path,
                      &e)) {
        print_error(&e);
        loop_free(o->loop);
        return false;
    }
    service_use_guard(&o->service, &app->project.config);
    service_use_state(&o->service, &app->project.state.port);
    service_open_audit(&o->service, &app->project.config);
    o->service.upstreams.on_tried = on_tried;
    o->service.upstreams.on_changed = on_changed;
    o->service.upstreams.ctx = o;
    if (!loop_on_signal(o->loop, SIGINT, on_signal, o, &e) ||
        !loop_on_signal(o->loop, SIGTERM, on_signal, o, &e)) {
        print_error(&e);
        once_close(o);
        return false;
    }
    return true;
}

bool once_use_locks(struct once *o)
{
    const struct config *c = &o->app->project.config;
    const char *path;
    struct err e;

    if (!project_find_database(&o->app->project, &path, &e)) {
        if (e.code == ERR_NOT_FOUND)
            return true;
        print_error(&e);
        return false;
    }
    if (!store_open(o->loop, &c->limits, path, &o->store, &e)) {
        print_error(&e);
        return false;
    }
    o->locks = lock_table_new(o->loop, &c->limits, store_port(o->store), c->lock_conflict);
    service_use_locks(&o->service, o->locks);
    return true;
}

static void on_store_closed(void *ctx)
{
    struct once *o = ctx;

    o->store = NULL;
    loop_stop(o->loop);
}

/* Close the locks, then the store, so that released locks are deleted from the store first. */
static void close_locks(struct once *o)
{
    if (!o->store)
        return;
    service_use_locks(&o->service, NULL);
    lock_table_free(o->locks);
    store_close(o->store, on_store_closed, o);
    while (o->store)
        loop_run(o->loop);
}

static bool is_there(const struct once *o)
{
    return o->tried || has_wanted(o);
}

static void wait_for_servers(struct once *o, int64_t ms)
{
    timer_set(o->loop, &o->deadline, ms, on_deadline);
    o->waiting = true;
    if (!is_there(o))
        loop_run(o->loop);
    o->waiting = false;
    timer_clear(o->loop, &o->deadline);
}

void once_use(struct once *o, int64_t wait_ms)
{
    service_use(&o->service, &o->app->project.config);
    wait_for_servers(o, wait_ms);
}

bool once_connect(struct once *o, const char *only, struct str tool)
{
    struct upstreams *up = &o->service.upstreams;

    if (!only)
        service_use(&o->service, &o->app->project.config);
    else if (!upstreams_use_only(up, &o->app->project.config, only))
        return false;
    o->wanted = tool;
    wait_for_servers(o, o->app->project.config.limits.mcp_connect_ms);
    return true;
}

void once_run(struct once *o)
{
    loop_run(o->loop);
}

static void on_closed(void *ctx, bool in_time)
{
    struct once *o = ctx;

    o->closed = in_time;
    loop_stop(o->loop);
}

/* Print nothing with --log-level, because then the log contains these notes. */
void once_note_changes(const struct once *o)
{
    const struct mcp_upstreams *all = o->service.upstreams.upstreams;
    const struct upstream *u = NULL;

    while (all && !o->app->opt.log_level && (u = mcp_upstreams_next(all, u)))
        if (u->changed)
            print_notice(
                "%zu %s of MCP server %s changed since approval; review with: " TREFOIL_NAME
                " servers approve %s",
                u->changed, u->changed == 1 ? "tool" : "tools", u->spec.name, u->spec.name);
}

void once_close(struct once *o)
{
    close_locks(o);
    service_leave_servers(&o->service, on_closed, o);
    loop_run(o->loop);
    if (!o->closed) /* a server has not exited; its keeper kills it when this process has exited */
        return;
    service_close(&o->service);
    loop_free(o->loop);
}
