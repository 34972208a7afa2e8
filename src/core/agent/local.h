/*
 * local.h - the local agent: a loop of requests to a model and calls of our tools (struct
 * agent_kind).
 *
 *   ASK      shorten the history if it does not fit; send a request to the model
 *   STREAM   forward the text as it arrives; store the answer
 *   TOOLS    store that the calls start, then run them in parallel; store each result when it
 *            arrives; back to ASK
 *
 * Answers are stored before the agent acts on them, the start of a call before it runs, and its
 * result before the client gets it. So a process that is killed at any moment loses no result that
 * a client has seen, and no tool runs twice: the model gets "interrupted, outcome unknown" for a
 * call that was started and has no result.
 */
#ifndef CORE_AGENT_LOCAL_H
#define CORE_AGENT_LOCAL_H

#include "core/agent/agent.h"
#include "core/model.h"

/* US dollars per million tokens; negative: unknown. */
struct model_price {
    double input, output, cache_read, cache_write;
};

struct agent_model {
    struct provider *provider; /* NULL: none */
    struct str name;           /* as the provider spells it */
    int64_t window;            /* size of the context in tokens; 0: unknown */
    int64_t max_tokens;        /* of one answer; 0: the provider's default */
    struct model_price price;
};

struct local_agent {
    struct agent agent; /* agent.kind is local_agent_kind, agent.own points to this struct */
    struct agent_model model;
    struct agent_model fallback; /* used when `model` cannot be reached; provider NULL: none */
    enum model_effort effort;
    struct str system; /* the system prompt */
};

static inline const struct local_agent *local_agent_of(const struct agent *a)
{
    return a->own;
}

extern const struct agent_kind local_agent_kind;
enum { LOCAL_AGENT_CAPS = AGENT_MEDIA | AGENT_RESUMES | AGENT_COMPACTS };

#endif
