/*
 * agent_registry.h - the agents of a root, ready to work: core's agent_registry_port over their files.
 *
 * Definitions are read once and again when their files change (the caller says so, or watching
 * does); an agent is put together when it is asked for: definition, models, system prompt with
 * the project's rules and the list of skills. An agent of the name "default" that no file defines
 * is there always.
 */
#ifndef RUNTIME_AGENT_REGISTRY_H
#define RUNTIME_AGENT_REGISTRY_H

#include "core/agent/local.h"
#include "core/agent/skill.h"
#include "runtime/models.h"

struct agent_registry;

struct agent_registry_opts {
    struct loop *loop;
    const char *root;
    const struct config *config; /* lives until another is used */
    struct models *models;
    struct guard *guard;
    struct offer *offer; /* what agents may be given, on a host with the skills there are */
    void (*on_changed)(void *ctx); /* the cards are others now; may be NULL */
    void *ctx;
};

/* Reads the definitions: blocks. */
struct agent_registry *agent_registry_new(const struct agent_registry_opts *opts);
void agent_registry_free(struct agent_registry *d); /* no agent may be held */

struct agent_registry_port *agent_registry_port(struct agent_registry *d);

/* Read all anew, as after a change. */
void agent_registry_refresh(struct agent_registry *d, const struct config *config);

/*
 * Notice changes of the files by itself from now on (file_watch.h). Those of skills are noticed by
 * who reads them (skill_registry.h), rules and instructions are read anew for each agent.
 */
void agent_registry_watch(struct agent_registry *d);

/* Stop watching; done is called from the loop. */
void agent_registry_unwatch(struct agent_registry *d, void (*done)(void *ctx), void *ctx);

#endif
