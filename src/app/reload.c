#include "app/reload.h"

#include "app/foreign.h"
#include "base/container.h"
#include "base/hash.h"
#include "base/mem.h"

#include <signal.h>
#include <sys/stat.h>

enum { LOOK_MS = 2000, PATHS_MOST = 16 };

/* ---- has anything changed? ----------------------------------------------------------------- */

static void list_paths(struct reload *r)
{
    struct arena *mem = &r->app->mem;
    const char *user = root_user_config(mem), *state = root_user_state_path(mem);

    r->path = ARENA_ARRAY(mem, const char *, PATHS_MOST);
    if (r->app->opt.config) {
        r->path[r->paths++] = r->app->opt.config;
    } else {
        r->path[r->paths++] = arena_printf(mem, "%s/trefoil.toml", r->app->root.path).p;
        if (user)
            r->path[r->paths++] = user;
    }
    if (state)
        r->path[r->paths++] = arena_printf(mem, "%s/trust.json", state).p;
    r->paths += foreign_paths(mem, r->app->root.path, r->path + r->paths, PATHS_MOST - r->paths);
}

/* What can be seen of the files without reading them. */
static uint64_t look(const struct reload *r)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->paths; i++) {
        struct stat st;
        uint64_t part[4] = { 0 };

        if (stat(r->path[i], &st) == 0) {
            part[0] = (uint64_t)st.st_mtim.tv_sec;
            part[1] = (uint64_t)st.st_mtim.tv_nsec;
            part[2] = (uint64_t)st.st_size;
            part[3] = (uint64_t)st.st_ino;
        }
        sum = sum * 31 + hash_str(i + 1, (struct str){ (const char *)part, sizeof(part) });
    }
    return sum;
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

static void on_look(struct timer *t)
{
    struct reload *r = CONTAINER_OF(t, struct reload, look);
    uint64_t seen = look(r);

    timer_set(r->loop, t, LOOK_MS, on_look);
    if (seen == r->seen)
        return;
    r->seen = seen;
    load(r);
}

static void on_hangup(int signum, void *who)
{
    struct reload *r = who;

    (void)signum;
    if (!timer_is_set(&r->look)) /* stopped */
        return;
    r->seen = look(r);
    load(r);
}

bool reload_start(struct reload *r, struct app *app, struct loop *loop,
                  void (*apply)(struct reload *r, const struct config *c), struct err *e)
{
    *r = (struct reload){ .app = app, .loop = loop, .now = &app->config, .apply = apply };
    list_paths(r);
    r->seen = look(r);
    timer_set(loop, &r->look, LOOK_MS, on_look);
    return loop_on_signal(loop, SIGHUP, on_hangup, r, e);
}

void reload_stop(struct reload *r)
{
    if (r->loop)
        timer_clear(r->loop, &r->look);
}

void reload_fini(struct reload *r)
{
    arena_fini(&r->mem);
}
