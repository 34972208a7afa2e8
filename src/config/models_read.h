/*
 * models_read.h - read [providers.NAME], [models] and [models."NAME"].
 *
 *   [providers.NAME]    kind       anthropic, openai, gemini or offline; optional when NAME is a
 *                                  preset
 *                       base_url   address of the API; default: that of the preset
 *                       api_key    env:NAME or file:PATH; a literal key is accepted with a note
 *                       api        for openai: chat or responses
 *                       headers    sent with every request, { Name = "value" }
 *                       model, low, medium, high
 *
 * A later file overrides an earlier one: its providers come first and hide those of the same name.
 *
 * An untrusted project must not decide where conversations and keys are sent. Unless the project is
 * trusted for this run, its entries with a base_url, a key or headers are inert (nothing they refer
 * to is looked up), and its other entries only choose models. Its windows and prices are used only
 * where no other source has a value.
 */
#ifndef CONFIG_MODELS_READ_H
#define CONFIG_MODELS_READ_H

#include "config/server_read.h"
#include "core/agent/local.h"
#include "core/provider_spec.h"

struct provider_entry {
    struct provider_spec spec;
    const char *bad; /* why it cannot be used: its key is not there; NULL: it can */
    bool inert;      /* a project's, and not trusted */
};

struct model_fact {
    struct str name;            /* of a model, or PROVIDER/MODEL */
    int64_t window, max_tokens; /* 0: unknown */
    struct model_price price;
    bool weak; /* a project's, and not trusted */
};

struct model_setup {
    struct provider_entry *provider;
    size_t providers;
    struct model_fact *fact; /* later ones have priority */
    size_t facts;
    struct str preferred;     /* [models] provider; STR_NONE: none */
    struct json preferred_at; /* its position */
    struct str model;         /* [models] default; STR_NONE: none */
};

/* Read the tables of one file, either may be missing, over what is in *s. */
bool models_read(const struct server_reader *r, bool trusted, struct json providers,
                 struct json models, struct model_setup *s, struct err *e);

/* All files are read: does every name that they use exist? */
bool models_read_end(const struct model_setup *s, struct err *e);

/* The entry of a name that may be used, or else the inert one; NULL: there is none. */
const struct provider_entry *models_entry(const struct model_setup *s, struct str name);

#endif
