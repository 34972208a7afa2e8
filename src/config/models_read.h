/*
 * models_read.h - [providers.NAME], [models] and [models."NAME"], as the files have them.
 *
 *   [providers.NAME]    kind       anthropic, openai, gemini or offline; may be left out when NAME
 *                                  is that of a preset
 *                       base_url   where it is; without one where the preset is
 *                       api_key    env:NAME or file:PATH; a literal one is taken, and noted
 *                       api        of openai: chat or responses
 *                       headers    sent with every request, { Name = "value" }
 *                       model, low, medium, high
 *
 * A later file lies over an earlier one: its providers go first and hide those of the same name.
 *
 * A project must not decide where conversations and keys go: it may be a stranger's. Unless it is
 * trusted for this run, its entries that name a base_url, a key or headers are inert - nothing
 * they refer to is looked up - and the others only choose models. What it says of windows and
 * prices counts where nobody else says anything.
 */
#ifndef CONFIG_MODELS_READ_H
#define CONFIG_MODELS_READ_H

#include "config/server_read.h"
#include "core/agent/agent.h"
#include "core/provider_spec.h"

struct provider_entry {
    struct provider_spec spec;
    const char *bad; /* why it cannot be used: its key is not there; NULL: it can */
    bool inert;      /* a project's, and not trusted */
};

struct model_fact {
    struct str name;            /* of a model, or PROVIDER/MODEL */
    int64_t window, max_tokens; /* 0: not said */
    struct model_price price;
    bool weak; /* a project's, and not trusted */
};

struct model_setup {
    struct provider_entry *provider;
    size_t providers;
    struct model_fact *fact; /* the later ones count first */
    size_t facts;
    struct str preferred;     /* [models] provider; STR_NONE: none */
    struct json preferred_at; /* where it stands */
    struct str model;         /* [models] default; STR_NONE: none */
};

/* Read the tables of one file, either may be missing, over what is in *s. */
bool models_read(const struct server_reader *r, bool trusted, struct json providers,
                 struct json models, struct model_setup *s, struct err *e);

/* All files are read: is there everybody they name? */
bool models_read_end(const struct model_setup *s, struct err *e);

/* The entry of a name that may be used, or else the inert one; NULL: there is none. */
const struct provider_entry *models_entry(const struct model_setup *s, struct str name);

#endif
