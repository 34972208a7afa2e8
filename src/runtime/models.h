/*
 * models.h - chooses the model of an agent from the providers that the configuration and the
 * environment define.
 *
 *   [providers.NAME]            a provider: kind, base_url, api_key, api, headers, model, low,
 *                               medium, high
 *   [models]                    default = "PROVIDER/MODEL", or a model or tier; provider = NAME
 *   [models."NAME"]             window, max_tokens, and prices of a model: input, output,
 *                               cache_read, cache_write, in US dollars per million tokens
 *
 * A provider is opened when it is first used, and then shared by all agents.
 */
#ifndef RUNTIME_MODELS_H
#define RUNTIME_MODELS_H

#include "config/config.h"
#include "core/agent/local.h"

struct models;

/*
 * Create the models of a root. `config` must stay valid until models_use replaces it. The models
 * live until models_close.
 */
struct models *models_new(struct loop *loop, const struct config *config);
void models_use(struct models *m, const struct config *config);

/*
 * Choose the models for a definition (NULL: the default agent). `wanted` overrides the definition,
 * as in struct agent_want. If no fallback is configured, *fallback has no provider. The results are
 * valid as long as m.
 */
bool models_choose(struct models *m, const struct agent_def *def, struct str wanted,
                   struct agent_model *model, struct agent_model *fallback, struct err *e);

/* Close all providers. No turn may be running. `done` is called from the loop; then m is freed. */
void models_close(struct models *m, void (*done)(void *ctx), void *ctx);

#endif
