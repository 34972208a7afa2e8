#include "runtime/service_view.h"

#include "base/mem.h"
#include "runtime/service.h"
#include "tool/tools.h"

#include <assert.h>

static const char *const scope_names[SCOPES] = {
    [SCOPE_ALL] = "all",
    [SCOPE_TOOLS] = "tools",
    [SCOPE_AGENTS] = "agents",
};

bool service_scope_named(struct str word, enum service_scope *out)
{
    for (size_t i = 0; i < ARRAY_LEN(scope_names); i++)
        if (str_eq(word, str_of(scope_names[i]))) {
            *out = (enum service_scope)i;
            return true;
        }
    return false;
}

const char *service_scope_name(enum service_scope scope)
{
    return scope_names[scope];
}

bool tool_is_about_agents(const struct tool *t)
{
    static const struct tool *const about_agents[] = {
        &tool_list_agents,     &tool_agent_send,  &tool_dispatch_agent,
        &tool_get_task_status, &tool_cancel_task,
    };

    for (size_t i = 0; i < ARRAY_LEN(about_agents); i++)
        if (str_eq(str_of(t->name), str_of(about_agents[i]->name)))
            return true;
    return false;
}

/* ---- sources of the views ------------------------------------------------------------------ */

/* List the built-in tools about agents that the service exposes. */
static void list_about_agents(struct service *s)
{
    struct offer_source *to = &s->about_agents;
    const struct tool **list = mem_alloc((s->builtin.tools + 1) * sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; i < s->builtin.tools; i++)
        if (tool_is_about_agents(s->builtin.tool[i]))
            list[n++] = s->builtin.tool[i];
    if (n != to->tools || (n && memcmp(list, to->tool, n * sizeof(*list)) != 0))
        offer_source_changed(to, OFFER_TOOLS);
    to->tool = list;
    to->tools = n;
    mem_free(s->about_agents_list);
    s->about_agents_list = list;
}

/* Add the tools of servers to the view, once the upstreams are open. */
static void view_servers(struct service *s, struct service_view *f)
{
    if (f->viewing || !s->upstreams.upstreams)
        return;
    offer_join(&f->offer, &s->upstreams.view.source);
    f->viewing = true;
}

static void open_view(struct service *s, struct service_view *f, enum service_scope scope)
{
    offer_init(&f->offer, &s->offer.host, s->offer.parts);
    f->offer.readiness = s->offer.readiness;
    f->offer.listing = s->offer.listing;
    if (scope == SCOPE_AGENTS)
        list_about_agents(s);
    offer_join(&f->offer, scope == SCOPE_AGENTS ? &s->about_agents : &s->builtin);
    offer_join(&f->offer, &s->servers.source);
    if (scope == SCOPE_AGENTS) {
        offer_join(&f->offer, &s->clients);
        offer_join(&f->offer, &s->agents.source);
    } else {
        view_servers(s, f);
    }
    f->server = (struct mcp_server){
        .rpc = &s->rpc,
        .offer = &f->offer,
        .name = s->mcp.name,
        .version = s->mcp.version,
        .instructions = s->mcp.instructions,
    };
    memcpy(f->server.scope, s->mcp.scope, sizeof(f->server.scope));
    f->open = true;
}

struct mcp_server *service_scoped(struct service *s, enum service_scope scope)
{
    struct service_view *f = &s->view[scope];

    if (scope == s->scope)
        return &s->mcp;
    assert(s->scope == SCOPE_ALL);
    if (!f->open)
        open_view(s, f, scope);
    return &f->server;
}

/* ---- for the service ----------------------------------------------------------------------- */

void service_views_use(struct service *s)
{
    if (s->view[SCOPE_AGENTS].open)
        list_about_agents(s);
    if (s->view[SCOPE_TOOLS].open)
        view_servers(s, &s->view[SCOPE_TOOLS]);
}

void service_views_leave_servers(struct service *s)
{
    struct service_view *f = &s->view[SCOPE_TOOLS];

    if (f->viewing)
        offer_leave(&f->offer, &s->upstreams.view.source);
    f->viewing = false;
}

void service_views_end(struct service *s)
{
    for (size_t i = 0; i < SCOPES; i++)
        if (s->view[i].open)
            mcp_server_end(&s->view[i].server);
}

void service_views_fini(struct service *s)
{
    for (size_t i = 0; i < SCOPES; i++)
        if (s->view[i].open)
            offer_fini(&s->view[i].offer);
    mem_free(s->about_agents_list);
}
