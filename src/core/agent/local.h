/*
 * local.h - the local agent: a model, asked again and again, and our tools (struct agent_kind).
 *
 *   ASK      history is made shorter when it does not fit; the model is asked
 *   STREAM   its words are told as they come; its answer is stored
 *   TOOLS    that its calls begin is stored, then they run side by side; each result is stored as
 *            it comes; back to ASK
 *
 * Stored before it is told or done, so that a process that is killed at any moment loses nothing
 * that a client was told, and runs no tool twice: a call that was begun and has no result is
 * given to the model as "interrupted, outcome unknown".
 */
#ifndef CORE_AGENT_LOCAL_H
#define CORE_AGENT_LOCAL_H

#include "core/agent/agent.h"
#include "core/model.h"

/* US dollars for a million tokens; negative: not known. */
struct model_price {
    double input, output, cache_read, cache_write;
};

struct agent_model {
    struct provider *provider; /* NULL: none */
    struct str name;           /* as the provider spells it */
    int64_t window;            /* tokens that fit; 0: not known */
    int64_t max_tokens;        /* of one answer; 0: the provider's */
    struct model_price price;
};

struct local_agent {
    struct agent agent; /* its kind is local_agent_kind, its own data this struct */
    struct agent_model model;
    struct agent_model fallback; /* asked when the first cannot be reached */
    enum model_effort effort;
    struct str system; /* all the model is told before the conversation */
};

static inline const struct local_agent *local_agent_of(const struct agent *a)
{
    return a->own;
}

extern const struct agent_kind local_agent_kind;
enum { LOCAL_AGENT_CAPS = AGENT_MEDIA | AGENT_RESUMES | AGENT_COMPACTS };

#endif
