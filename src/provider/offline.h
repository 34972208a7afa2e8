/*
 * offline.h - what serves when no model is configured.
 *
 * It does not pretend: plain text, and a command that it does not know, fail with STOP_NO_MODEL and
 * a sentence that says how to configure a model. That holds also when somebody has chosen this
 * provider by name. What needs no model works by commands (/help lists them), so that every path of
 * a turn can be tried on a fresh machine. It answers like any provider: text, thoughts, calls of
 * tools; when the last message holds results, it says them.
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
