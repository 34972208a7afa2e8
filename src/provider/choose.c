/*
 * choose.c - choose a provider, in the order that provider.h describes. Pure: environment variables
 * are read through a callback.
 */
#include "provider/provider.h"

enum { OLLAMA_PORT = 11434 };

static struct str choose_env(const struct provider_choice *c, const char *name)
{
    const char *value = name && c->env ? c->env(name, c->ctx) : NULL;

    return value ? str_trim(str_of(value)) : STR_NONE;
}

/* Is there a port behind the host? An IPv6 address has colons inside its brackets. */
static bool has_port(struct str host)
{
    ptrdiff_t bracket = str_find_byte(host, ']');

    return str_find_byte(bracket >= 0 ? str_skip(host, (size_t)bracket) : host, ':') >= 0;
}

/*
 * OLLAMA_HOST is an address as Ollama itself reads it: scheme and port may be missing, and the
 * address to listen at, 0.0.0.0, is reached here.
 */
static struct str ollama_url(struct arena *mem, struct str host)
{
    static const struct str any = { "0.0.0.0", 7 };
    struct str tail;

    while (str_ends(host, STR("/")))
        host.n--;
    if (str_find(host, STR("://")) >= 0)
        return arena_printf(mem, STR_FMT "%s", STR_ARG(host),
                            str_ends(host, STR("/v1")) ? "" : "/v1");
    tail = str_starts(host, any) ? str_skip(host, any.n) : host;
    host = arena_printf(mem, "%s" STR_FMT, str_starts(host, any) ? "127.0.0.1" : "", STR_ARG(tail));
    if (has_port(host))
        return arena_printf(mem, "http://" STR_FMT "/v1", STR_ARG(host));
    return arena_printf(mem, "http://" STR_FMT ":%d/v1", STR_ARG(host), OLLAMA_PORT);
}

static struct str url_from_env(struct arena *mem, const struct provider_choice *c,
                               const struct provider_preset *row)
{
    struct str url = choose_env(c, row->url_env);

    if (!url.n)
        return str_of(row->base_url);
    return strcmp(row->name, "ollama") == 0 ? ollama_url(mem, url) : arena_str(mem, url);
}

/*
 * Fill in missing values of a spec. A base_url of the configuration gets no key from the
 * environment.
 */
static void complete(struct arena *mem, const struct provider_choice *c, struct provider_spec *s)
{
    const struct provider_preset *row = provider_preset(s->name, s->kind);

    if (!row || s->base_url.n)
        return;
    s->base_url = url_from_env(mem, c, row);
    if (!s->key.n && row->key_env)
        s->key = choose_env(c, row->key_env);
    if (s->key.n)
        s->key = arena_str(mem, s->key);
}

static void from_preset(struct arena *mem, const struct provider_choice *c,
                        const struct provider_preset *row, const char *origin,
                        struct provider_spec *out)
{
    *out = (struct provider_spec){ .name = row->name, .kind = row->kind, .origin = origin };
    complete(mem, c, out);
}

static bool find_configured(struct arena *mem, const struct provider_choice *c, struct str name,
                            struct provider_spec *out)
{
    for (size_t i = 0; i < c->specs; i++) {
        if (!str_eq(name, str_of(c->spec[i].name)))
            continue;
        *out = c->spec[i];
        complete(mem, c, out);
        return true;
    }
    return false;
}

bool provider_named(struct arena *mem, const struct provider_choice *c, struct str name,
                    struct provider_spec *out, struct err *e)
{
    if (find_configured(mem, c, name, out))
        return true;
    for (size_t i = 0; i < provider_preset_count; i++) {
        if (!str_eq(name, str_of(provider_presets[i].name)))
            continue;
        from_preset(mem, c, &provider_presets[i], NULL, out);
        return true;
    }
    return fail(
        e, ERR_NOT_FOUND,
        "unknown provider \"" STR_FMT
        "\": it is not configured and is not one of anthropic, openai, gemini, ollama, offline",
        STR_ARG(str_head(name, 64)));
}

/* The variable that selects a preset: its key or, for Ollama, its address. */
static const char *sign_of(const struct provider_preset *row)
{
    return row->key_env ? row->key_env : row->url_env;
}

static void from_environment(struct arena *mem, const struct provider_choice *c,
                             struct provider_spec *out)
{
    const struct provider_preset *row = provider_presets;

    while (sign_of(row) && !choose_env(c, sign_of(row)).n) /* offline, the last, has none */
        row++;
    from_preset(mem, c, row, sign_of(row), out);
}

bool provider_choose(struct arena *mem, const struct provider_choice *c, struct provider_spec *out,
                     struct err *e)
{
    struct str forced = choose_env(c, "TREFOIL_PROVIDER");

    if (c->wanted.n)
        return provider_named(mem, c, c->wanted, out, e) || fail_in(e, "the configured provider");
    if (c->specs)
        return provider_named(mem, c, str_of(c->spec[0].name), out, e);
    if (forced.n)
        return provider_named(mem, c, forced, out, e) || fail_in(e, "TREFOIL_PROVIDER");
    from_environment(mem, c, out);
    return true;
}
