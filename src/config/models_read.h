/*
 * models_read.h - reads [providers.NAME], [models] and [models."NAME"] of the configuration.
 *
 *   [providers.NAME]    kind       anthropic, openai, gemini or offline; optional when NAME is a
 *                                  preset
 *                       base_url   address of the API; default: the preset's address
 *                       api_key    env:NAME or file:PATH; the key itself is accepted, with a note
 *                       api        for openai: chat or responses
 *                       headers    sent with every request, { Name = "value" }
 *                       model, low, medium, high
 *
 * A later file overrides an earlier one: a provider in the later file replaces an earlier provider
 * of the same name.
 *
 * An untrusted project must not decide where conversations and keys are sent. Unless the project is
 * trusted for this run, its provider entries that have a base_url, a key or headers are inert: they
 * are not used, and the keys that they refer to are not read. The project's other provider entries
 * can only choose models. The project's context windows and prices are used only if no other source
 * has a value.
 */
#ifndef CONFIG_MODELS_READ_H
#define CONFIG_MODELS_READ_H

#include "config/server_read.h"
#include "core/agent/local.h"
#include "core/provider_spec.h"

struct provider_entry {
    struct provider_spec spec;
    /* why the provider cannot be used (its key is missing); NULL: it can be used */
    const char *bad;
    bool inert; /* the entry is not used, because its project is not trusted */
};

struct model_fact {
    struct str name;            /* name of the model: MODEL or PROVIDER/MODEL */
    int64_t window, max_tokens; /* 0: unknown */
    struct model_price price;
    bool weak; /* from an untrusted project: used only if there is no other value */
};

struct model_setup {
    struct provider_entry *provider;
    size_t providers;
    struct model_fact *fact; /* later entries have priority */
    size_t facts;
    struct str preferred;     /* [models] provider; STR_NONE: none */
    struct json preferred_at; /* the position of the key `provider`, for errors */
    struct str model;         /* [models] default; STR_NONE: none */
};

/* Read the tables of one file and merge them into *s. Either table may be missing. */
bool models_read(const struct server_reader *r, bool trusted, struct json providers,
                 struct json models, struct model_setup *s, struct err *e);

/*
 * Check that all names to which the files refer exist. Call this function after all files were
 * read.
 */
bool models_read_end(const struct model_setup *s, struct err *e);

/* Find an entry by name. An entry that is not inert is preferred. NULL: there is none. */
const struct provider_entry *models_entry(const struct model_setup *s, struct str name);

#endif
