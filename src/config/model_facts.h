/*
 * model_facts.h - what is known of a model: its window, the tokens of an answer, its prices.
 *
 * The configuration's [models."NAME"] first, member by member; then a table of what the presets
 * name; then what a project says that is not trusted: it must not make cheap what costs money.
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
