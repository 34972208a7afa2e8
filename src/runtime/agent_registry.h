/*
 * agent_registry.h - the agents of a root, ready to work: core's agent_desk over their files.
 *
 * Definitions are read once and again when their files change (the caller says so, or watching
 * does); an agent is put together when it is asked for: definition, models, system prompt with
 * the project's rules and the list of skills. An agent of the name "default" that no file defines
 * is there always.
 */
#ifndef RUNTIME_AGENT_REGISTRY_H
#define RUNTIME_AGENT_REGISTRY_H

#include "core/agent/agent.h"
#include "core/agent/skill.h"
#include "runtime/models.h"

struct desk;

struct desk_opts {
    struct loop *loop;
    const char *root;
    const struct config *config; /* lives until another is used */
    struct models *models;
    struct guard *guard;
    struct offer *offer; /* what agents may be given, on a host with the skills there are */
    void (*on_changed)(void *who); /* the cards are others now; may be NULL */
    void *who;
};

/* Reads the definitions: blocks. */
struct desk *desk_new(const struct desk_opts *opts);
void desk_free(struct desk *d); /* no agent may be held */

struct agent_desk *desk_port(struct desk *d);

/* Read all anew, as after a change. */
void desk_refresh(struct desk *d, const struct config *config);

/*
 * Notice changes of the files by itself from now on (file_watch.h). Those of skills are noticed by
 * who reads them (skill_registry.h), rules and instructions are read anew for each agent.
 */
void desk_watch(struct desk *d);

/* Stop watching; done is called from the loop. */
void desk_unwatch(struct desk *d, void (*done)(void *who), void *who);

#endif
