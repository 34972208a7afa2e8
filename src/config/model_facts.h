/*
 * model_facts.h - the known facts about a model: its window, the tokens of an answer, its prices.
 *
 * The configuration's [models."NAME"] comes first, member by member; then a table for the models of
 * the presets; then the values of an untrusted project: it must not make an expensive model look
 * cheap.
 */
#ifndef CONFIG_MODEL_FACTS_H
#define CONFIG_MODEL_FACTS_H

#include "config/models_read.h"

/*
 * Fill in window, max_tokens and price of a model (out->name) of a provider; an unknown value is 0,
 * or negative for prices.
 */
void model_facts(const struct model_setup *s, const char *provider, struct agent_model *out);

#endif
