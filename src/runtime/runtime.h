/*
 * runtime.h - everything that agents of one root need: the store, the models, the agent registry
 * and the tools they may get.
 *
 * One per root, beside the service whose tools, servers and guard it uses. Agents may get all
 * built-in tools and those of all servers, including tools that clients of [mcp] are not
 * offered. The guard decides what each agent may do.
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include "core/agent/agent_call.h"
#include "core/lock/lock.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "runtime/agent_registry.h"
#include "runtime/models.h"
#include "runtime/retention.h"
#include "runtime/task_child.h"

struct service;

struct runtime {
    struct service *service;
    const struct config *config; /* in force */
    struct store *store;         /* NULL: nothing is kept */
    bool store_is_ours;          /* it is closed with the runtime; else it is the service's */
    struct lock_table *locks;    /* of this process; calls of the service take turns by it, too */
    struct models *models;
    struct agent_registry *registry;
    struct session_world world;    /* for session_open */
    struct open_sessions open;     /* of that */
    struct session_logs *logs;     /* of tasks and agents that are called; NULL: nothing is kept */
    struct retention retention;    /* while clients are served, if there is a store */
    struct task_children children; /* of tasks in processes of their own */
    struct task_engine *tasks;     /* NULL: without a store there are none */
    struct agent_context context;  /* for agents that call each other */
    bool serves;                   /* clients of the service may call them, too */
    struct offer offer;            /* the tools that agents may get */
    struct offer_source builtin;
    const struct tool **list; /* builtin.tool */
    struct mcp_upstreams_view view;
    bool viewing;
    void (*on_agents)(void *ctx); /* the cards of the agent registry have changed; may be NULL */
    void *on_agents_ctx;
    void (*closed)(void *ctx);
    void *closed_ctx;
};

/*
 * Open it. `mem` must live as long, `config` until it is replaced. With `keep` the store of the
 * root is opened, unless the service has it; if that fails, so does this. Blocks for as long as
 * opening a database takes. After a failure there is nothing to close.
 */
bool runtime_open(struct runtime *w, struct service *s, struct arena *mem,
                  const struct config *config, bool keep, struct err *e);

/* Clients of the service may call the agents from now on, and hear of changes. */
void runtime_serve(struct runtime *w);

/*
 * The service uses another configuration, or has its servers: call it after each service_use, and
 * once after the runtime is opened if the service has servers already. The second: the service is
 * about to close them.
 */
void runtime_use(struct runtime *w, const struct config *config);
void runtime_leave_servers(struct runtime *w);

/*
 * No session may be open and no agent held; before service_close. done is called from the loop;
 * then *w is freed.
 */
void runtime_close(struct runtime *w, void (*done)(void *ctx), void *ctx);

#endif
