/*
 * model_facts.h - finds the facts about a model: the size of its context window, the maximum tokens
 * of an answer, and its prices.
 *
 * Each value is taken from the first of these sources that has the value: [models."NAME"] of the
 * configuration, the built-in table of models, the configuration of an untrusted project. An
 * untrusted project comes last, so that it cannot make an expensive model look cheap.
 */
#ifndef CONFIG_MODEL_FACTS_H
#define CONFIG_MODEL_FACTS_H

#include "config/models_read.h"

/*
 * Set out->window, out->max_tokens and out->price for the model out->name of a provider. An unknown
 * value is 0; an unknown price is negative.
 */
void model_facts(const struct model_setup *s, const char *provider, struct agent_model *out);

#endif
