/*
 * agent_context.h - the agents that calls on one host can use, and their descriptions.
 */
#ifndef CORE_AGENT_AGENT_CONTEXT_H
#define CORE_AGENT_AGENT_CONTEXT_H

#include "core/agent/agent.h"
#include "core/guard/guard.h"

struct lock_table;
struct session_world;
struct task_engine;

/* Everything that a host needs to call agents. Program lifetime. */
struct agent_context {
    struct agent_registry_port *registry; /* NULL: no agents, or not loaded yet */
    const struct session_world *world;
    struct task_engine *tasks; /* NULL: without a store there are no tasks */
    struct lock_table *locks;  /* locks of tasks; NULL: none */
    struct readiness *coming;  /* open while the registry is loading; NULL: it is not loading */
};

/* Run then(call) when the registry is loaded, at the latest after limits.gather_ms. */
void agent_context_when(struct call *call, const struct agent_context *context,
                        call_start_fn *then);

/*
 * The agent number i of all that can be called: the default agent, unless a file defines it, then
 * those of the registry. NULL: i is past the last. Valid until the registry changes.
 */
const struct agent_card *agent_card_at(const struct agent_context *context, size_t i);

/* The scope that limits an agent started by this call: the rights of the caller. */
struct guard_scope agent_caller_scope(const struct call *call);

/*
 * Why an agent with this name and mode is read-only for a caller with this scope (NULL: no caller),
 * and which setting changes that, in mem. STR_NONE: it is read-write.
 */
struct str agent_mode_reason(struct arena *mem, const char *name, enum agent_mode mode,
                             const struct guard_scope *caller);

/*
 * Write a JSON object: name, title, description, the mode for the caller of this call, mode_reason
 * if that mode is read-only, and tier (null: none).
 */
void agent_card_write(struct jw *w, const struct agent_card *card, const struct call *call);

#endif
