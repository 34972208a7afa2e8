#include "proto/mcp/client/session_servers.h"

#include "base/log.h"
#include "base/mem.h"

struct session_servers {
    struct arena mem;
    struct session_servers_opts opts;
    struct mcp_client_world world; /* the program's, in the folder of the session */
    struct mcp_upstreams *upstreams;
    struct mcp_upstreams_view own, agent;
    struct offer offer;
    void (*done)(void *ctx);
    void *done_ctx;
};

/* ---- what is shadowed ---------------------------------------------------------------------- */

static const char *unless_shadowed(void *ctx, const struct upstream_tool *t)
{
    struct session_servers *s = ctx;

    if (mcp_upstreams_find(s->upstreams, str_of(t->up->spec.name)))
        return NULL;
    for (size_t i = 0; i < s->own.source.tools; i++)
        if (str_eq(str_of(t->tool.name), str_of(s->own.source.tool[i]->name)))
            return NULL;
    return t->tool.name;
}

static void warn_of_shadow(const struct session_servers *s, const struct server_spec *spec)
{
    if (s->opts.agent && mcp_upstreams_find(s->opts.agent, str_of(spec->name)))
        LOG(LOG_WARN, "mcp",
            "a server of the session replaces the configured server of the same name",
            LOG_Z("server", spec->name));
}

static void see_anew(struct session_servers *s)
{
    if (s->opts.agent)
        mcp_upstreams_view_refresh(&s->agent);
}

static void on_changed(struct mcp_upstreams *f, void *ctx)
{
    (void)f;
    see_anew(ctx);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void on_tried(struct mcp_upstreams *f, void *ctx)
{
    struct session_servers *s = ctx;

    (void)f;
    if (s->opts.on_connected)
        s->opts.on_connected(s, s->opts.ctx);
}

static void open_upstreams(struct session_servers *s)
{
    const struct session_servers_opts *o = &s->opts;
    struct str *reserved;
    size_t n = 0;

    for (size_t i = 0; i < o->builtins; i++)
        n += o->builtin[i]->tools;
    reserved = ARENA_ARRAY(&s->mem, struct str, n);
    n = 0;
    for (size_t i = 0; i < o->builtins; i++)
        for (size_t k = 0; k < o->builtin[i]->tools; k++)
            reserved[n++] = str_of(o->builtin[i]->tool[k]->name);
    s->upstreams = mcp_upstreams_new(&(struct mcp_upstreams_opts){
        .world = &s->world,
        .reserved = reserved,
        .reserveds = n,
        .always = true,
        .on_tried = on_tried,
        .on_changed = on_changed,
        .ctx = s,
    });
}

/* The order is the precedence. */
static void join_offer(struct session_servers *s)
{
    const struct session_servers_opts *o = &s->opts;

    offer_init(&s->offer, o->host, 1u << OFFER_TOOLS);
    mcp_upstreams_view_open(&s->own, s->upstreams, NULL, NULL);
    offer_join(&s->offer, &s->own.source);
    for (size_t i = 0; i < o->builtins; i++)
        offer_join(&s->offer, o->builtin[i]);
    if (!o->agent)
        return;
    mcp_upstreams_view_open(&s->agent, o->agent, unless_shadowed, s);
    offer_join(&s->offer, &s->agent.source);
}

struct session_servers *session_servers_open(const struct session_servers_opts *o,
                                             const struct server_spec *spec, size_t specs)
{
    struct session_servers *s = MEM_NEW(struct session_servers);

    s->opts = *o;
    s->world = *o->world;
    if (o->cwd)
        s->world.root = arena_cstr(&s->mem, str_of(o->cwd));
    open_upstreams(s);
    join_offer(s);
    for (size_t i = 0; i < specs; i++)
        warn_of_shadow(s, &spec[i]);
    mcp_upstreams_set(s->upstreams, spec, specs);
    see_anew(s);
    return s;
}

struct offer *session_servers_offer(struct session_servers *s)
{
    return &s->offer;
}

/* ---- adding, removing, closing ------------------------------------------------------------- */

void session_servers_add(struct session_servers *s, const struct server_spec *spec)
{
    warn_of_shadow(s, spec);
    mcp_upstreams_add(s->upstreams, spec);
    see_anew(s);
}

bool session_servers_remove(struct session_servers *s, struct str name)
{
    bool was = mcp_upstreams_remove(s->upstreams, name);

    see_anew(s);
    return was;
}

const struct upstream *session_servers_next(const struct session_servers *s,
                                            const struct upstream *u)
{
    return mcp_upstreams_next(s->upstreams, u);
}

const struct upstream *session_servers_get(const struct session_servers *s, struct str name)
{
    return mcp_upstreams_find(s->upstreams, name);
}

bool session_servers_failed(const struct upstream *u, struct err *why)
{
    if (u->state == UP_READY)
        return false;
    if (u->last_error.code != ERR_NONE)
        *why = u->last_error;
    else
        upstream_explain(u, why);
    return true;
}

/* ---- the end ------------------------------------------------------------------------------- */

static void on_upstreams_closed(void *ctx)
{
    struct session_servers *s = ctx;
    void (*done)(void *ctx) = s->done;
    void *done_ctx = s->done_ctx;

    arena_fini(&s->mem);
    mem_free(s);
    if (done)
        done(done_ctx);
}

void session_servers_close(struct session_servers *s, void (*done)(void *ctx), void *ctx)
{
    s->done = done;
    s->done_ctx = ctx;
    offer_fini(&s->offer);
    if (s->opts.agent)
        mcp_upstreams_view_close(&s->agent);
    s->opts.agent = NULL;
    mcp_upstreams_view_close(&s->own);
    mcp_upstreams_close(s->upstreams, on_upstreams_closed, s);
}
