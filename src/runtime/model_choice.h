/*
 * model_choice.h - resolve a word to a provider and a model. Pure, except for the environment.
 *
 * A word is a tier (low, medium, high), an alias of one (haiku, sonnet, opus), a model, or
 * PROVIDER/MODEL, where MODEL is any of these. The part before the first / is a provider if one of
 * that name exists, else part of the model's name. "inherit" means no choice.
 *
 * Without a provider, the model belongs to the provider that lists it among its models; else to
 * the default provider: [models] provider, else that of [models] default, else the result of
 * provider_choose.
 */
#ifndef RUNTIME_MODEL_CHOICE_H
#define RUNTIME_MODEL_CHOICE_H

#include "config/models_read.h"
#include "provider/provider.h"

struct model_pick {
    struct provider_spec spec; /* complete */
    struct str model;
};

/*
 * For a definition (NULL: the default agent), with a model that overrides the definition's
 * (STR_NONE: none). All in mem or in the memory of *s. ERR_NOT_FOUND: no such provider; ERR_DENIED:
 * it has no key, or belongs to an untrusted project.
 */
bool model_pick(struct arena *mem, const struct model_setup *s, const struct agent_def *def,
                struct str wanted, struct model_pick *out, struct err *e);

/* The definition's fallback for the chosen model; out->spec.name is NULL when there is none. */
bool model_pick_fallback(struct arena *mem, const struct model_setup *s,
                         const struct agent_def *def, const struct model_pick *first,
                         struct model_pick *out, struct err *e);

/* Can the provider be used? The ERR_DENIED message says what is missing. */
bool model_ready(const struct model_setup *s, const struct provider_spec *spec, struct err *e);

/* The providers of the configuration that may be used, for provider_choose and provider_named. */
struct provider_choice model_providers(struct arena *mem, const struct model_setup *s);

#endif
