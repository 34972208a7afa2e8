#include "runtime/upstreams.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/version.h"
#include "tool/tools.h"
#include "wire/http_client.h"

#include <unistd.h>

/* ---- offered tools ------------------------------------------------------------------------- */

struct tool_called upstream_tool_called(struct arena *mem, const struct upstream_tool *t)
{
    return (struct tool_called){
        .name = str_of(t->tool.name),
        .alias = arena_printf(mem, "%s:" STR_FMT, t->up->spec.name, STR_ARG(t->original)),
    };
}

static const char *if_exposed(void *ctx, const struct upstream_tool *t)
{
    const struct upstreams *up = ctx;
    AUTO_ARENA mem = { 0 };

    if (up->withheld)
        return NULL;
    return tool_exposed_by_kernel(&up->config->expose_tools, &up->config->private_tools,
                                  upstream_tool_called(&mem, t))
               ? t->tool.name
               : NULL;
}

/* ---- opening ------------------------------------------------------------------------------- */

static void on_tried(struct mcp_upstreams *f, void *ctx)
{
    struct upstreams *up = ctx;

    (void)f;
    if (up->on_tried)
        up->on_tried(up);
}

static void on_changed(struct mcp_upstreams *f, void *ctx)
{
    struct upstreams *up = ctx;

    (void)f;
    if (up->on_changed)
        up->on_changed(up);
}

struct http_client *upstreams_http(const struct upstreams *up)
{
    AUTO_ARENA mem = { 0 };

    return http_client_new(&(struct http_client_opts){
        .loop = up->rpc->loop,
        .limits = up->rpc->limits,
        .user_agent = arena_printf(&mem, TREFOIL_NAME "/%s", trefoil_version).p,
    });
}

struct mcp_client_world upstreams_world(struct upstreams *up, struct http_client *http)
{
    return (struct mcp_client_world){
        .rpc = up->rpc,
        .procs = &up->procs,
        .http = http,
        .environ = (const char *const *)environ,
        .root = up->offer->host.root,
        .name = TREFOIL_NAME,
        .version = trefoil_version,
        .sandbox = up->offer->host.sandbox,
        .state = up->offer->host.state,
    };
}

const struct str *upstreams_reserved(struct arena *mem, size_t *out_n)
{
    struct str *reserved = ARENA_ARRAY(mem, struct str, 2 * builtin_tool_count + client_tool_count);
    size_t n = 0;

    for (size_t i = 0; i < builtin_tool_count; i++) {
        reserved[n++] = str_of(builtin_tools[i]->name);
        if (builtin_tools[i]->other_name)
            reserved[n++] = str_of(builtin_tools[i]->other_name);
    }
    for (size_t i = 0; i < client_tool_count; i++)
        reserved[n++] = str_of(client_tools[i]->name);
    *out_n = n;
    return reserved;
}

static void open_upstreams(struct upstreams *up)
{
    AUTO_ARENA mem = { 0 };
    struct mcp_client_world world = upstreams_world(up, up->http);
    size_t n;
    const struct str *reserved = upstreams_reserved(&mem, &n);

    up->upstreams = mcp_upstreams_new(&(struct mcp_upstreams_opts){
        .world = &world,
        .reserved = reserved,
        .reserveds = n,
        .cache = &up->cache.port,
        .pins = &up->pins.port,
        .on_tried = on_tried,
        .on_changed = on_changed,
        .ctx = up,
    });
    mcp_upstreams_view_open(&up->view, up->upstreams, if_exposed, up);
    offer_join(up->offer, &up->view.source);
}

static void on_pins_changed(struct tool_pins *p)
{
    struct upstreams *up = CONTAINER_OF(p, struct upstreams, pins);

    if (up->upstreams)
        mcp_upstreams_check_pins(up->upstreams);
}

static void open_all(struct upstreams *up)
{
    tool_pins_init(&up->pins, up->rpc->loop, up->rpc->limits, up->offer->host.state, up->pinning);
    up->pins.on_changed = on_pins_changed;
    tool_cache_init(&up->cache, up->rpc->loop, up->rpc->limits, up->offer->host.state);
    up->http = upstreams_http(up);
    open_upstreams(up);
}

void upstreams_init(struct upstreams *up, struct offer *offer, struct rpc *rpc)
{
    *up = (struct upstreams){ .offer = offer, .rpc = rpc };
    procs_init(&up->procs, rpc->loop, rpc->limits);
}

static void upstreams_apply(struct upstreams *up, const struct config *config,
                            const struct server_spec *spec, size_t specs)
{
    up->config = config;
    if (!up->upstreams && !specs) {
        if (up->on_tried)
            up->on_tried(up);
        return;
    }
    if (!up->upstreams)
        open_all(up);
    up->pins.config = config;
    mcp_upstreams_check_pins(up->upstreams); /* the setting may have changed */
    mcp_upstreams_set(up->upstreams, spec, specs);
    mcp_upstreams_view_refresh(&up->view);
}

void upstreams_use(struct upstreams *up, const struct config *config)
{
    upstreams_apply(up, config, config->servers.v, config->servers.n);
}

bool upstreams_use_only(struct upstreams *up, const struct config *config, const char *name)
{
    const struct server_spec *s = server_list_find(&config->servers, name);

    if (s)
        upstreams_apply(up, config, s, 1);
    return s != NULL;
}

/* ---- closing ------------------------------------------------------------------------------- */

static void upstreams_finish(struct upstreams *up, bool in_time)
{
    void (*done)(void *ctx, bool in_time) = up->done;

    timer_clear(up->rpc->loop, &up->late);
    up->done = NULL;
    if (done)
        done(up->done_ctx, in_time);
}

static void on_nothing_left(struct post *post)
{
    upstreams_finish(CONTAINER_OF(post, struct upstreams, closed), true);
}

/* Finish closing when all files are written. */
static void check_saved(struct upstreams *up)
{
    if (up->cache.saving || up->pins.busy)
        return;
    tool_cache_fini(&up->cache);
    tool_pins_fini(&up->pins);
    upstreams_finish(up, true);
}

static void on_saved(struct tool_cache *c)
{
    check_saved(CONTAINER_OF(c, struct upstreams, cache));
}

static void on_pins_idle(struct tool_pins *p)
{
    check_saved(CONTAINER_OF(p, struct upstreams, pins));
}

static void on_http_closed(void *ctx)
{
    struct upstreams *up = ctx;

    up->http = NULL;
    up->cache.on_saved = on_saved;
    up->pins.on_idle = on_pins_idle;
    tool_pins_close(&up->pins);
    check_saved(up);
}

static void on_upstreams_closed(void *ctx)
{
    struct upstreams *up = ctx;

    up->upstreams = NULL;
    http_client_close(up->http, on_http_closed, up);
}

static void on_late(struct timer *t)
{
    upstreams_finish(CONTAINER_OF(t, struct upstreams, late), false);
}

void upstreams_close(struct upstreams *up, void (*done)(void *ctx, bool in_time), void *ctx)
{
    up->done = done;
    up->done_ctx = ctx;
    up->closed.fn = on_nothing_left;
    if (!up->upstreams) {
        loop_post(up->rpc->loop, &up->closed);
        return;
    }
    offer_leave(up->offer, &up->view.source);
    mcp_upstreams_view_close(&up->view);
    timer_set(up->rpc->loop, &up->late, up->rpc->limits->shutdown_ms, on_late);
    mcp_upstreams_close(up->upstreams, on_upstreams_closed, up);
}
