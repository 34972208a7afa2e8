/*
 * model_choice.h - resolves a word to a provider and a model. Pure, except that it reads
 * environment variables.
 *
 * A word is a tier (low, medium, high), an alias of a tier (haiku, sonnet, opus), the name of a
 * model, or PROVIDER/MODEL, where MODEL is a tier, an alias or the name of a model. If no provider
 * has the name before the first "/", the whole word is the name of a model. "inherit" chooses
 * nothing.
 *
 * If the word names no provider, the provider that lists the model among its models is used. If
 * there is no such provider, the default provider is used. The default provider is [models]
 * provider, else the provider of [models] default, else the result of provider_choose.
 */
#ifndef RUNTIME_MODEL_CHOICE_H
#define RUNTIME_MODEL_CHOICE_H

#include "config/models_read.h"
#include "provider/provider.h"

struct model_pick {
    struct provider_spec spec; /* the provider; all members are set */
    struct str model;
};

/*
 * Choose the model of an agent definition (NULL: the default agent). `wanted` overrides the model
 * of the definition, unless it is STR_NONE. The result is in mem or in the memory of *s.
 * ERR_NOT_FOUND: there is no such provider. ERR_DENIED: the provider has no key, or an untrusted
 * project defines it.
 */
bool model_pick(struct arena *mem, const struct model_setup *s, const struct agent_def *def,
                struct str wanted, struct model_pick *out, struct err *e);

/*
 * Choose the fallback of the definition for the model *first. If there is no fallback,
 * out->spec.name is NULL.
 */
bool model_pick_fallback(struct arena *mem, const struct model_setup *s,
                         const struct agent_def *def, const struct model_pick *first,
                         struct model_pick *out, struct err *e);

/* Can the provider be used? If not, the message of the error ERR_DENIED names what is missing. */
bool model_ready(const struct model_setup *s, const struct provider_spec *spec, struct err *e);

/*
 * Return the providers of the configuration that may be used, for provider_choose and
 * provider_named.
 */
struct provider_choice model_providers(struct arena *mem, const struct model_setup *s);

#endif
