/*
 * mcp_upstreams.c - the set of upstreams, their tool names, and views of it.
 *
 * Upstreams are in one of two lists: `first` (configured) or `leaving` (closing; they have no tools
 * any more). If a server is added while another of its name is closing, it is the heir of that one
 * and waits for its end: two of them might compete for a file or a port.
 *
 * The names and the lists of the views are in `names_mem` and are rebuilt as a whole.
 */
#include "proto/mcp/client/mcp_upstreams.h"

#include "base/container.h"
#include "base/list.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/tool/server_diff.h"

#include <assert.h>

struct mcp_upstreams {
    struct mcp_client_world world;
    struct mcp_upstreams_opts opts;
    struct arena mem; /* memory of `reserved` */
    struct upstream *first, *leaving;
    size_t untried;
    bool told_tried;
    struct arena names_mem;
    struct tool_names names;
    struct mcp_upstreams_view *views;
    struct post tried;
    void (*done)(void *ctx); /* callback of mcp_upstreams_close */
    void *done_ctx;
    bool closing;
};

#define EACH_UPSTREAM(f, u) for (struct upstream *u = (f)->first; u; u = u->next)

/* ---- names and views ----------------------------------------------------------------------- */

static size_t count_tools(const struct mcp_upstreams *f)
{
    size_t n = 0;

    EACH_UPSTREAM(f, u)
    n += u->tools;
    return n;
}

/* tool.name NULL: its pair is not in the table, so it cannot be published. */
static void name_tools(struct mcp_upstreams *f)
{
    EACH_UPSTREAM(f, u)
    {
        for (size_t i = 0; i < u->tools; i++) {
            const struct tool_name *n =
                tool_names_of(&f->names, str_of(u->spec.name), u->tool[i].original);

            u->tool[i].tool.name = n ? n->name.p : NULL;
        }
    }
}

static void build_names(struct mcp_upstreams *f)
{
    size_t n = 0, most = count_tools(f);
    struct tool_pair *pair = ARENA_ARRAY(&f->names_mem, struct tool_pair, most);

    EACH_UPSTREAM(f, u)
    for (size_t i = 0; i < u->tools; i++)
        pair[n++] =
            (struct tool_pair){ str_of(u->spec.name), u->tool[i].original, u->tool[i].rename };
    f->names = tool_names_build(&f->names_mem, pair, n, f->opts.reserved, f->opts.reserveds);
    name_tools(f);
    if (f->names.dropped)
        LOG(LOG_WARN, "mcp", "tools are not offered: a server lists them more than once",
            LOG_N("tools", (int64_t)f->names.dropped));
}

static const char *shown_name(const struct mcp_upstreams_view *v, const struct upstream_tool *t)
{
    return t->tool.name && v->named ? v->named(v->ctx, t) : t->tool.name;
}

static void show(struct mcp_upstreams_view *v, const struct upstream_tool *t)
{
    const char *name = shown_name(v, t);
    size_t n = v->source.tools;

    if (!name)
        return;
    v->list[n] = &t->tool;
    if (name != t->tool.name) {
        v->renamed[n] = t->tool;
        v->renamed[n].name = name;
        v->list[n] = &v->renamed[n];
    }
    v->source.tools++;
}

static void fill_view(struct mcp_upstreams_view *v)
{
    const struct mcp_upstreams *f = v->upstreams;
    size_t most = count_tools(f);

    mem_free(v->list);
    mem_free(v->renamed);
    v->list = mem_alloc(most * sizeof(*v->list));
    v->renamed = v->named ? mem_alloc(most * sizeof(*v->renamed)) : NULL;
    v->source.tool = v->list;
    v->source.tools = 0;
    EACH_UPSTREAM(f, u)
    for (size_t i = 0; i < u->tools; i++)
        show(v, &u->tool[i]);
    offer_source_changed(&v->source, OFFER_TOOLS);
}

/* Rebuild all names: a new tool can change the name of an unrelated one. */
static void rebuild(struct mcp_upstreams *f)
{
    struct arena old = f->names_mem;

    arena_init(&f->names_mem);
    build_names(f);
    for (struct mcp_upstreams_view *v = f->views; v; v = v->next)
        fill_view(v);
    arena_fini(&old);
    if (f->opts.on_changed && !f->closing)
        f->opts.on_changed(f, f->opts.ctx);
}

void mcp_upstreams_view_open(struct mcp_upstreams_view *v, struct mcp_upstreams *f,
                             mcp_upstreams_named_fn *named, void *ctx)
{
    *v =
        (struct mcp_upstreams_view){ .upstreams = f, .named = named, .ctx = ctx, .next = f->views };
    f->views = v;
    fill_view(v);
}

void mcp_upstreams_view_refresh(struct mcp_upstreams_view *v)
{
    fill_view(v);
}

void mcp_upstreams_view_close(struct mcp_upstreams_view *v)
{
    assert(!v->source.joins);
    LIST_UNLINK(v->upstreams->views, v, next);
    mem_free(v->list);
    mem_free(v->renamed);
    v->list = NULL;
    v->renamed = NULL;
}

/* ---- all tried ----------------------------------------------------------------------------- */

static void on_all_tried(struct post *post)
{
    struct mcp_upstreams *f = CONTAINER_OF(post, struct mcp_upstreams, tried);
    size_t all = 0, ready = 0;

    if (f->untried || f->told_tried || f->closing)
        return;
    f->told_tried = true;
    EACH_UPSTREAM(f, u)
    {
        all++;
        ready += u->state == UP_READY;
    }
    LOG(LOG_INFO, "mcp", "MCP servers have been connected", LOG_N("servers", (int64_t)all),
        LOG_N("ready", (int64_t)ready), LOG_N("tools", (int64_t)f->names.count));
    if (f->opts.on_tried)
        f->opts.on_tried(f, f->opts.ctx);
}

static void check_tried(struct mcp_upstreams *f)
{
    if (!f->untried && !f->told_tried)
        loop_post(f->world.rpc->loop, &f->tried);
}

/* ---- events of upstreams ------------------------------------------------------------------- */

static void on_tools(struct upstream *u)
{
    rebuild(u->owner);
}

static void on_tried(struct upstream *u)
{
    struct mcp_upstreams *f = u->owner;

    f->untried--;
    check_tried(f);
}

static void end_if_empty(struct mcp_upstreams *f)
{
    void (*done)(void *ctx) = f->done;
    void *ctx = f->done_ctx;

    if (!f->closing || f->leaving)
        return;
    assert(!f->first && !f->views);
    loop_unpost(f->world.rpc->loop, &f->tried);
    arena_fini(&f->names_mem);
    arena_fini(&f->mem);
    mem_free(f);
    if (done)
        done(ctx);
}

/* Without servers, the close also completes from the loop. */
static void on_empty(struct post *post)
{
    end_if_empty(CONTAINER_OF(post, struct mcp_upstreams, tried));
}

static void on_upstream_closed(struct upstream *u)
{
    struct mcp_upstreams *f = u->owner;
    struct upstream *heir = u->heir;

    LIST_UNLINK(f->leaving, u, next);
    upstream_free(u);
    if (heir)
        upstream_start(heir);
    end_if_empty(f);
}

static const struct upstream_events upstream_events = {
    .on_tools = on_tools,
    .on_tried = on_tried,
    .on_closed = on_upstream_closed,
};

/* ---- adding and removing ------------------------------------------------------------------- */

static struct upstream **find(struct mcp_upstreams *f, struct str name)
{
    struct upstream **at = &f->first;

    while (*at && !str_eq(name, str_of((*at)->spec.name)))
        at = &(*at)->next;
    return at;
}

/* The closing upstream of this name. There is at most one, because heirs wait for it. */
static struct upstream *find_leaving(struct mcp_upstreams *f, const char *name)
{
    for (struct upstream *u = f->leaving; u; u = u->next)
        if (u->state == UP_CLOSING && str_eq(str_of(name), str_of(u->spec.name)))
            return u;
    return NULL;
}

/* Insert a new upstream at a position in the list. */
static struct upstream *put_in(struct mcp_upstreams *f, struct upstream **at,
                               const struct server_spec *spec)
{
    struct upstream *u = upstream_new(&f->world, spec, &upstream_events, f);
    struct upstream *before = find_leaving(f, spec->name);

    u->always = f->opts.always;
    u->cache = f->opts.cache;
    u->pins = f->opts.pins;
    u->next = *at;
    *at = u;
    if (u->state == UP_STOPPED)
        f->untried++;
    else
        u->tried = true;
    if (u->state != UP_STOPPED)
        LOG(LOG_INFO, "mcp", "server is not started", LOG_Z("server", spec->name),
            LOG_Z("because", upstream_state_name(u->state)));
    upstream_take_kept(u);
    if (before)
        before->heir = u;
    else
        upstream_start(u);
    return u;
}

static void forget_heir(struct mcp_upstreams *f, const struct upstream *heir)
{
    for (struct upstream *u = f->leaving; u; u = u->next)
        if (u->heir == heir)
            u->heir = NULL;
}

static void take_out(struct mcp_upstreams *f, struct upstream **at)
{
    struct upstream *u = *at;

    *at = u->next;
    forget_heir(f, u);
    if (!u->tried) {
        u->tried = true;
        on_tried(u);
    }
    u->next = f->leaving;
    f->leaving = u;
    upstream_drop_tools(u);
    upstream_close(u);
}

/* ---- the public side ----------------------------------------------------------------------- */

struct mcp_upstreams *mcp_upstreams_new(const struct mcp_upstreams_opts *o)
{
    struct mcp_upstreams *f = MEM_NEW(struct mcp_upstreams);
    struct str *reserved = ARENA_ARRAY(&f->mem, struct str, o->reserveds);

    for (size_t i = 0; i < o->reserveds; i++)
        reserved[i] = arena_str(&f->mem, o->reserved[i]);
    f->world = *o->world;
    f->opts = *o;
    f->opts.reserved = reserved;
    f->tried.fn = on_all_tried;
    return f;
}

/* The specs of the current list. */
static size_t list_specs(struct mcp_upstreams *f, struct arena *mem, struct server_spec **out)
{
    size_t n = 0;

    EACH_UPSTREAM(f, u)
    n++;
    *out = ARENA_ARRAY(mem, struct server_spec, n);
    n = 0;
    EACH_UPSTREAM(f, u)
    (*out)[n++] = u->spec;
    return n;
}

static void remove_what_went(struct mcp_upstreams *f, const struct server_diff *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (row[i].change == SERVER_REMOVED || row[i].change == SERVER_CHANGED)
            take_out(f, find(f, str_of(row[i].was->name)));
}

/* Reorder the list like `spec`, and create missing upstreams. True: the order has changed. */
static bool arrange(struct mcp_upstreams *f, const struct server_spec *spec, size_t specs)
{
    struct upstream **at = &f->first;
    bool moved = false;

    for (size_t i = 0; i < specs; i++, at = &(*at)->next) {
        struct upstream **from = find(f, str_of(spec[i].name));
        struct upstream *u = *from;

        if (!u) {
            put_in(f, at, &spec[i]);
            continue;
        }
        moved |= from != at;
        *from = u->next;
        u->next = *at;
        *at = u;
    }
    return moved;
}

void mcp_upstreams_set(struct mcp_upstreams *f, const struct server_spec *spec, size_t specs)
{
    struct arena mem = { 0 };
    struct server_spec *was;
    struct server_diff *row;
    size_t rows;

    if (f->closing)
        return;
    rows = list_specs(f, &mem, &was);
    rows = server_specs_diff(&mem, was, rows, spec, specs, &row);
    remove_what_went(f, row, rows);
    arena_fini(&mem);
    if (arrange(f, spec, specs))
        rebuild(f);
    check_tried(f);
}

void mcp_upstreams_add(struct mcp_upstreams *f, const struct server_spec *spec)
{
    struct upstream **at = find(f, str_of(spec->name));

    if (f->closing)
        return;
    if (*at)
        take_out(f, at);
    f->told_tried = false;
    put_in(f, at, spec);
    check_tried(f);
}

bool mcp_upstreams_remove(struct mcp_upstreams *f, struct str name)
{
    struct upstream **at = find(f, name);

    if (!*at)
        return false;
    take_out(f, at);
    return true;
}

void mcp_upstreams_check_pins(struct mcp_upstreams *f)
{
    EACH_UPSTREAM(f, u)
    upstream_check_pins(u);
}

void mcp_upstreams_close(struct mcp_upstreams *f, void (*done)(void *ctx), void *ctx)
{
    if (f->closing)
        return;
    f->closing = true;
    f->done = done;
    f->done_ctx = ctx;
    while (f->first)
        take_out(f, &f->first);
    f->tried.fn = on_empty;
    loop_post(f->world.rpc->loop, &f->tried);
}

const struct upstream *mcp_upstreams_next(const struct mcp_upstreams *f, const struct upstream *u)
{
    return u ? u->next : f->first;
}

const struct upstream *mcp_upstreams_find(const struct mcp_upstreams *f, struct str name)
{
    EACH_UPSTREAM(f, u)
    if (str_eq(name, str_of(u->spec.name)))
        return u;
    return NULL;
}

const struct tool_names *mcp_upstreams_names(const struct mcp_upstreams *f)
{
    return &f->names;
}
