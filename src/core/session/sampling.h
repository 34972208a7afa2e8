/*
 * sampling.h - a server asks for an answer of the model (MCP sampling), and gets it from ours.
 *
 * It is a call like any other: of the tool model_sample, judged by the guard as a tool that
 * reaches out on behalf of untrusted data, so that by default somebody is asked first. The
 * conversation is the server's alone; nothing of the session is in it, and no tools are given.
 */
#ifndef CORE_SESSION_SAMPLING_H
#define CORE_SESSION_SAMPLING_H

#include "core/agent/local.h"

struct sampling_opts {
    const struct agent_model *model;
    struct caller *caller; /* for whom; its taint names the server */
    const struct host *host;
    /* What it has cost; may be NULL. */
    void (*spent)(void *ctx, const struct model_turn *t);
    void *ctx;
};

/* Can this model be asked at all? */
bool sampling_can(const struct agent_model *model);

/* Answer or refuse the ask, in the end. What opts points to lives as long as the ask's call. */
void sampling_start(struct ask *ask, const struct sampling_opts *opts);

#endif
