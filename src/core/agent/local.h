/*
 * local.h - the local agent (a struct agent_kind): it sends requests to a model and runs the tool
 * calls in the answers.
 *
 *   ASK      shorten the history if it does not fit; send a request to the model
 *   STREAM   forward the text as it arrives; store the answer
 *   TOOLS    store that the calls start, then run them in parallel; store each result when it
 *            arrives; back to ASK
 *
 * The agent stores each answer before it acts on the answer, the start of a call before it runs the
 * call, and the result of a call before the client gets it. So no result that a client has seen is
 * lost when the process is killed, and no call runs twice: for a call that was started and has no
 * stored result, the model gets HISTORY_INTERRUPTED (core/session/history.h).
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
    struct provider *provider; /* provider that runs the model; NULL: no model is configured */
    struct str name;           /* name of the model, as the provider spells it */
    int64_t window;            /* size of the context in tokens; 0: unknown */
    int64_t max_tokens;        /* longest answer in tokens; 0: the provider's default */
    struct model_price price;
};

struct local_agent {
    struct agent agent; /* agent.kind is local_agent_kind, agent.own points to this struct */
    struct agent_model model;
    struct agent_model fallback; /* used if `model` cannot be reached; its provider may be NULL */
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
