#include "app/reload.h"

#include "app/foreign.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

enum { OWN_MOST = 3, PATHS_MOST = 16 };

/* ---- what is looked at --------------------------------------------------------------------- */

static void add(struct reload *r, const char *path)
{
    r->path[r->paths++] = (struct file_watch_path){ .path = path };
}

/* As it was meant when we were started. */
static const char *absolute(struct arena *mem, const char *path)
{
    char here[PATH_MAX];

    if (path[0] == '/' || !getcwd(here, sizeof(here)))
        return path;
    return arena_printf(mem, "%s/%s", here, path).p;
}

static void list_paths(struct reload *r)
{
    struct arena *mem = &r->app->mem;
    const char *user = root_user_config(mem), *state = root_user_state_path(mem);
    const char *foreign[PATHS_MOST];
    size_t n = foreign_paths(mem, r->app->root.path, foreign, PATHS_MOST - OWN_MOST);

    r->path = ARENA_ARRAY(mem, struct file_watch_path, PATHS_MOST);
    if (r->app->opt.config) {
        add(r, absolute(mem, r->app->opt.config));
    } else {
        add(r, arena_printf(mem, "%s/trefoil.toml", r->app->root.path).p);
        if (user)
            add(r, user);
    }
    if (state)
        add(r, arena_printf(mem, "%s/trust.json", state).p);
    for (size_t i = 0; i < n; i++)
        add(r, foreign[i]);
}

/* ---- loading ------------------------------------------------------------------------------- */

static void warn_of_restart(const struct config *was, const struct config *now)
{
    const char *what = NULL;

    if (memcmp(&was->limits, &now->limits, sizeof(was->limits)) != 0)
        what = "limits";
    else if (!str_eq(was->listen, now->listen))
        what = "serve.listen";
    else if (!str_eq(was->api_key, now->api_key))
        what = "serve.api_key";
    if (what)
        LOG(LOG_WARN, "config", "this needs a restart to take effect", LOG_Z("changed", what));
}

static void load(struct reload *r)
{
    struct arena mem = { 0 };
    struct config *fresh = ARENA_NEW(&mem, struct config);
    const struct app_options *o = &r->app->opt;
    struct err e;

    if (!config_load(&mem, &r->app->root, o->config, o->trust, fresh, &e)) {
        LOG(LOG_ERROR, "config", "the configuration stays as it was", LOG_Z("error", e.text));
        arena_fini(&mem);
        return;
    }
    notes_log(&fresh->notes);
    warn_of_restart(r->now, fresh);
    r->apply(r, fresh);
    LOG(LOG_INFO, "config", "the configuration was loaded anew",
        LOG_N("servers", (int64_t)fresh->servers.n));
    arena_fini(&r->mem);
    r->mem = mem;
    r->now = fresh;
}

static void on_changed(void *who)
{
    load(who);
}

static void on_hangup(int signum, void *who)
{
    struct reload *r = who;

    (void)signum;
    if (!r->watch)
        return;
    file_watch_look(r->watch);
    load(r);
}

bool reload_start(struct reload *r, struct app *app, struct loop *loop,
                  void (*apply)(struct reload *r, const struct config *c), struct err *e)
{
    *r = (struct reload){ .app = app, .loop = loop, .now = &app->config, .apply = apply };
    list_paths(r);
    r->watch = file_watch_open(&(struct file_watch_opts){ .loop = loop,
                                                          .path = r->path,
                                                          .paths = r->paths,
                                                          .look_ms = app->config.limits.watch_ms,
                                                          .changed = on_changed,
                                                          .who = r });
    return loop_on_signal(loop, SIGHUP, on_hangup, r, e);
}

void reload_stop(struct reload *r)
{
    if (r->watch)
        file_watch_close(r->watch, NULL, NULL);
    r->watch = NULL;
}

void reload_fini(struct reload *r)
{
    arena_fini(&r->mem);
}
