#include "provider/provider.h"

#include "provider/exchange.h"
#include "provider/offline.h"

/* In the order in which the variables are checked. Models by tier: the default, low, ... */
const struct provider_preset provider_presets[] = {
    { "anthropic",
      "anthropic",
      "https://api.anthropic.com",
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_BASE_URL",
      { "claude-sonnet-4-5", "claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-6" } },
    { "openai",
      "openai",
      "https://api.openai.com/v1",
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      { "gpt-5-mini", "gpt-5-nano", "gpt-5-mini", "gpt-5" } },
    { "gemini",
      "gemini",
      "https://generativelanguage.googleapis.com",
      "GEMINI_API_KEY",
      "GOOGLE_GEMINI_BASE_URL",
      { "gemini-3-flash-preview", "gemini-2.5-flash", "gemini-3-flash-preview",
        "gemini-3-pro-preview" } },
    { "ollama",
      "openai",
      "http://127.0.0.1:11434/v1",
      NULL,
      "OLLAMA_HOST",
      { "llama3.2", "llama3.2", "llama3.2", "llama3.2" } },
    { "offline", "offline", "", NULL, NULL, { "offline", "offline", "offline", "offline" } },
};

const size_t provider_preset_count = ARRAY_LEN(provider_presets);

static const struct {
    struct provider_kind kind;
    const struct format *format[API_RESPONSES + 1]; /* by enum provider_api */
} kinds[] = {
    { { "anthropic", &exchange_op, exchange_start }, { &anthropic_format, &anthropic_format } },
    { { "openai", &exchange_op, exchange_start },
      { &openai_chat_format, &openai_responses_format } },
    { { "gemini", &exchange_op, exchange_start }, { &gemini_format, &gemini_format } },
    { { "offline", &offline_op, offline_start }, { NULL, NULL } },
};

/* ---- opening -------------------------------------------------------------------------------- */

static struct str provider_copy(struct arena *mem, struct str s)
{
    return s.p ? arena_str(mem, s) : STR_NONE;
}

static struct provider_spec copy_spec(struct arena *mem, const struct provider_spec *s)
{
    struct server_pair *h = ARENA_ARRAY(mem, struct server_pair, s->headers);
    const struct provider_preset *row = provider_preset(s->name, s->kind);
    struct provider_spec out = *s;

    out.name = arena_cstr(mem, str_of(s->name));
    out.kind = arena_cstr(mem, str_of(s->kind));
    out.base_url =
        provider_copy(mem, s->base_url.n ? s->base_url : str_of(row ? row->base_url : ""));
    out.key = provider_copy(mem, s->key);
    for (size_t i = 0; i < s->headers; i++)
        h[i] = (struct server_pair){ provider_copy(mem, s->header[i].name),
                                     provider_copy(mem, s->header[i].value) };
    out.header = h;
    for (size_t i = 0; i < ARRAY_LEN(out.model); i++)
        out.model[i] = provider_copy(mem, s->model[i]);
    out.origin = NULL;
    return out;
}

static void *http_state(struct arena *mem, const struct provider_world *w,
                        const struct provider_spec *spec, const struct format *format)
{
    struct http_provider *p = ARENA_NEW(mem, struct http_provider);

    *p = (struct http_provider){ copy_spec(mem, spec), format, w->client, w->limits };
    return p;
}

static void *offline_state(struct arena *mem, const struct provider_world *w)
{
    struct offline *o = ARENA_NEW(mem, struct offline);

    o->limits = w->limits;
    return o;
}

bool provider_open(struct provider *p, struct arena *mem, const struct provider_world *w,
                   const struct provider_spec *spec, struct err *e)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const struct format *format = kinds[i].format[spec->api];

        if (strcmp(kinds[i].kind.name, spec->kind))
            continue;
        *p = (struct provider){
            .kind = &kinds[i].kind,
            .name = arena_cstr(mem, str_of(spec->name)),
            .loop = w->loop,
            .state = format ? http_state(mem, w, spec, format) : offline_state(mem, w),
        };
        return true;
    }
    return fail(e, ERR_INVALID,
                "provider %s: unknown kind \"%s\"; expected anthropic, openai, gemini or offline",
                spec->name, spec->kind);
}

/* ---- models --------------------------------------------------------------------------------- */

const struct provider_preset *provider_preset(const char *name, const char *kind)
{
    for (size_t i = 0; i < provider_preset_count; i++)
        if (strcmp(provider_presets[i].name, name) == 0 &&
            strcmp(provider_presets[i].kind, kind) == 0)
            return &provider_presets[i];
    for (size_t i = 0; i < provider_preset_count; i++)
        if (strcmp(provider_presets[i].kind, kind) == 0)
            return &provider_presets[i];
    return NULL;
}

struct str provider_model(const struct provider_spec *spec, enum agent_tier tier)
{
    const struct provider_preset *row = provider_preset(spec->name, spec->kind);

    if (spec->model[tier].n)
        return spec->model[tier];
    return row ? str_of(row->model[tier]) : STR_NONE;
}
