#include "runtime/service.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "base/version.h"
#include "core/tool/exposure.h"
#include "core/tool/linked_results.h"
#include "proto/a2a/server/a2a_webhook.h"
#include "runtime/sandbox_hidden.h"
#include "runtime/service_a2a.h"
#include "store/store.h"
#include "tool/tools.h"
#include "web/api_events.h"
#include "wire/http1_parse.h"

#include <fcntl.h>
#include <unistd.h>

static const struct config nothing_said = { .sandbox.standard = SANDBOX_WORKSPACE };

/* Tells the model of an MCP client when to use which tool. */
static const char instructions[] =
    "This server runs the agents of this project. Call trefoil_agent_NAME (or agent_send) if you "
    "need the answer now: the call blocks until the agent has answered, which may take minutes. "
    "Call dispatch_agent for long or parallel work: it returns a taskId at once; then call "
    "get_task_status with wait until the task has ended. An agent does not see your conversation: "
    "put everything that it needs into the message. Pass session_id to continue a conversation. If "
    "a task is "
    "input_required, show the questions in `asks` to the user and pass the user's decision to "
    "answer_task, or let the user run `trefoil approvals`; never decide for the user. If "
    "`mode_reason` explains why an agent is read-only, tell the user which setting changes that.";

/* Return the service that contains *up. up->ctx cannot be used, because a verb may have set it. */
static struct service *of_upstreams(struct upstreams *up)
{
    return CONTAINER_OF(up, struct service, upstreams);
}

static void end_readiness(struct service *s)
{
    timer_clear(s->loop, &s->listing_late);
    readiness_end(&s->listing);
    readiness_end(&s->readiness);
}

static void on_tried(struct upstreams *up)
{
    end_readiness(of_upstreams(up));
}

static void on_listing_late(struct timer *t)
{
    readiness_end(&CONTAINER_OF(t, struct service, listing_late)->listing);
}

static void expect(struct service *s)
{
    s->readiness.open = true;
    s->listing.open = true;
}

static void on_servers_changed(struct upstreams *up)
{
    struct service *s = of_upstreams(up);

    offer_source_updated(&s->servers.source, STR(SERVERS_URI));
    events_api_changed(&s->web, EVENTS_SERVERS);
}

/*
 * The skills have changed, and so has the description of the tool that loads them, because it lists
 * them.
 */
static void on_skills_changed(void *ctx)
{
    struct service *s = ctx;

    service_expose(s, s->config);
    offer_source_changed(&s->builtin, OFFER_TOOLS);
    events_api_changed(&s->web, EVENTS_SKILLS);
    if (s->on_skills)
        s->on_skills(s->on_skills_ctx);
}

static struct http_client *http_of_tools(void *ctx)
{
    struct service *s = ctx;

    return s->world.closing ? NULL : tool_resources_http(&s->world);
}

static void open_a2a_tools(struct service *s)
{
    s->a2a_tools = (struct a2a_tools){ .loop = s->loop,
                                       .limits = s->limits,
                                       .user_agent = TREFOIL_NAME " A2A",
                                       .policy = &s->world.outside,
                                       .http = http_of_tools,
                                       .http_ctx = s };
    a2a_tools_init(&s->a2a_tools);
}

bool service_open(struct service *s, struct loop *loop, const struct limits *limits,
                  const char *root, struct err *e)
{
    int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root_fd < 0)
        return fail_sys(e, "open root folder %s", root);
    *s = (struct service){ .loop = loop, .limits = limits };
    s->web = (struct web){ .loop = loop,
                           .limits = limits,
                           .guard = &s->guard,
                           .upstreams = &s->upstreams.upstreams,
                           .clients = &s->sessions,
                           .started = loop_now(loop) };
    s->config = &nothing_said;
    guard_init(&s->guard, limits);
    s->sandbox = (struct sandbox_policy){ .standard = SANDBOX_WORKSPACE,
                                          .hidden = sandbox_hidden(&s->sandbox_mem, root) };
    skill_registry_open(&s->skills, loop, limits, root);
    s->skills.on_changed = on_skills_changed;
    s->skills.ctx = s;
    offer_init(&s->offer,
               &(struct host){ .guard = &s->guard,
                               .loop = loop,
                               .limits = limits,
                               .root_fd = root_fd,
                               .root = root,
                               .world = &s->world,
                               .context = &s->web.agents,
                               .skills = &s->skills.list,
                               .traces = &s->traces,
                               .kept = kept_results_new(loop, limits),
                               .sandbox = &s->sandbox,
                               .on_closed = tool_resources_end_host },
               1u << OFFER_TOOLS | 1u << OFFER_RESOURCES);
    offer_join(&s->offer, &s->builtin);
    offer_join(&s->offer, &s->clients);
    servers_resource_init(&s->servers, &s->upstreams);
    offer_join(&s->offer, &s->servers.source);
    s->web.agents.coming = &s->web.opening;
    agent_tools_init(&s->agents, &s->web.agents);
    s->offer.readiness = &s->readiness;
    s->offer.listing = &s->listing;
    rpc_init(&s->rpc, loop, limits);
    mcp_sessions_init(&s->sessions, loop, limits);
    s->mcp = (struct mcp_server){
        .rpc = &s->rpc,
        .offer = &s->offer,
        .name = TREFOIL_NAME,
        .version = trefoil_version,
    };
    for (size_t i = 0; i < ORIGINS; i++)
        s->mcp.scope[i] = guard_face(&s->guard, (enum origin)i);
    upstreams_init(&s->upstreams, &s->offer, &s->rpc);
    s->upstreams.on_tried = on_tried;
    s->upstreams.on_changed = on_servers_changed;
    s->world = (struct tool_resources){
        .loop = loop,
        .limits = limits,
        .procs = &s->upstreams.procs,
        .environ = (const char *const *)environ,
        .user_agent = TREFOIL_NAME,
    };
    open_a2a_tools(s);
    service_a2a_init(s);
    service_expose(s, &nothing_said);
    return true;
}

static void use_scope(struct guard_scope *to, const struct guard_scope *said)
{
    to->mode = said->mode;
    to->taint = said->taint;
    to->secrets = said->secrets;
    memcpy(to->permission, said->permission, sizeof(to->permission));
}

/*
 * Set the scope of clients of this origin. In a read-only scope, neither a client nor an agent that
 * works for it can change, run or fetch something.
 */
static void use_endpoint(struct guard_scope *to, const struct config *c, enum origin origin)
{
    use_scope(to, &c->mcp);
    to->expose = c->expose_tools;
    to->hidden = c->private_tools;
    to->only_looks = endpoint_is_read_only(c->mode, origin);
    to->mode = to->only_looks ? AGENT_READ_ONLY : AGENT_READ_WRITE;
    if (to->only_looks)
        to->permission[TOOL_FETCH] = PERMISSION_DENY;
}

/* Return the port of an address such as "127.0.0.1:8733"; 0 for a Unix socket. */
static uint16_t port_of(struct str address)
{
    struct str host, text;
    uint64_t port;

    return address.n && http1_authority(address, &host, &text) && str_uint(text, 0, 65535, &port)
               ? (uint16_t)port
               : 0;
}

static void use_reach(struct service *s, const struct config *c)
{
    s->own_port[0] = port_of(c->listen);
    s->world.outside = (struct address_policy){ .range = c->reachable.v,
                                                .ranges = c->reachable.n,
                                                .own_port = s->own_port,
                                                .own_ports = ARRAY_LEN(s->own_port) };
}

static void use_sandbox(struct sandbox_policy *to, const struct config *c)
{
    to->standard = c->sandbox.standard;
    to->best_effort = c->sandbox.best_effort;
    to->connect = c->sandbox.connect;
    to->connects = c->sandbox.connects;
    to->read_only = c->guard.mode == AGENT_READ_ONLY;
}

void service_use_guard(struct service *s, const struct config *c)
{
    use_reach(s, c);
    service_secrets_use(&s->secrets, c);
    s->guard.own_secrets = &s->secrets.set;
    use_scope(&s->guard.own, &c->guard);
    s->guard.own.rules = c->guard.rules;
    s->guard.own.readonly_shell = c->guard.readonly_shell;
    use_sandbox(&s->sandbox, c);
    for (size_t i = 0; i < ORIGINS; i++)
        if (origin_rows[i].is_client)
            use_endpoint(&s->guard.face[i], c, (enum origin)i);
}

void service_use_address(struct service *s, struct str address)
{
    s->own_port[1] = port_of(address);
}

static bool in_scope(const struct service *s, const struct tool *t)
{
    return s->scope != SCOPE_AGENTS || tool_is_about_agents(t);
}

void service_agents_changed(struct service *s)
{
    struct err e;

    if (agent_tools_refresh(&s->agents, s->config) && !s->listing.open)
        offer_source_changed(&s->builtin,
                             OFFER_TOOLS); /* the schemas of tools list the names of agents */
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        agent_scope_reload(a, &e); /* an agent that no longer exists offers nothing */
    events_api_changed(&s->web, EVENTS_AGENTS);
    s->a2a.changed = loop_wall(s->loop);
}

/*
 * Is the tool not private, and allowed by the mode of at least one origin? guard_offers checks the
 * rest for each client.
 */
static bool is_exposed(const struct config *c, const struct tool *t)
{
    return (c->mode != ENDPOINT_READ_ONLY || tool_kind_only_looks(t->kind)) &&
           tool_exposed_by_kernel(&c->expose_tools, &c->private_tools, tool_called_of(t));
}

static void use_list(struct offer_source *to, const struct tool ***kept, const struct tool **list,
                     size_t n)
{
    if (n != to->tools || (n && memcmp(list, to->tool, n * sizeof(*list)) != 0))
        offer_source_changed(to, OFFER_TOOLS);
    to->tool = list;
    to->tools = n;
    mem_free(*kept);
    *kept = list;
}

/* Offer the tools that only clients have. They are about agents, so SCOPE_TOOLS omits them. */
static void expose_to_clients(struct service *s, const struct config *c)
{
    const struct tool **list = mem_alloc(client_tool_count * sizeof(*list));
    size_t n = 0;

    for (size_t i = 0; i < client_tool_count && s->scope != SCOPE_TOOLS; i++)
        if (is_exposed(c, client_tools[i]))
            list[n++] = client_tools[i];
    use_list(&s->clients, &s->clients_list, list, n);
}

void service_expose(struct service *s, const struct config *c)
{
    const struct tool **list = mem_alloc(builtin_tool_count * sizeof(*list));
    size_t n = 0;

    service_use_guard(s, c);
    service_a2a_use(s, c);
    s->offer.host.remotes = c->a2a.on ? &s->a2a_tools.port : NULL;
    for (size_t i = 0; i < builtin_tool_count; i++) {
        const struct tool *t = agent_tools_named(&s->agents, builtin_tools[i]);

        t = skill_registry_tool(&s->skills, t);
        if (builtin_needs_a2a(builtin_tools[i]) && !c->a2a.on)
            continue;
        if (t && in_scope(s, builtin_tools[i]) && is_exposed(c, t))
            list[n++] = t;
    }
    use_list(&s->builtin, &s->exposed, list, n);
    expose_to_clients(s, c);
    s->config = c;
    s->upstreams.withheld = s->scope == SCOPE_AGENTS;
    agent_tools_refresh(&s->agents, c);
    service_views_use(s);
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        agent_scope_use(a, c, s->upstreams.upstreams);
}

void service_use_locks(struct service *s, struct lock_table *locks)
{
    s->offer.host.locks = locks;
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        a->offer.host.locks = locks;
}

void service_use(struct service *s, const struct config *config)
{
    upstreams_use(&s->upstreams, config);
    service_expose(s, config);
    if (s->listing.open) /* without tools of servers in the list, nothing waits for the servers */
        timer_set(s->loop, &s->listing_late, s->upstreams.withheld ? 0 : s->limits->list_ms,
                  on_listing_late);
}

void service_expect_servers(struct service *s, const struct config *config)
{
    for (size_t i = 0; i < config->servers.n; i++)
        if (config->servers.v[i].enabled && config->servers.v[i].trusted)
            expect(s);
}

void service_expect_agents(struct service *s)
{
    s->web.opening.open = true;
    s->mcp.instructions = instructions;
    expect(s); /* lists must wait, because schemas list the names of agents */
    if (s->scope != SCOPE_TOOLS)
        offer_join(&s->offer, &s->agents.source);
}

void service_use_agents(struct service *s, const struct agent_context *context)
{
    static const struct agent_context nobody;
    const struct agent_context *from = context ? context : &nobody;

    if (!context)
        a2a_webhooks_stop(&s->a2a);
    s->web.agents.registry = from->registry;
    s->web.agents.world = from->world;
    s->web.agents.tasks = from->tasks;
    s->web.agents.locks = from->locks;
    events_api_agents_opened(&s->web);
    service_agents_changed(s);
    readiness_end(&s->web.opening);
    if (s->web.http && s->a2a_setup.enabled)
        a2a_webhooks_resume(&s->a2a);
}

static void on_audit_closed(void *ctx)
{
    struct service *s = ctx;

    s->left(s->left_ctx, s->left_in_time);
}

/* A part has closed. After the last part, write the rest of the audit log. */
static void on_left(void *ctx, bool in_time)
{
    struct service *s = ctx;

    s->left_in_time &= in_time;
    if (--s->leaving)
        return;
    if (s->guard.audit)
        audit_log_close(&s->audit, on_audit_closed, s);
    else
        on_audit_closed(s);
}

void service_watch(struct service *s)
{
    skill_registry_watch(&s->skills);
}

static void on_unwatched(void *ctx)
{
    on_left(ctx, true);
}

void service_leave_servers(struct service *s, void (*done)(void *ctx, bool in_time), void *ctx)
{
    end_readiness(s);
    readiness_end(&s->web.opening);
    for (struct agent_scope *a = s->scopes; a; a = a->next)
        agent_scope_leave_upstreams(a);
    service_views_leave_servers(s);
    s->left = done;
    s->left_ctx = ctx;
    s->left_in_time = true;
    s->leaving = 2 + (s->skills.watch != NULL);
    if (s->skills.watch)
        skill_registry_unwatch(&s->skills, on_unwatched, s);
    tool_resources_close(&s->world, on_left, s);
    upstreams_close(&s->upstreams, on_left, s);
}

void service_use_state(struct service *s, struct state_port *state)
{
    s->offer.host.state = state;
    if (!state)
        return;
    answer_file_init(&s->answers, state);
    s->guard.answers = &s->answers.port;
}

void service_open_audit(struct service *s, const struct config *c)
{
    if (c->no_audit || !s->offer.host.state)
        return;
    audit_log_init(&s->audit, s->loop, s->limits, s->offer.host.state);
    s->guard.audit = &s->audit.sink;
}

struct agent_scope *service_agent(struct service *s, struct str name, struct err *e)
{
    struct agent_scope *a = s->scopes;

    while (a && !str_eq(name, str_of(a->name)))
        a = a->next;
    if (a)
        return a->gone && !agent_scope_reload(a, e) ? NULL : a;
    a = agent_scope_new(name, &s->offer.host, &s->rpc, &s->sessions, s->config, e);
    if (!a)
        return NULL;
    a->offer.readiness = &s->readiness;
    a->offer.listing = &s->listing;
    agent_scope_use(a, s->config, s->upstreams.upstreams);
    a->next = s->scopes;
    s->scopes = a;
    return a;
}

void service_close(struct service *s)
{
    while (s->scopes) {
        struct agent_scope *a = s->scopes;

        s->scopes = a->next;
        agent_scope_free(a);
    }
    close(s->offer.host.root_fd);
    if (s->guard.audit)
        audit_log_fini(&s->audit);
    guard_fini(&s->guard);
    arena_fini(&s->sandbox_mem);
    arena_fini(&s->routes);
    service_secrets_fini(&s->secrets);
    service_views_fini(s);
    kept_results_free(s->offer.host.kept);
    offer_fini(&s->offer);
    agent_tools_fini(&s->agents);
    skill_registry_fini(&s->skills);
    events_api_fini(&s->web.events);
    mem_free(s->exposed);
    mem_free(s->clients_list);
    rpc_fini(&s->rpc);
}
