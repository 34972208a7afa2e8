#include "runtime/agent_server.h"

#include "base/auto.h"
#include "base/mem.h"
#include "base/version.h"
#include "config/agent_files.h"
#include "core/agent/skill.h"
#include "runtime/agent_tools.h"
#include "tool/tools.h"

/* ---- the definition ---------------------------------------------------------------------- */

static struct pick_strs copy_strs(struct arena *mem, const struct pick_strs *from)
{
    struct pick_strs to = *from;

    to.v = ARENA_ARRAY(mem, struct str, from->n);
    /* the copies are C strings, because tools are published under the listed names */
    for (size_t i = 0; i < from->n; i++)
        to.v[i] = arena_str(mem, from->v[i]);
    return to;
}

/* Read the definitions of all agents, and keep the needed members of this agent's definition. */
static bool read_definition(struct agent_scope *a, struct arena *mem, struct err *e)
{
    AUTO_ARENA all_mem = { 0 };
    struct agent_list all;
    const struct agent_def *def;

    agents_load(&all_mem, a->offer.host.root, a->config, NULL, &all);
    if (!agents_find(&all, str_of(a->name), &def, e))
        return false;
    a->expose = copy_strs(mem, &def->expose);
    a->trusted = def->trusted;
    a->hidden = copy_strs(mem, &def->hidden);
    a->card = (struct agent_card){ .name = a->name,
                                   .title = arena_cstr(mem, str_of(def->title)),
                                   .description = arena_str(mem, def->description),
                                   .mode = agent_def_mode(def),
                                   .tier = agent_tier_name(agent_def_tier(def)) };
    return true;
}

/* The agent no longer exists: offer nothing. */
static void forget_definition(struct agent_scope *a)
{
    a->gone = true;
    a->expose = (struct pick_strs){ .set = true };
    a->hidden = (struct pick_strs){ 0 };
}

/* ---- the card ------------------------------------------------------------------------------ */

/*
 * Read the resource: the card, and the names of the exported tools. The system prompt is not
 * included, because it is not for clients.
 */
static void read_card(struct call *call)
{
    const struct agent_scope *a = call->ctx;
    const struct tool *t;
    struct buf text;
    struct jw w = jw_to(&text);

    buf_init_in(&text, call->mem, (size_t)call->host->limits->message_bytes);
    jw_object(&w);
    jw_plain_key(&w, STR("card"));
    agent_card_write(&w, &a->card, call);
    jw_plain_key(&w, STR("tools"));
    jw_array(&w);
    for (size_t i = 0; (t = offer_tool_at(&a->offer, i)); i++)
        if (!t->withheld && guard_offers(call->caller->scope, t))
            jw_str(&w, str_of(t->name));
    jw_array_end(&w);
    jw_object_end(&w);
    call_json_content(call, &text);
}

static void show_card(struct agent_scope *a, struct arena *mem)
{
    const struct agent_card *c = &a->card;

    a->resource = (struct resource){
        .uri = a->uri,
        .name = a->name,
        .title = c->title ? c->title : a->name,
        .description = arena_cstr(mem, c->description),
        .mime_type = "application/json",
        .ctx = a,
        .read = read_card,
    };
    a->resources[0] = &a->resource;
    a->about.resource = a->resources;
    a->about.resources = a->gone ? 0 : 1;
}

/* ---- exported tools ---------------------------------------------------------------------- */

static bool exports(const struct agent_scope *a, struct tool_called called)
{
    const struct pick_strs all = { 0 };

    return tool_exposed_by_agent(&a->expose, &a->hidden, called) &&
           tool_exposed_by_kernel(a->trusted ? &all : &a->config->expose_tools,
                                  &a->config->private_tools, called);
}

/* Is the tool useful? The tool `skill` is useful only if there are skills. */
static bool is_of_use(const struct agent_scope *a, const struct tool *t)
{
    return t != &tool_skill || (a->offer.host.skills && a->offer.host.skills->n);
}

static void export_builtin(struct agent_scope *a)
{
    const struct tool **list = mem_alloc(builtin_tool_count * sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; i < builtin_tool_count; i++)
        if (is_of_use(a, builtin_tools[i]) &&
            (a->config->mode != ENDPOINT_READ_ONLY ||
             tool_kind_only_looks(builtin_tools[i]->kind)) &&
            exports(a, tool_called_of(builtin_tools[i])))
            list[n++] = builtin_tools[i];
    if (n != a->builtin.tools || (n && memcmp(list, a->list, n * sizeof(*list)) != 0))
        offer_source_changed(&a->builtin, OFFER_TOOLS);
    mem_free(a->list);
    a->list = list;
    a->builtin.tool = list;
    a->builtin.tools = n;
}

/*
 * Return the name under which the agent exports the tool: the name that the definition lists. NULL:
 * the tool is not exported.
 */
static const char *exported_as(void *ctx, const struct upstream_tool *t)
{
    const struct agent_scope *a = ctx;
    AUTO_ARENA mem = { 0 };
    struct tool_called called = upstream_tool_called(&mem, t);

    if (!exports(a, called))
        return NULL;
    for (size_t i = 0; i < a->expose.n; i++)
        if (str_eq(a->expose.v[i], called.alias))
            return a->expose.v[i].p;
    return t->tool.name;
}

/*
 * Set the guard scopes, which contain the same lists. expose_tools of [mcp] does not restrict a
 * trusted agent.
 */
static void limit(const struct agent_scope *a, const char *name, const struct guard_scope *mcp,
                  struct guard_scope *endpoint, struct guard_scope *scope)
{
    *endpoint = *mcp;
    if (a->trusted)
        endpoint->expose = (struct pick_strs){ 0 };
    *scope = (struct guard_scope){ .name = name,
                                   .parent = endpoint,
                                   .expose = a->expose,
                                   .hidden = a->hidden,
                                   .expose_listed = true };
}

static void limit_clients(struct agent_scope *a)
{
    const struct guard *g = a->offer.host.guard;
    const char *name = a->scope[0].name;

    if (!g)
        return;
    if (!name)
        name = arena_printf(&a->mem, "the agent %s", a->name).p;
    for (size_t i = 0; i < ORIGINS; i++) {
        limit(a, name, guard_face(g, (enum origin)i), &a->endpoint[i], &a->scope[i]);
        a->server.scope[i] = &a->scope[i];
    }
}

void agent_scope_use(struct agent_scope *a, const struct config *config,
                     struct mcp_upstreams *upstreams)
{
    a->config = config;
    limit_clients(a);
    export_builtin(a);
    if (a->viewing) {
        mcp_upstreams_view_refresh(&a->view);
    } else if (upstreams) {
        mcp_upstreams_view_open(&a->view, upstreams, exported_as, a);
        offer_join(&a->offer, &a->view.source);
        a->viewing = true;
    }
}

static bool is_listed_alike(const struct agent_scope *a, const struct resource *before, size_t n)
{
    return n == a->about.resources && str_eq(str_of(before->title), str_of(a->resource.title)) &&
           str_eq(str_of(before->description), str_of(a->resource.description));
}

bool agent_scope_reload(struct agent_scope *a, struct err *e)
{
    struct arena old = a->def_mem;
    struct resource before = a->resource;
    size_t n = a->about.resources;
    struct arena mem = { 0 };

    a->gone = !read_definition(a, &mem, e);
    if (a->gone)
        forget_definition(a);
    a->def_mem = mem;
    a->server.name = a->card.title;
    show_card(a, &a->def_mem);
    limit_clients(a);
    export_builtin(a);
    if (a->viewing)
        mcp_upstreams_view_refresh(&a->view);
    if (!is_listed_alike(a, &before, n))
        offer_source_changed(&a->about, OFFER_RESOURCES);
    offer_source_updated(&a->about, str_of(a->uri));
    arena_fini(&old);
    return !a->gone;
}

void agent_scope_leave_upstreams(struct agent_scope *a)
{
    if (!a->viewing)
        return;
    offer_leave(&a->offer, &a->view.source);
    mcp_upstreams_view_close(&a->view);
    a->viewing = false;
}

/* ---- opening and closing ----------------------------------------------------------------- */

struct agent_scope *agent_scope_new(struct str name, const struct host *host, struct rpc *rpc,
                                    struct mcp_sessions *sessions, const struct config *config,
                                    struct err *e)
{
    struct agent_scope *a;

    if (!agent_name_valid(name)) {
        fail(e, ERR_NOT_FOUND, "%s", agent_name_rule);
        return NULL;
    }
    a = MEM_NEW(struct agent_scope);
    a->name = arena_cstr(&a->mem, name);
    a->uri = arena_printf(&a->mem, AGENTS_URI "%s", a->name).p;
    a->config = config;
    offer_init(&a->offer, host, 1u << OFFER_TOOLS | 1u << OFFER_RESOURCES);
    offer_join(&a->offer, &a->builtin);
    offer_join(&a->offer, &a->about);
    a->server.rpc = rpc;
    a->server.offer = &a->offer;
    a->server.version = trefoil_version;
    if (!agent_scope_reload(a, e)) {
        agent_scope_free(a);
        return NULL;
    }
    mcp_http_init(&a->http, &a->server, sessions);
    return a;
}

void agent_scope_free(struct agent_scope *a)
{
    struct arena mem = a->mem;

    offer_fini(&a->offer);
    arena_fini(&a->def_mem);
    mem_free(a->list);
    mem_free(a);
    arena_fini(&mem);
}
