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

/* Everything that a host needs to call agents. Lives as long as the program. */
struct agent_context {
    /* NULL: there are no agents, or they are not loaded yet */
    struct agent_registry_port *registry;
    const struct session_world *world;
    struct task_engine *tasks; /* NULL: there are no tasks, because there is no store */
    struct lock_table *locks;  /* locks of tasks; NULL: none */
    /* the gate (readiness.h) at which calls wait while the registry is loading; may be NULL */
    struct readiness *coming;
};

/* Call then(call) when the registry is loaded, or after limits.gather_ms. */
void agent_context_when(struct call *call, const struct agent_context *context,
                        call_start_fn *then);

/*
 * Return the i-th agent that can be called. The built-in default agent comes first, unless a file
 * defines an agent of that name; then the agents of the registry. NULL: there is no i-th agent. The
 * result is valid until the registry changes.
 */
const struct agent_card *agent_card_at(const struct agent_context *context, size_t i);

/* Return the scope that limits an agent that this call starts: the rights of the caller. */
struct guard_scope agent_caller_scope(const struct call *call);

/*
 * Explain why an agent with this name and mode is read-only for a caller with this scope (NULL: no
 * caller), and which setting changes that. The text is in mem. STR_NONE: the agent is read-write.
 */
struct str agent_mode_reason(struct arena *mem, const char *name, enum agent_mode mode,
                             const struct guard_scope *caller);

/*
 * Write a JSON object with the members name, title, description, mode (for the caller of this
 * call), mode_reason (if that mode is read-only) and tier (null: none).
 */
void agent_card_write(struct jw *w, const struct agent_card *card, const struct call *call);

#endif
