/*
 * sampling.h - sampling: an MCP server requests an answer from a model (ASK_SAMPLE), and the
 * agent's model answers.
 *
 * The request runs as a call of the internal tool model_sample, which the guard judges. To the
 * guard, the tool is network access on behalf of untrusted data, so it needs approval by default.
 * The model gets only the messages that the server sent; it sees nothing of the session and has no
 * tools.
 */
#ifndef CORE_SESSION_SAMPLING_H
#define CORE_SESSION_SAMPLING_H

#include "core/agent/local.h"

/* Converts requests and answers from and to the JSON of the server's protocol. */
struct sampling_codec {
    /* Convert the params of an ask to a request without the name of a model. */
    bool (*read)(struct arena *mem, struct json params, struct model_request *out, struct err *e);
    /* Write the answer of the model. */
    void (*write)(struct jw *w, struct arena *mem, const struct model_turn *t);
};

struct sampling_opts {
    const struct sampling_codec *codec;
    const struct agent_model *model;
    struct caller *caller; /* the caller of model_sample; caller->taint names the server */
    const struct host *host;
    /* Called after the request with its usage, even if it failed; may be NULL. */
    void (*spent)(void *ctx, const struct model_turn *t);
    void *ctx;
};

/* Can the model answer? False if it has no provider, or only the offline provider. */
bool sampling_can(const struct agent_model *model);

/*
 * Answer `ask` with the model's answer, or refuse it with an error. *opts is copied; the pointers
 * in it must stay valid until ask->call has ended.
 */
void sampling_start(struct ask *ask, const struct sampling_opts *opts);

#endif
