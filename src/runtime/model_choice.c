#include "runtime/model_choice.h"

#include "base/nearest.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { NAME_SHOWN = 64 };

/* The data of one choice. */
struct picking {
    struct arena *mem;
    const struct model_setup *s;
    struct provider_choice all;
};

/* ---- providers ------------------------------------------------------------------------------ */

/* Get a variable of this process. */
static const char *model_env(const char *name, void *ctx)
{
    (void)ctx;
    return getenv(name);
}

struct provider_choice model_providers(struct arena *mem, const struct model_setup *s)
{
    struct provider_spec *v = ARENA_ARRAY(mem, struct provider_spec, s->providers);
    size_t n = 0;

    for (size_t i = 0; i < s->providers; i++)
        if (!s->provider[i].inert)
            v[n++] = s->provider[i].spec;
    return (struct provider_choice){ .spec = v, .specs = n, .env = model_env };
}

static bool is_preset(struct str name)
{
    for (size_t i = 0; i < provider_preset_count; i++)
        if (str_eq(name, str_of(provider_presets[i].name)))
            return true;
    return false;
}

/*
 * Does the provider lack its key? It has the address of its preset, no key, and no header that
 * could contain a key.
 */
static bool lacks_key(const struct provider_spec *spec)
{
    const struct provider_preset *row = provider_preset(spec->name, spec->kind);

    return row && row->key_env && !spec->key.n && !spec->headers &&
           str_eq(spec->base_url, str_of(row->base_url));
}

bool model_ready(const struct model_setup *s, const struct provider_spec *spec, struct err *e)
{
    const struct provider_entry *entry = models_entry(s, str_of(spec->name));

    if (entry && !entry->inert && entry->bad)
        return fail(e, ERR_DENIED, "%s", entry->bad);
    if (lacks_key(spec))
        return fail(e, ERR_DENIED,
                    "the provider %s has no key: set %s, or api_key in [providers.%s]", spec->name,
                    provider_preset(spec->name, spec->kind)->key_env, spec->name);
    return true;
}

static bool provider_by_name(struct picking *p, struct str name, struct provider_spec *out,
                             struct err *e)
{
    const struct provider_entry *entry = models_entry(p->s, name);

    if (!entry && str_eq(name, STR("claude"))) /* other programs use this name */
        name = STR("anthropic");
    if (entry && entry->inert && !is_preset(name))
        return fail(e, ERR_DENIED,
                    "the provider %s (%s) is defined by the project and not trusted: define it in "
                    "the user's config.toml, or run with --trust",
                    entry->spec.name, entry->spec.origin);
    return provider_named(p->mem, &p->all, name, out, e) && model_ready(p->s, out, e);
}

static bool is_tier(struct str word, enum agent_tier *tier)
{
    *tier = agent_alias_tier(word);
    return *tier || agent_tier_named(word, tier);
}

/* Split PROVIDER/MODEL. False: the word does not have this form. */
static bool model_choice_split(const struct picking *p, struct str word, struct str *provider,
                               struct str *model)
{
    struct str rest = word, head = str_cut(&rest, '/');

    if (!rest.p || (!models_entry(p->s, head) && !is_preset(head)))
        return false;
    *provider = head;
    *model = rest;
    return true;
}

static bool default_provider(struct picking *p, struct provider_spec *out, struct err *e)
{
    struct str name = p->s->preferred, model;

    if (!name.n && !model_choice_split(p, p->s->model, &name, &model))
        return provider_choose(p->mem, &p->all, out, e) && model_ready(p->s, out, e);
    return provider_by_name(p, name, out, e) || fail_in(e, "[models]");
}

static bool names_model(const struct provider_spec *spec, struct str model)
{
    for (enum agent_tier t = TIER_NONE; t <= TIER_HIGH; t++)
        if (str_eq(provider_model(spec, t), model))
            return true;
    return false;
}

/*
 * Find a usable provider that lists this model: first in the configuration, then among the presets
 * whose key is in the environment.
 */
static bool provider_of_model(struct picking *p, struct str model, struct provider_spec *out)
{
    struct err e;

    for (size_t i = 0; i < p->all.specs; i++)
        if (names_model(&p->all.spec[i], model) &&
            provider_by_name(p, str_of(p->all.spec[i].name), out, &e))
            return true;
    for (size_t i = 0; i < provider_preset_count; i++) {
        const struct provider_preset *row = &provider_presets[i];
        const struct provider_spec bare = { .name = row->name, .kind = row->kind };

        if (row->key_env && model_env(row->key_env, NULL) && names_model(&bare, model) &&
            provider_by_name(p, str_of(row->name), out, &e))
            return true;
    }
    return false;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool says(struct str word)
{
    return word.n && !str_eq_nocase(word, STR("inherit"));
}

static struct str model_of(const struct provider_spec *spec, struct str word)
{
    enum agent_tier tier;

    if (strcmp(spec->kind, "offline") == 0) /* has one model, which is used for every request */
        return provider_model(spec, TIER_NONE);
    if (!says(word))
        return provider_model(spec, TIER_NONE);
    return is_tier(word, &tier) ? provider_model(spec, tier) : word;
}

/* Find the provider of a model that is named without a provider. `base` is preferred. */
static void provider_for(struct picking *p, struct str model, const struct provider_spec *base,
                         struct provider_spec *out)
{
    enum agent_tier tier;

    if (!says(model) || is_tier(model, &tier) || names_model(base, model) ||
        !provider_of_model(p, model, out))
        *out = *base;
}

static bool pick_bare(struct picking *p, struct str word, struct str provider,
                      struct model_pick *out, struct err *e)
{
    struct provider_spec base;
    struct err why;

    if (provider.n) {
        if (!provider_by_name(p, provider, &out->spec, e))
            return false;
    } else if (default_provider(p, &base, &why)) {
        provider_for(p, word, &base, &out->spec);
    } else if (!says(word) || !provider_of_model(p, word, &out->spec)) {
        *e = why;
        return false;
    }
    out->model = model_of(&out->spec, word);
    return true;
}

/* Resolve a word. `provider` is the provider of the definition, for words that name no provider. */
static bool pick_word(struct picking *p, struct str word, struct str provider,
                      struct model_pick *out, struct err *e)
{
    struct str head, model;
    bool both = model_choice_split(p, word, &head, &model);

    return pick_bare(p, both ? model : word, both ? head : provider, out, e);
}

/*
 * Resolve the model of a definition. If the definition sets a provider, its model is a model of
 * that provider, whose name may contain a "/".
 */
static bool pick_own(struct picking *p, const struct agent_def *def, struct str word,
                     struct model_pick *out, struct err *e)
{
    struct str head, model;

    if (def->provider.n && model_choice_split(p, word, &head, &model) &&
        !str_eq(head, def->provider))
        return pick_bare(p, word, def->provider, out, e);
    return pick_word(p, word, def->provider, out, e);
}

/*
 * Choose a model when none is named. If another provider is set, the default of [models] applies
 * only if it is a tier.
 */
static bool pick_default(struct picking *p, struct str provider, struct model_pick *out,
                         struct err *e)
{
    enum agent_tier tier;

    if (provider.n && !is_tier(p->s->model, &tier))
        return pick_bare(p, STR_NONE, provider, out, e);
    return pick_word(p, p->s->model, provider, out, e);
}

/* List the providers that PROVIDER/MODEL can name. */
static struct str known_providers(const struct picking *p)
{
    struct buf out;

    buf_init_in(&out, p->mem, 4096);
    for (size_t i = 0; i < p->all.specs; i++)
        if (!is_preset(str_of(p->all.spec[i].name)))
            buf_printf(&out, "%s, ", p->all.spec[i].name);
    for (size_t i = 0; i < provider_preset_count; i++)
        buf_printf(&out, "%s%s", i ? ", " : "", provider_presets[i].name);
    return buf_str(&out);
}

/* Has the user chosen a provider? If not, the offline provider is only the last resort. */
static bool is_offline_wanted(const struct picking *p)
{
    const char *forced = model_env("TREFOIL_PROVIDER", NULL);

    return (forced && *forced) || p->s->preferred.n || p->all.specs;
}

/*
 * Find the tier or the provider name that is most similar to the word (or to the part before its
 * slash).
 */
static struct nearest nearest_model(const struct picking *p, struct str word)
{
    struct str rest = word;
    struct nearest n = nearest_to(str_cut(&rest, '/'));

    for (enum agent_tier t = TIER_LOW; t <= TIER_HIGH && !rest.p; t++)
        nearest_try(&n, str_of(agent_tier_name(t)));
    for (size_t i = 0; i < p->all.specs && rest.p; i++)
        nearest_try(&n, str_of(p->all.spec[i].name));
    for (size_t i = 0; i < provider_preset_count && rest.p; i++)
        nearest_try(&n, str_of(provider_presets[i].name));
    return n;
}

/* Fail if no provider has the requested model, instead of using the offline model. */
static bool check_found(const struct picking *p, struct str word, const struct model_pick *got,
                        struct err *e)
{
    struct str rest = word, head, model;
    struct nearest near;
    enum agent_tier tier;

    if (strcmp(got->spec.kind, "offline") != 0 || is_tier(word, &tier) ||
        names_model(&got->spec, word) || model_choice_split(p, word, &head, &model))
        return true;
    str_cut(&rest, '/');
    if (!rest.p && is_offline_wanted(p))
        return true;
    near = nearest_model(p, word);
    if (near.best.p)
        return fail(e, ERR_INVALID, "there is no provider for the model " STR_FMT "%s",
                    STR_ARG(utf8_head(word, NAME_SHOWN)), nearest_hint(&near));
    return fail(e, ERR_INVALID,
                "there is no provider for the model " STR_FMT
                ": set the key of its provider, or write PROVIDER/MODEL with one of " STR_FMT,
                STR_ARG(utf8_head(word, NAME_SHOWN)), STR_ARG(known_providers(p)));
}

bool model_pick(struct arena *mem, const struct model_setup *s, const struct agent_def *def,
                struct str wanted, struct model_pick *out, struct err *e)
{
    struct picking p = { mem, s, model_providers(mem, s) };
    static const struct agent_def nothing;

    if (!def)
        def = &nothing;
    if (says(wanted))
        return pick_word(&p, wanted, def->provider, out, e) && check_found(&p, wanted, out, e);
    if (says(def->model))
        return pick_own(&p, def, def->model, out, e);
    if (def->tier)
        return pick_word(&p, str_of(agent_tier_name(def->tier)), def->provider, out, e);
    return pick_default(&p, def->provider, out, e);
}

bool model_pick_fallback(struct arena *mem, const struct model_setup *s,
                         const struct agent_def *def, const struct model_pick *first,
                         struct model_pick *out, struct err *e)
{
    struct picking p = { mem, s, model_providers(mem, s) };
    struct model_pick found = { 0 };
    struct str head, model;

    *out = found;
    if (!def || !says(def->fallback_model))
        return true;
    if (def->provider.n || model_choice_split(&p, def->fallback_model, &head, &model)) {
        if (!pick_own(&p, def, def->fallback_model, &found, e))
            return fail_in(e, "fallback_model");
    } else {
        provider_for(&p, def->fallback_model, &first->spec, &found.spec);
        found.model = model_of(&found.spec, def->fallback_model);
    }
    if (strcmp(found.spec.name, first->spec.name) != 0 || !str_eq(found.model, first->model))
        *out = found;
    return true;
}
