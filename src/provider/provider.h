/*
 * provider.h - all providers, and the choice among them.
 *
 * A provider that is reached over HTTP has a format (format.h) and a row in the table of kinds; all
 * other code is shared. A preset supplies what the configuration of a provider omits: the address,
 * and the model for each tier (the capability that an agent requests: low, medium, high).
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include "core/model.h"
#include "core/provider_spec.h"
#include "wire/http_client.h"

struct provider_world {
    struct loop *loop;
    struct http_client *client; /* must outlive the turns; may be NULL for the offline provider */
    const struct limits *limits;
};

/*
 * Make *p from a copy of the spec, in mem. ERR_INVALID: unknown kind; the message lists the
 * accepted kinds.
 */
bool provider_open(struct provider *p, struct arena *mem, const struct provider_world *w,
                   const struct provider_spec *spec, struct err *e);

/* ---- models ---------------------------------------------------------------------------------- */

/* The model for a tier: from the spec, else from the preset that has the name or kind of the spec.
 * STR_NONE: none. */
struct str provider_model(const struct provider_spec *spec, enum agent_tier tier);

/* ---- the environment ------------------------------------------------------------------------- */

/* Get the value of an environment variable, or NULL. */
typedef const char *provider_env_fn(const char *name, void *ctx);

struct provider_choice {
    const struct provider_spec *spec; /* configured */
    size_t specs;
    struct str wanted; /* the name that the configuration prefers; STR_NONE: the first spec */
    provider_env_fn *env;
    void *ctx;
};

/*
 * Choose the provider: a configured one; else the provider that the environment variable
 * TREFOIL_PROVIDER names; else the first one whose variable is set (ANTHROPIC_API_KEY,
 * OPENAI_API_KEY, GEMINI_API_KEY, OLLAMA_HOST); else the offline provider. *out is in mem and
 * complete. ERR_NOT_FOUND: no provider has the name.
 *
 * A key from the environment is sent only to an address from the environment or to the built-in
 * address, never to a base_url of the configuration.
 */
bool provider_choose(struct arena *mem, const struct provider_choice *c, struct provider_spec *out,
                     struct err *e);

/* Find a provider by its name: a configured one, else a preset. */
bool provider_named(struct arena *mem, const struct provider_choice *c, struct str name,
                    struct provider_spec *out, struct err *e);

/* ---- the table ------------------------------------------------------------------------------- */

struct provider_preset {
    const char *name, *kind;
    const char *base_url;
    const char *key_env, *url_env; /* NULL: none */
    const char *model[TIER_HIGH + 1];
};

extern const struct provider_preset provider_presets[];
extern const size_t provider_preset_count;

/* Return the preset with that name, else the preset of that kind, else NULL. */
const struct provider_preset *provider_preset(const char *name, const char *kind);

#endif
