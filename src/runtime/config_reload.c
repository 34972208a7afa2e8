#include "runtime/config_reload.h"

#include "config/foreign_servers.h"

#include <limits.h>
#include <signal.h>
#include <unistd.h>

enum { OWN_MOST = 3 };

/* ---- watched paths ------------------------------------------------------------------------- */

/* Return the absolute form of a path, relative to the current working folder. */
static const char *absolute(struct arena *mem, const char *path)
{
    char here[PATH_MAX];

    if (path[0] == '/' || !getcwd(here, sizeof(here)))
        return path;
    return arena_printf(mem, "%s/%s", here, path).p;
}

size_t reload_paths(const struct project *project, struct arena *mem, const char *out[RELOAD_PATHS])
{
    const char *user = root_user_config(mem), *state = root_user_state_path(mem);
    size_t n = 0;

    if (project->config_file) {
        out[n++] = absolute(mem, project->config_file);
    } else {
        out[n++] = arena_printf(mem, "%s/trefoil.toml", project->root.path).p;
        if (user)
            out[n++] = user;
    }
    if (state)
        out[n++] = arena_printf(mem, "%s/trust.json", state).p;
    return n + foreign_paths(mem, project->root.path, out + n, RELOAD_PATHS - OWN_MOST);
}

static void list_paths(struct reload *r)
{
    const char *path[RELOAD_PATHS];

    r->paths = reload_paths(r->project, &r->project->mem, path);
    r->path = ARENA_ARRAY(&r->project->mem, struct file_watch_path, RELOAD_PATHS);
    for (size_t i = 0; i < r->paths; i++)
        r->path[i] = (struct file_watch_path){ .path = path[i] };
}

/* ---- loading ------------------------------------------------------------------------------- */

static void warn_of_restart(const struct config *was, const struct config *now)
{
    const char *what = NULL;

    if (memcmp(&was->limits, &now->limits, sizeof(was->limits)) != 0)
        what = "limits";
    else if (!str_eq(was->listen, now->listen))
        what = "serve.listen";
    else if (!keys_equal(&was->keys, &now->keys))
        what = "serve.api_key or serve.keys";
    if (what)
        LOG(LOG_WARN, "config", "this needs a restart to take effect", LOG_Z("changed", what));
}

static void config_reload_load(struct reload *r)
{
    struct arena mem = { 0 };
    struct config *fresh = ARENA_NEW(&mem, struct config);
    const struct project *p = r->project;
    struct err e;

    if (!config_load(&mem, &p->root, p->config_file, p->trust, fresh, &e)) {
        LOG(LOG_ERROR, "config", "the old configuration stays in use", LOG_Z("error", e.text));
        arena_fini(&mem);
        return;
    }
    notes_log(&fresh->notes);
    warn_of_restart(r->now, fresh);
    r->apply(r, fresh);
    LOG(LOG_INFO, "config", "the configuration was reloaded",
        LOG_N("servers", (int64_t)fresh->servers.n));
    arena_fini(&r->mem);
    r->mem = mem;
    r->now = fresh;
}

static void on_changed(void *ctx)
{
    config_reload_load(ctx);
}

static void on_hangup(int signum, void *ctx)
{
    struct reload *r = ctx;

    (void)signum;
    if (!r->watch)
        return;
    file_watch_look(r->watch);
    config_reload_load(r);
}

bool reload_start(struct reload *r, struct project *project, struct loop *loop,
                  void (*apply)(struct reload *r, const struct config *c), struct err *e)
{
    *r = (struct reload){
        .project = project, .loop = loop, .now = &project->config, .apply = apply
    };
    list_paths(r);
    r->watch =
        file_watch_open(&(struct file_watch_opts){ .loop = loop,
                                                   .path = r->path,
                                                   .paths = r->paths,
                                                   .look_ms = project->config.limits.watch_ms,
                                                   .changed = on_changed,
                                                   .ctx = r });
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
