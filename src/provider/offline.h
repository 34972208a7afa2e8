/*
 * offline.h - the provider that answers when no model is configured.
 *
 * It does not pretend to be a model: plain text and unknown commands fail with STOP_NO_MODEL and a
 * sentence that explains how to configure a model, even if the user chose this provider by name.
 * Commands (/help lists them) do work that needs no model, so that every kind of turn can be tried
 * without a model. The provider answers like any other: text, thoughts, tool calls. If the last
 * message has tool results, the answer is their text.
 */
#ifndef PROVIDER_OFFLINE_H
#define PROVIDER_OFFLINE_H

#include "base/limits.h"
#include "core/model.h"

struct offline {
    const struct limits *limits;
};

extern const struct op_kind offline_op;

/* The `start` of the provider_kind of this provider, whose state is a struct offline. */
void offline_start(struct provider *p, struct model_turn *t);

#endif
