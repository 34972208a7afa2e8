/*
 * agent_context.h - who can be called from one host, before anyone is.
 */
#ifndef CORE_AGENT_AGENT_CONTEXT_H
#define CORE_AGENT_AGENT_CONTEXT_H

#include "core/agent/agent.h"
#include "core/guard/guard.h"

struct lock_table;
struct session_world;
struct task_engine;

/* Who can be called from one host, and what they run on. Program lifetime. */
struct agent_context {
    struct agent_registry_port *registry; /* NULL: nobody, as long as it is */
    const struct session_world *world;
    struct task_engine *tasks; /* NULL: no work goes on by itself, since nothing is kept */
    struct lock_table *locks;  /* of tasks; NULL: none are taken */
    struct readiness *coming;  /* open while the desk is still to come; NULL: it is not */
};

/* Run then(call) once the agents are there, or will not come. */
void agent_context_when(struct call *call, const struct agent_context *context,
                        call_start_fn *then);

/*
 * All agents that can be called: the default one, unless a file defines it, then those of the desk.
 * NULL past the last. Lives until the desk changes.
 */
const struct agent_card *agent_card_at(const struct agent_context *context, size_t i);

/* The most that an agent may which this call calls: what its caller may. */
struct guard_scope agent_caller_scope(const struct call *call);

/*
 * Why an agent of this name and mode only reads when this caller (NULL: nobody) calls it, and which
 * setting changes that, in mem. STR_NONE: it is read-write.
 */
struct str agent_mode_reason(struct arena *mem, const char *name, enum agent_mode mode,
                             const struct guard_scope *caller);

/*
 * An object: name, title, description, mode in force for the caller of this call, mode_reason
 * where that is read-only, tier (null where it has none).
 */
void agent_card_write(struct jw *w, const struct agent_card *card, const struct call *call);

#endif
