#include "runtime/runtime.h"

#include "base/mem.h"
#include "base/version.h"
#include "core/agent/skill.h"
#include "proto/mcp/client/mcp_sampling.h"
#include "runtime/acp_tools.h"
#include "runtime/service.h"
#include "runtime/session_logs.h"
#include "state/state_dir.h"
#include "store/store.h"
#include "tool/file/undo.h"
#include "tool/tools.h"

/* ---- tools of agents ----------------------------------------------------------------------- */

/* Offer all built-in tools. The tool that loads skills is offered only while there are skills. */
static void offer_builtin(struct runtime *w)
{
    const struct skill_list *skills = w->offer.host.skills;
    size_t n = 0;

    w->offer.host.remotes = w->config->a2a.on ? &w->service->a2a_tools.port : NULL;
    for (size_t i = 0; i < builtin_tool_count; i++)
        if ((builtin_tools[i] != &tool_skill || (skills && skills->n)) &&
            (!builtin_needs_a2a(builtin_tools[i]) || w->config->a2a.on))
            w->list[n++] = agent_tools_named(&w->service->agents, builtin_tools[i]);
    w->builtin.tool = w->list;
    if (n != w->builtin.tools)
        offer_source_changed(&w->builtin, OFFER_TOOLS);
    w->builtin.tools = n;
}

/* The tool that loads skills is another one when the skills are, even if its name stays. */
static void on_skills(void *ctx)
{
    struct runtime *w = ctx;

    offer_builtin(w);
    offer_source_changed(&w->builtin, OFFER_TOOLS);
}

static void view_servers(struct runtime *w)
{
    struct mcp_upstreams *upstreams = w->service->upstreams.upstreams;

    if (w->viewing || !upstreams)
        return;
    mcp_upstreams_view_open(&w->view, upstreams, NULL, NULL);
    offer_join(&w->offer, &w->view.source);
    w->viewing = true;
}

void runtime_leave_servers(struct runtime *w)
{
    if (!w->viewing)
        return;
    offer_leave(&w->offer, &w->view.source);
    mcp_upstreams_view_close(&w->view);
    w->viewing = false;
}

static void open_offer(struct runtime *w)
{
    const struct offer *all = &w->service->offer;

    w->list = mem_alloc(builtin_tool_count * sizeof(*w->list));
    offer_init(&w->offer, &all->host, 1u << OFFER_TOOLS);
    w->offer.host.context = &w->context;
    w->offer.readiness = all->readiness;
    offer_join(&w->offer, &w->builtin);
    offer_builtin(w);
    view_servers(w);
    w->service->on_skills = on_skills;
    w->service->on_skills_ctx = w;
}

/* ---- opening ------------------------------------------------------------------------------- */

static bool open_store(struct runtime *w, struct arena *mem, struct err *e)
{
    struct state_port *state = w->service->offer.host.state;
    const char *folder;

    w->store = w->service->store;
    if (w->store)
        return true;
    if (!state)
        return fail(e, ERR_NOT_FOUND, "there is no state directory");
    folder = state->open(state, e);
    w->store_is_ours =
        folder && store_open(w->service->loop, w->service->limits,
                             arena_printf(mem, "%s/" STATE_DATABASE, folder).p, &w->store, e);
    return w->store_is_ours;
}

/* Open the logs. Without a store, nothing is logged. */
static void open_logs(struct runtime *w)
{
    const struct host *host = &w->service->offer.host;

    if (w->store)
        w->logs = session_logs_new(w->service->loop, w->service->limits, host->root, host->state);
}

/*
 * Open the table of locks. Call this before the offer is initialized, because the offer copies the
 * host of the service.
 */
static void open_locks(struct runtime *w)
{
    struct service *s = w->service;

    w->locks = lock_table_new(s->loop, s->limits, w->store ? store_port(w->store) : NULL,
                              w->config->lock_conflict);
    service_use_locks(s, w->locks);
}

/* Close the table of locks. From now on, calls of clients do not wait for their turn to write. */
static void close_locks(struct runtime *w)
{
    service_use_locks(w->service, NULL);
    lock_table_free(w->locks);
}

/* Set the members of w->world that come from the configuration. */
static void set_world(struct runtime *w)
{
    w->world.durability = w->config->durability;
    w->world.untrusted_users = w->config->untrusted_users;
}

static void on_agents(void *ctx)
{
    struct runtime *w = ctx;

    if (w->serves)
        service_agents_changed(w->service);
    if (w->on_agents)
        w->on_agents(w->on_agents_ctx);
}

/* Open the task engine, if there is a store. */
static void open_tasks(struct runtime *w)
{
    struct service *s = w->service;

    if (!w->store)
        return;
    task_children_init(&w->children, &s->upstreams.procs, s->offer.host.root, w->config);
    w->tasks =
        task_engine_new(&(struct task_engine_opts){ .world = &w->world,
                                                    .registry = agent_registry_port(w->registry),
                                                    .guard = &s->guard,
                                                    .locks = w->locks,
                                                    .isolate = &w->children.port });
}

bool runtime_open(struct runtime *w, struct service *s, struct arena *mem,
                  const struct config *config, bool keep, struct err *e)
{
    *w = (struct runtime){ .service = s, .config = config };
    if (keep && !open_store(w, mem, e))
        return false;
    open_logs(w);
    open_locks(w);
    open_offer(w);
    w->models = models_new(s->loop, config);
    w->acp = (struct acp_world){ .rpc = &s->rpc,
                                 .procs = &s->upstreams.procs,
                                 .tools = &acp_tools,
                                 .environ = (const char *const *)environ,
                                 .name = TREFOIL_NAME,
                                 .version = trefoil_version };
    w->remotes = remote_agents_new(s->loop, s->limits, s->offer.host.root);
    w->registry = agent_registry_new(&(struct agent_registry_opts){ .loop = s->loop,
                                                                    .root = s->offer.host.root,
                                                                    .config = config,
                                                                    .models = w->models,
                                                                    .remotes = w->remotes,
                                                                    .guard = &s->guard,
                                                                    .offer = &w->offer,
                                                                    .acp = &w->acp,
                                                                    .on_changed = on_agents,
                                                                    .ctx = w });
    w->world = (struct session_world){ .loop = s->loop,
                                       .limits = s->limits,
                                       .store = w->store ? store_port(w->store) : NULL,
                                       .undo = &tool_undo_port,
                                       .sampling = &mcp_sampling_codec,
                                       .logs = w->logs,
                                       .open = &w->open };
    set_world(w);
    open_tasks(w);
    w->context = (struct agent_context){ .registry = agent_registry_port(w->registry),
                                         .world = &w->world,
                                         .tasks = w->tasks,
                                         .locks = w->locks };
    return true;
}

static void on_log_grown(void *ctx, size_t bytes)
{
    retention_log_grew(ctx, bytes);
}

static void start_retention(struct runtime *w)
{
    struct service *s = w->service;
    struct state_port *state = s->offer.host.state;
    struct err e;

    if (!w->store)
        return;
    retention_start(&w->retention, s->loop, s->limits, store_port(w->store), s->offer.host.root,
                    state ? state->open(state, &e) : NULL);
    session_logs_meter(w->logs, on_log_grown, &w->retention);
}

void runtime_serve(struct runtime *w)
{
    w->serves = true;
    start_retention(w);
    service_use_agents(w->service, &w->context);
    agent_registry_watch(w->registry);
    if (w->tasks)
        task_engine_recover(w->tasks);
}

void runtime_use(struct runtime *w, const struct config *config)
{
    w->config = config;
    set_world(w);
    lock_table_use(w->locks, config->lock_conflict);
    models_use(w->models, config);
    task_children_use(&w->children, config);
    offer_builtin(w);
    view_servers(w);
    agent_registry_refresh(w->registry, config);
}

/* ---- closing: retention, tasks, their logs, the registry, the models, the store ------------- */

static void on_store_closed(void *ctx)
{
    struct runtime *w = ctx;

    w->closed(w->closed_ctx);
}

static void on_models_closed(void *ctx)
{
    struct runtime *w = ctx;

    w->models = NULL;
    if (w->store_is_ours)
        store_close(w->store, on_store_closed, w);
    else
        on_store_closed(w);
}

static void on_remotes_closed(void *ctx)
{
    struct runtime *w = ctx;

    models_close(w->models, on_models_closed, w);
}

static void on_registry_unwatched(void *ctx)
{
    struct runtime *w = ctx;

    agent_registry_free(w->registry);
    offer_fini(&w->offer);
    mem_free(w->list);
    close_locks(w);
    remote_agents_close(w->remotes, on_remotes_closed, w);
}

static void on_logs_written(void *ctx)
{
    struct runtime *w = ctx;

    w->service->on_skills = NULL;
    runtime_leave_servers(w);
    agent_registry_unwatch(w->registry, on_registry_unwatched, w);
}

static void on_tasks_closed(void *ctx)
{
    struct runtime *w = ctx;

    session_logs_free(w->logs, on_logs_written, w);
}

static void on_retention_stopped(void *ctx)
{
    struct runtime *w = ctx;

    if (w->tasks)
        task_engine_close(w->tasks, on_tasks_closed, w);
    else
        on_tasks_closed(w);
}

void runtime_close(struct runtime *w, void (*done)(void *ctx), void *ctx)
{
    w->closed = done;
    w->closed_ctx = ctx;
    if (w->serves)
        service_use_agents(w->service, NULL);
    retention_stop(&w->retention, on_retention_stopped, w);
}
