/*
 * provider.h - all providers, and the choice among them.
 *
 * A provider that is reached over HTTP is a format (format.h) and a row in the table of kinds;
 * the rest is shared. The presets fill in what a spec omits: address, models by tier.
 */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include "core/model.h"
#include "core/provider_spec.h"
#include "wire/http_client.h"

struct provider_world {
    struct loop *loop;
    struct http_client *client; /* must outlive the turns; may be NULL for offline */
    const struct limits *limits;
};

/*
 * Make *p from a spec, which is copied; everything is in mem. ERR_INVALID for an unknown kind; the
 * message lists the accepted kinds.
 */
bool provider_open(struct provider *p, struct arena *mem, const struct provider_world *w,
                   const struct provider_spec *spec, struct err *e);

/* ---- models ---------------------------------------------------------------------------------- */

/* The model of a tier: the spec's, else the preset of its name or kind. STR_NONE: there is none. */
struct str provider_model(const struct provider_spec *spec, enum agent_tier tier);

/* ---- the environment ------------------------------------------------------------------------- */

/* The value of a variable, or NULL. */
typedef const char *provider_env_fn(const char *name, void *ctx);

struct provider_choice {
    const struct provider_spec *spec; /* configured */
    size_t specs;
    struct str wanted; /* the name the configuration prefers; STR_NONE: its first */
    provider_env_fn *env;
    void *ctx;
};

/*
 * Choose the provider: a configured one; else the one named by TREFOIL_PROVIDER; else the first
 * whose variable is set: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OLLAMA_HOST; else
 * offline. *out is in mem and complete. ERR_NOT_FOUND for an unknown name.
 *
 * A key from the environment is sent only to an address from the environment or to the built-in
 * one, never to a base_url of the configuration.
 */
bool provider_choose(struct arena *mem, const struct provider_choice *c, struct provider_spec *out,
                     struct err *e);

/* The same for one name: of the configuration, else a preset. */
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

/* The row of that name, else of that kind, else NULL. */
const struct provider_preset *provider_preset(const char *name, const char *kind);

#endif
