/*
 * runtime.h - the runtime: the store, models, agent registry and tools that the agents of one root
 * need.
 *
 * There is one runtime per root. It uses the tools, servers and guard of a service. Agents can get
 * all built-in tools and the tools of all servers, including tools that are not offered to MCP
 * clients. The guard decides what each agent may do.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "core/agent/agent_call.h"
#include "core/lock/lock.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "proto/acp/client/acp_client.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "runtime/agent_registry.h"
#include "runtime/models.h"
#include "runtime/remote_agents.h"
#include "runtime/retention.h"
#include "runtime/task_child.h"

struct service;

struct runtime {
    struct service *service;
    const struct config *config; /* the current configuration */
    struct store *store;         /* the store of the root; NULL: nothing is stored */
    /* true: runtime_close closes the store; false: the service owns the store */
    bool store_is_ours;
    struct lock_table *locks; /* locks of agents, tasks and calls of the service */
    struct models *models;
    struct acp_world acp;          /* what agents that speak ACP need */
    struct remote_agents *remotes; /* the remote A2A agents */
    struct agent_registry *registry;
    struct session_world world;    /* the data that session_open needs */
    struct open_sessions open;     /* the open sessions; world.open points here */
    struct session_logs *logs;     /* logs of tasks and called agents; NULL: nothing is stored */
    struct retention retention;    /* runs while clients are served, if there is a store */
    struct task_children children; /* child processes of isolated tasks */
    struct task_engine *tasks;     /* NULL: there are no tasks, because there is no store */
    struct agent_context context;  /* the data that calls of agents need */
    bool serves;                   /* clients of the service may call agents, too */
    struct offer offer;            /* the tools that agents can get */
    struct offer_source builtin;
    const struct tool **list; /* memory of builtin.tool */
    struct mcp_upstreams_view view;
    bool viewing;
    void (*on_agents)(void *ctx); /* called when the agents have changed; may be NULL */
    void *on_agents_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/*
 * Open the runtime. `mem` must live as long as the runtime, and `config` until it is replaced. If
 * `keep` is true, the function opens the store of the root, unless the service has opened it
 * already, and fails if the store cannot be opened. The function blocks while the database is
 * opened. After a failure there is nothing to close.
 */
bool runtime_open(struct runtime *w, struct service *s, struct arena *mem,
                  const struct config *config, bool keep, struct err *e);

/* Let clients of the service call the agents from now on, and notify them of changes. */
void runtime_serve(struct runtime *w);

/*
 * runtime_use: call this after each service_use, and also after runtime_open if the service is
 * using servers already. runtime_leave_servers: call this before the service closes its servers.
 */
void runtime_use(struct runtime *w, const struct config *config);
void runtime_leave_servers(struct runtime *w);

/*
 * Close the runtime, before service_close. No session may be open, and no reference to an agent may
 * be held. `done` is called from the loop; then *w is freed.
 */
void runtime_close(struct runtime *w, void (*done)(void *ctx), void *ctx);

#endif
