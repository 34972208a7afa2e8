#include "app/agent_scope.h"

#include "app/agents.h"
#include "app/app.h"
#include "base/auto.h"
#include "base/mem.h"
#include "core/skill.h"
#include "tool/tools.h"

/* What it exports stands in its definition. */
static bool read_definition(struct agent_scope *a, const struct host *host,
                            const struct config *config, struct err *e)
{
    struct agent_list all;
    const struct agent_def *def;

    agents_load(&a->mem, host->root, config, NULL, &all);
    if (!agents_find(&all, str_of(a->name), &def, e))
        return false;
    a->server.name = def->title;
    a->expose = def->expose;
    for (size_t i = 0; i < a->expose.n; i++) /* tools are published as listed, as C strings */
        a->expose.v[i] = arena_str(&a->mem, a->expose.v[i]);
    a->hidden = def->hidden;
    return true;
}

/* ---- what it exports --------------------------------------------------------------------- */

static bool exports(const struct agent_scope *a, struct tool_called called)
{
    const struct pick_strs all = { 0 };

    return tool_exposed_by_agent(&a->expose, &a->hidden, called) &&
           tool_exposed_by_kernel(&all, &a->config->private_tools, called);
}

/* Skills can only be loaded where there are some. */
static bool is_of_use(const struct agent_scope *a, const struct tool *t)
{
    return t != &tool_skill || (a->offer.host.skills && a->offer.host.skills->n);
}

static void export_builtin(struct agent_scope *a)
{
    size_t n = 0;

    for (size_t i = 0; i < builtin_tool_count; i++)
        if (is_of_use(a, builtin_tools[i]) &&
            tool_kind_in_mode(builtin_tools[i]->kind, a->config->mode) &&
            exports(a, (struct tool_called){ .name = str_of(builtin_tools[i]->name) }))
            a->list[n++] = builtin_tools[i];
    a->builtin.tool = a->list;
    if (n != a->builtin.tools)
        offer_source_changed(&a->builtin, OFFER_TOOLS);
    a->builtin.tools = n;
}

/* As its file lists it. */
static const char *exported_as(void *who, const struct upstream_tool *t)
{
    const struct agent_scope *a = who;
    AUTO_ARENA mem = { 0 };
    struct tool_called called = upstream_tool_called(&mem, t);

    if (!exports(a, called))
        return NULL;
    for (size_t i = 0; i < a->expose.n; i++)
        if (str_eq(a->expose.v[i], called.alias))
            return a->expose.v[i].p;
    return t->tool.name;
}

/* The same lists once more, for the guard: expose_tools of [mcp] are not about agents. */
static void limit_clients(struct agent_scope *a)
{
    const struct guard *g = a->offer.host.guard;

    if (!g)
        return;
    if (!a->scope.name)
        a->scope.name = arena_printf(&a->mem, "the agent %s", a->name).p;
    a->endpoint = g->mcp;
    a->endpoint.expose = (struct pick_strs){ 0 };
    a->scope = (struct guard_scope){ .name = a->scope.name,
                                     .parent = &a->endpoint,
                                     .expose = a->expose,
                                     .hidden = a->hidden,
                                     .expose_listed = true };
    a->server.scope = &a->scope;
}

void agent_scope_use(struct agent_scope *a, const struct config *config, struct mcp_fleet *fleet)
{
    a->config = config;
    limit_clients(a);
    export_builtin(a);
    if (a->viewing) {
        mcp_fleet_view_refresh(&a->view);
    } else if (fleet) {
        mcp_fleet_view_open(&a->view, fleet, exported_as, a);
        offer_join(&a->offer, &a->view.source);
        a->viewing = true;
    }
}

void agent_scope_leave_fleet(struct agent_scope *a)
{
    if (!a->viewing)
        return;
    offer_leave(&a->offer, &a->view.source);
    mcp_fleet_view_close(&a->view);
    a->viewing = false;
}

/* ---- life -------------------------------------------------------------------------------- */

struct agent_scope *agent_scope_new(struct str name, const struct host *host, struct rpc *rpc,
                                    const struct config *config, struct err *e)
{
    struct agent_scope *a;

    if (!agent_name_valid(name)) {
        fail(e, ERR_NOT_FOUND, "%s", agent_name_rule);
        return NULL;
    }
    a = MEM_NEW(struct agent_scope);
    a->name = arena_cstr(&a->mem, name);
    if (!read_definition(a, host, config, e)) {
        arena_fini(&a->mem);
        mem_free(a);
        return NULL;
    }
    a->config = config;
    a->list = mem_alloc(builtin_tool_count * sizeof(*a->list));
    offer_init(&a->offer, host, 1u << OFFER_TOOLS);
    offer_join(&a->offer, &a->builtin);
    export_builtin(a);
    a->server.rpc = rpc;
    a->server.offer = &a->offer;
    a->server.version = trefoil_version;
    mcp_http_init(&a->http, &a->server);
    return a;
}

void agent_scope_free(struct agent_scope *a)
{
    struct arena mem = a->mem;

    offer_fini(&a->offer);
    mem_free(a->list);
    mem_free(a);
    arena_fini(&mem);
}
