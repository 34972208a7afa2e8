/*
 * agent_registry.h - the registry of the agents that the files of a root define. It implements
 * agent_registry_port (core/agent/agent.h).
 *
 * Definitions are read at the start, and again when the caller or the file watch reports a change.
 * An agent is created when it is requested, from its definition, its models and its system prompt.
 * The prompt contains the project's rules and the list of skills. An agent named "default" always
 * exists, even if no file defines it.
 */
#ifndef RUNTIME_AGENT_REGISTRY_H
#define RUNTIME_AGENT_REGISTRY_H

#include "core/agent/local.h"
#include "core/agent/skill.h"
#include "runtime/models.h"
#include "runtime/remote_agents.h"

struct acp_world;
struct agent_registry;

struct agent_registry_opts {
    struct loop *loop;
    const char *root;
    const struct config *config; /* valid until agent_registry_refresh replaces it */
    struct models *models;
    struct remote_agents *remotes;
    struct guard *guard;
    struct offer *offer; /* the tools that agents can use; its host has the current skills */
    const struct acp_world *acp;   /* what agents that speak ACP need */
    void (*on_changed)(void *ctx); /* the agents or their cards have changed; may be NULL */
    void *ctx;
};

/* Create the registry. Blocks, because it reads the definitions. */
struct agent_registry *agent_registry_new(const struct agent_registry_opts *opts);
/* No agent may be held any more (agent_hold). */
void agent_registry_free(struct agent_registry *d);

struct agent_registry_port *agent_registry_port(struct agent_registry *d);

/* Read all files again, as after a change. */
void agent_registry_refresh(struct agent_registry *d, const struct config *config);

/*
 * Watch the files for changes from now on (file_watch.h). The skill registry watches skills
 * (skill_registry.h); rules and instructions are read again for each agent.
 */
void agent_registry_watch(struct agent_registry *d);

/* Stop watching. `done` is called from the loop. */
void agent_registry_unwatch(struct agent_registry *d, void (*done)(void *ctx), void *ctx);

#endif
