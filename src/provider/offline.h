/*
 * offline.h - the provider that answers when no model is configured.
 *
 * It does not pretend to be a model: plain text and unknown commands fail with STOP_NO_MODEL and a
 * sentence that explains how to configure a model, even if the user chose this provider by name.
 * Functions that need no model work by commands (/help lists them), so that every path of a turn can
 * be tried on a fresh machine. It answers like any provider: text, thoughts, tool calls; when the
 * last message contains tool results, it prints them.
 */
#ifndef PROVIDER_OFFLINE_H
#define PROVIDER_OFFLINE_H

#include "base/limits.h"
#include "core/model.h"

struct offline {
    const struct limits *limits;
};

extern const struct op_kind offline_op;

/* `start` of its provider_kind; the provider's state is a struct offline. */
void offline_start(struct provider *p, struct model_turn *t);

#endif
