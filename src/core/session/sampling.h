/*
 * sampling.h - MCP sampling: an MCP server asks for an answer of a model, and ours gives it.
 *
 * The request runs as a call of the internal tool model_sample, which passes the guard. The tool
 * counts as network access on behalf of untrusted data, so it needs approval by default. The model
 * gets only the messages that the server sent: nothing of the session, and no tools.
 */
#ifndef CORE_SESSION_SAMPLING_H
#define CORE_SESSION_SAMPLING_H

#include "core/agent/local.h"

struct sampling_opts {
    const struct agent_model *model;
    struct caller *caller; /* the caller of model_sample; its taint names the server */
    const struct host *host;
    /* Called with the usage of the request, also of a failed one; may be NULL. */
    void (*spent)(void *ctx, const struct model_turn *t);
    void *ctx;
};

/* Is there a provider that can answer? False for the offline provider. */
bool sampling_can(const struct agent_model *model);

/*
 * Answer the ask with the model's answer, or refuse it with an error. *opts is copied; its pointers
 * must stay valid until the call of the ask has settled.
 */
void sampling_start(struct ask *ask, const struct sampling_opts *opts);

#endif
