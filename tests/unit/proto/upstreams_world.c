#include "upstreams_world.h"

#include "base/container.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>

static void on_changed(struct offer_watch *watch, enum offer_part part)
{
    struct world *w = CONTAINER_OF(watch, struct world, watch);

    if (part == OFFER_TOOLS)
        w->changes++;
}

static void on_tried(struct mcp_upstreams *f, void *ctx)
{
    struct world *w = ctx;

    (void)f;
    w->tried++;
}

static const struct str reserved[] = { { "file_read", 9 } };

static void open_upstreams(struct world *w)
{
    w->upstreams = mcp_upstreams_new(&(struct mcp_upstreams_opts){
        .world = &w->clients,
        .reserved = reserved,
        .reserveds = 1,
        .on_tried = on_tried,
        .ctx = w,
    });
    offer_init(&w->offer, &w->host, 1u << OFFER_TOOLS);
    mcp_upstreams_view_open(&w->view, w->upstreams, NULL, NULL);
    offer_join(&w->offer, &w->view.source);
    w->watch.changed = on_changed;
    offer_watch(&w->offer, &w->watch);
}

struct world *world_new(void)
{
    struct world *w = MEM_NEW(struct world);

    fake_opened = 0;
    fake_slow_close = false;
    limits_preset(&w->limits);
    w->limits.mcp_retry_min_ms = 100;
    w->limits.mcp_retry_max_ms = 800;
    w->limits.mcp_failures = 3;
    w->limits.mcp_broken_ms = 2000;
    w->loop = loop_new(LOOP_FAKE_CLOCK);
    rpc_init(&w->rpc, w->loop, &w->limits);
    w->host = (struct host){ .loop = w->loop, .limits = &w->limits, .root_fd = -1, .root = "/" };
    w->clients = (struct mcp_client_world){ .rpc = &w->rpc, .name = "test", .version = "1" };
    w->caller = (struct caller){
        .kind = &caller_nobody, .name = "test", .origin = ORIGIN_STDIO, .principal = STR("user:1")
    };
    open_upstreams(w);
    return w;
}

static void on_upstreams_closed(void *ctx)
{
    ((struct world *)ctx)->closed = true;
}

void world_turn(struct world *w)
{
    while (loop_run_once(w->loop))
        ;
}

void world_free(struct world *w)
{
    offer_unwatch(&w->watch);
    offer_fini(&w->offer);
    mcp_upstreams_view_close(&w->view);
    mcp_upstreams_close(w->upstreams, on_upstreams_closed, w);
    while (!w->closed)
        world_turn(w);
    world_turn(w);
    for (size_t i = 0; i < w->calls; i++)
        arena_fini(&w->call[i].mem);
    rpc_fini(&w->rpc);
    loop_free(w->loop);
    mem_free(w);
}

struct server_spec world_spec(const char *name)
{
    static const char *const argv[] = { "server", NULL };

    return (struct server_spec){
        .name = name,
        .argv = argv,
        .timeout_ms = 1000,
        .timeout_max_ms = 10000,
        .concurrency = 8,
        .enabled = true,
        .trusted = true,
    };
}

static void on_call_done(struct op *op, const struct err *e, void *ctx)
{
    struct world_call *c = ctx;

    (void)op;
    assert(!c->done);
    c->done = true;
    if (e)
        c->err = *e;
    else
        str_to_c(c->call.raw_result, c->result, sizeof(c->result));
}

struct world_call *world_call(struct world *w, const char *tool)
{
    struct world_call *c = &w->call[w->calls++];
    const struct tool *t = offer_tool(&w->offer, str_of(tool));

    if (!t) {
        fail(&c->err, ERR_NOT_FOUND, "not offered");
        c->done = true;
        return c;
    }
    tool_run(t, &c->call, &w->host, &w->caller, &c->mem, (struct json){ 0 }, NULL, on_call_done, c);
    return c;
}

const char *world_list(const struct world *w)
{
    static char list[1024];
    const struct tool *t;
    size_t n = 0;

    list[0] = '\0';
    for (size_t i = 0; (t = offer_tool_at(&w->offer, i)); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? " " : "", t->name);
    return list;
}

enum upstream_state world_state(const struct world *w, const char *server)
{
    const struct upstream *u = mcp_upstreams_find(w->upstreams, str_of(server));

    return u ? u->state : UP_CLOSED;
}
