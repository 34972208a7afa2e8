#include "config/models_read.h"

#include "base/display.h"
#include "base/utf8.h"
#include "config/server_read_parts.h"
#include "core/tool/tool.h"
#include "provider/provider.h"

enum { TOKENS_MOST = 1000000000, PRICE_MOST = 1000000 };

/* One file. */
struct models_reading {
    const struct server_reader *r;
    bool trusted;
    struct model_setup *s;
    struct provider_entry *own; /* its providers */
    size_t owns;
};

struct provider_raw {
    struct str kind, api, api_key;
    struct str model[TIER_HIGH + 1];
    struct json base_url, headers;
};

static const struct pick provider_fields[] = {
    PICK_FIELD("kind", PICK_STR, struct provider_raw, kind, 0),
    PICK_FIELD("base_url", PICK_ANY, struct provider_raw, base_url, 0),
    PICK_FIELD("api_key", PICK_STR, struct provider_raw, api_key, 0),
    PICK_FIELD("api", PICK_STR, struct provider_raw, api, 0),
    PICK_FIELD("headers", PICK_OBJECT, struct provider_raw, headers, 0),
    PICK_FIELD("model", PICK_STR, struct provider_raw, model[TIER_NONE], 0),
    PICK_FIELD("low", PICK_STR, struct provider_raw, model[TIER_LOW], 0),
    PICK_FIELD("medium", PICK_STR, struct provider_raw, model[TIER_MEDIUM], 0),
    PICK_FIELD("high", PICK_STR, struct provider_raw, model[TIER_HIGH], 0),
};

/* ---- one provider --------------------------------------------------------------------------- */

static bool not_empty(struct json table, struct err *e)
{
    static const struct str keys[] = { STR("api_key"), STR("model"), STR("low"), STR("medium"),
                                       STR("high") };

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (json_is(json_get(table, keys[i]), STR("")))
            return json_fail(json_get(table, keys[i]), e, "must not be empty");
    return true;
}

static bool read_name(const struct models_reading *in, struct json key, struct provider_spec *out,
                      struct err *e)
{
    struct str name = json_str(in->r->mem, key);

    if (!tool_name_valid(name))
        return json_fail(key, e,
                         "the name of a provider has 1 to %d characters of A-Z a-z 0-9 _ - .",
                         TOOL_NAME_MOST);
    out->name = arena_cstr(in->r->mem, name);
    out->origin = server_origin(in->r, key);
    return true;
}

static const struct provider_preset *preset_named(const char *name)
{
    for (size_t i = 0; i < provider_preset_count; i++)
        if (strcmp(provider_presets[i].name, name) == 0)
            return &provider_presets[i];
    return NULL;
}

static bool read_kind(const struct models_reading *in, struct json table, struct str kind,
                      struct provider_spec *out, struct err *e)
{
    const struct provider_preset *row = preset_named(out->name);

    if (!kind.p && !row)
        return json_fail(table, e,
                         "missing required key \"kind\": anthropic, openai, gemini or offline");
    out->kind = kind.p ? arena_cstr(in->r->mem, kind) : row->kind;
    if (provider_preset("", out->kind))
        return true;
    return json_fail(json_get(table, STR("kind")), e,
                     "unknown kind; expected anthropic, openai, gemini or offline");
}

static bool read_api(struct json table, struct str api, struct provider_spec *out, struct err *e)
{
    if (!api.p)
        return true;
    if (strcmp(out->kind, "openai") != 0)
        return json_fail(json_get(table, STR("api")), e,
                         "only providers of kind openai support this key");
    out->api = str_eq(api, STR("responses")) ? API_RESPONSES : API_CHAT;
    if (out->api == API_RESPONSES || str_eq(api, STR("chat")))
        return true;
    return json_fail(json_get(table, STR("api")), e, "expected chat or responses");
}

/* Paths are put behind it, so it ends with one. */
static bool read_url(const struct models_reading *in, struct json url, struct provider_spec *out,
                     struct err *e)
{
    struct server_spec s = { 0 };

    if (!json_here(url))
        return true;
    if (!server_url(in->r, url, &s, e))
        return false;
    if (strpbrk(s.url, "?#"))
        return json_fail(url, e, "a base_url must not contain ? or #; use a header instead");
    out->base_url = str_of(s.url);
    return true;
}

/* Another server has other models: a tier that is not named there is `model`, not the preset's. */
static void read_models(const struct provider_raw *raw, struct provider_spec *out)
{
    for (size_t i = 0; i < ARRAY_LEN(out->model); i++)
        out->model[i] = raw->model[i].n || !out->base_url.n ? raw->model[i] : raw->model[TIER_NONE];
}

static bool models_read_resolve(const struct models_reading *in, struct json table,
                                const struct provider_raw *raw, struct provider_spec *out,
                                struct err *e)
{
    struct server_spec s = { 0 };

    if (raw->api_key.p &&
        !server_secret(in->r, STR("api_key"), json_get(table, STR("api_key")), &out->key, e))
        return false;
    if (json_here(raw->headers) && !server_headers(in->r, raw->headers, &s, e))
        return false;
    out->header = s.header;
    out->headers = s.headers;
    return true;
}

/* A missing key is an error only for requests that use this provider. */
static bool read_secrets(const struct models_reading *in, struct json table,
                         const struct provider_raw *raw, struct provider_entry *out, struct err *e)
{
    if (models_read_resolve(in, table, raw, &out->spec, e))
        return true;
    if (e->code == ERR_INVALID)
        return false;
    out->bad = arena_cstr(in->r->mem, str_of(e->text));
    out->spec.key = STR_NONE;
    note(in->r->mem, in->r->notes, LOG_WARN, "%s; the provider %s is not usable", e->text,
         out->spec.name);
    return true;
}

static void note_inert(const struct models_reading *in, const struct provider_entry *p)
{
    note(in->r->mem, in->r->notes, LOG_WARN,
         "%s: the provider %s is ignored: a project cannot choose where conversations and keys are "
         "sent; the user's config.toml, --config FILE or --trust can",
         p->spec.origin, p->spec.name);
}

static bool read_provider(struct models_reading *in, struct json key, struct err *e)
{
    struct json table = json_value(key);
    struct provider_entry p = { 0 };
    struct provider_raw raw = { 0 };

    if (!pick(in->r->mem, table, PICK_TABLE(provider_fields), PICK_STRICT, &raw, e) ||
        !not_empty(table, e) || !read_name(in, key, &p.spec, e) ||
        !read_kind(in, table, raw.kind, &p.spec, e) || !read_api(table, raw.api, &p.spec, e) ||
        !read_url(in, raw.base_url, &p.spec, e))
        return false;
    read_models(&raw, &p.spec);
    p.inert = !in->trusted && (json_here(raw.base_url) || raw.api_key.p || json_here(raw.headers));
    if (p.inert)
        note_inert(in, &p);
    else if (!read_secrets(in, table, &raw, &p, e))
        return false;
    in->own[in->owns++] = p;
    return true;
}

/* ---- files over each other ------------------------------------------------------------------ */

static struct provider_entry *models_read_find(struct provider_entry *list, size_t n,
                                               struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(name, str_of(list[i].spec.name)))
            return &list[i];
    return NULL;
}

const struct provider_entry *models_entry(const struct model_setup *s, struct str name)
{
    const struct provider_entry *inert = NULL;

    for (size_t i = 0; i < s->providers; i++) {
        if (!str_eq(name, str_of(s->provider[i].spec.name)))
            continue;
        if (!s->provider[i].inert)
            return &s->provider[i];
        inert = &s->provider[i];
    }
    return inert;
}

static void take_models(struct provider_spec *to, const struct provider_spec *from)
{
    for (size_t i = 0; i < ARRAY_LEN(to->model); i++)
        if (from->model[i].n)
            to->model[i] = from->model[i];
}

/* Of a project that is not trusted, a name of the user's is still the user's. */
static void lay_over(struct models_reading *in)
{
    struct model_setup *s = in->s;
    struct provider_entry *all =
        ARENA_ARRAY(in->r->mem, struct provider_entry, in->owns + s->providers);
    size_t n = 0;

    for (size_t i = 0; i < in->owns; i++) {
        struct provider_entry *own = &in->own[i];
        struct provider_entry *under =
            models_read_find(s->provider, s->providers, str_of(own->spec.name));

        if (!in->trusted && under && !own->inert)
            take_models(&under->spec, &own->spec);
        else
            all[n++] = *own;
    }
    for (size_t i = 0; i < s->providers; i++)
        if (!in->trusted || !models_read_find(in->own, in->owns, str_of(s->provider[i].spec.name)))
            all[n++] = s->provider[i];
    s->provider = all;
    s->providers = n;
}

static bool read_providers(struct models_reading *in, struct json table, struct err *e)
{
    in->own = ARENA_ARRAY(in->r->mem, struct provider_entry, json_count(table));
    if (!pick_check_keys(in->r->mem, table, e))
        return false;
    JSON_MEMBERS(key, table)
    if (!read_provider(in, key, e))
        return false;
    lay_over(in);
    return true;
}

/* ---- [models] ------------------------------------------------------------------------------- */

static const struct pick fact_fields[] = {
    PICK_RANGE("window", struct model_fact, window, 0, 1, TOKENS_MOST),
    PICK_RANGE("max_tokens", struct model_fact, max_tokens, 0, 1, TOKENS_MOST),
    PICK_FIELD("input", PICK_DOUBLE, struct model_fact, price.input, 0),
    PICK_FIELD("output", PICK_DOUBLE, struct model_fact, price.output, 0),
    PICK_FIELD("cache_read", PICK_DOUBLE, struct model_fact, price.cache_read, 0),
    PICK_FIELD("cache_write", PICK_DOUBLE, struct model_fact, price.cache_write, 0),
};

static bool check_prices(struct json table, struct err *e)
{
    static const struct str keys[] = { STR("input"), STR("output"), STR("cache_read"),
                                       STR("cache_write") };
    double price;

    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (json_double(json_get(table, keys[i]), &price) && !(price >= 0 && price <= PRICE_MOST))
            return json_fail(json_get(table, keys[i]), e,
                             "expected a price of 0 to %d US dollars per million tokens",
                             PRICE_MOST);
    return true;
}

static bool read_fact(struct models_reading *in, struct json key, struct model_fact *out,
                      struct err *e)
{
    struct json table = json_value(key);
    struct model_fact f = { .name = json_str(in->r->mem, key),
                            .price = { -1, -1, -1, -1 },
                            .weak = !in->trusted };

    if (json_type(table) != JSON_OBJECT)
        return json_fail(
            key, e,
            "unknown key; expected default, provider, or tables of models: [models.\"NAME\"]");
    if (!pick(in->r->mem, table, PICK_TABLE(fact_fields), PICK_STRICT, &f, e) ||
        !check_prices(table, e))
        return false;
    *out = f;
    return true;
}

static bool read_word(const struct models_reading *in, struct json v, struct str *out,
                      struct err *e)
{
    struct str word = json_str(in->r->mem, v);

    if (json_type(v) != JSON_STRING)
        return json_fail(v, e, "expected a string, found %s", json_type_name(json_type(v)));
    if (!word.n)
        return json_fail(v, e, "must not be empty");
    *out = word;
    return true;
}

static bool read_member(struct models_reading *in, struct json key, struct err *e)
{
    struct model_setup *s = in->s;

    if (json_is(key, STR("default")))
        return read_word(in, json_value(key), &s->model, e);
    if (json_is(key, STR("provider"))) {
        s->preferred_at = json_value(key);
        return read_word(in, json_value(key), &s->preferred, e);
    }
    return read_fact(in, key, &s->fact[s->facts], e) && ++s->facts;
}

static bool read_table(struct models_reading *in, struct json table, struct err *e)
{
    struct model_setup *s = in->s;

    s->fact = arena_grow(in->r->mem, s->fact, s->facts * sizeof(*s->fact),
                         (s->facts + json_count(table)) * sizeof(*s->fact));
    if (!pick_check_keys(in->r->mem, table, e))
        return false;
    JSON_MEMBERS(key, table)
    if (!read_member(in, key, e))
        return false;
    return true;
}

/* ---- a file, and all of them ---------------------------------------------------------------- */

bool models_read(const struct server_reader *r, bool trusted, struct json providers,
                 struct json models, struct model_setup *s, struct err *e)
{
    struct models_reading in = { .r = r, .trusted = trusted, .s = s };

    return (!json_here(providers) || read_providers(&in, providers, e)) &&
           (!json_here(models) || read_table(&in, models, e));
}

bool models_read_end(const struct model_setup *s, struct err *e)
{
    char name[TOOL_NAME_MOST + 1];

    if (!s->preferred.n || models_entry(s, s->preferred) ||
        (str_to_c(s->preferred, name, sizeof(name)) && preset_named(name)))
        return true;
    return json_fail(s->preferred_at, e,
                     "unknown provider \"" STR_FMT
                     "\": expected the name of a [providers.NAME] table, or anthropic, openai, "
                     "gemini, ollama or offline",
                     STR_ARG(utf8_head(s->preferred, TOOL_NAME_MOST)));
}
