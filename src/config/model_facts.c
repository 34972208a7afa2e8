#include "config/model_facts.h"

/*
 * The models that presets name (provider.c); prices as their makers published them in 2026, for
 * prompts of usual length. max_tokens is set where the API requires it; the others answer as
 * much as they can by default.
 */
static const struct model_fact known[] = {
    /* name, window, max_tokens, { input, output, cache_read, cache_write } */
    { STR("claude-haiku-4-5"), 200000, 64000, { 1, 5, 0.1, 1.25 }, false },
    { STR("claude-sonnet-4-5"), 200000, 64000, { 3, 15, 0.3, 3.75 }, false },
    { STR("claude-opus-4-6"), 200000, 128000, { 5, 25, 0.5, 6.25 }, false },
    { STR("gpt-5-nano"), 400000, 0, { 0.05, 0.4, 0.005, -1 }, false },
    { STR("gpt-5-mini"), 400000, 0, { 0.25, 2, 0.025, -1 }, false },
    { STR("gpt-5"), 400000, 0, { 1.25, 10, 0.125, -1 }, false },
    { STR("gemini-2.5-flash"), 1048576, 0, { 0.3, 2.5, 0.03, -1 }, false },
    { STR("gemini-3-flash-preview"), 1048576, 0, { 0.5, 3, 0.05, -1 }, false },
    { STR("gemini-3-pro-preview"), 1048576, 0, { 2, 12, 0.2, -1 }, false },
    { STR("offline"), 0, 0, { 0, 0, 0, 0 }, false },
};

static void fill_price(double *to, double from)
{
    if (*to < 0)
        *to = from;
}

static void model_facts_fill(struct agent_model *to, const struct model_fact *from)
{
    if (!to->window)
        to->window = from->window;
    if (!to->max_tokens)
        to->max_tokens = from->max_tokens;
    fill_price(&to->price.input, from->price.input);
    fill_price(&to->price.output, from->price.output);
    fill_price(&to->price.cache_read, from->price.cache_read);
    fill_price(&to->price.cache_write, from->price.cache_write);
}

static bool names_both(struct str name, const char *provider, struct str model)
{
    struct str head = str_of(provider);

    return name.n == head.n + 1 + model.n && str_starts(name, head) && name.p[head.n] == '/' &&
           str_ends(name, model);
}

/* Values for PROVIDER/MODEL override those for MODEL, a later file overrides others. */
static void fill_configured(const struct model_setup *s, const char *provider, bool weak,
                            struct agent_model *out)
{
    for (size_t i = s->facts; i-- > 0;)
        if (s->fact[i].weak == weak && names_both(s->fact[i].name, provider, out->name))
            model_facts_fill(out, &s->fact[i]);
    for (size_t i = s->facts; i-- > 0;)
        if (s->fact[i].weak == weak && str_eq(s->fact[i].name, out->name))
            model_facts_fill(out, &s->fact[i]);
}

/* claude-haiku-4-5-20251001 and gpt-5-2025-08-07 are the model on that day. */
static bool is_dated(struct str name, struct str model)
{
    return str_starts(name, model) &&
           (name.n == model.n || str_starts(str_skip(name, model.n), STR("-20")));
}

void model_facts(const struct model_setup *s, const char *provider, struct agent_model *out)
{
    out->window = out->max_tokens = 0;
    out->price = (struct model_price){ -1, -1, -1, -1 };
    fill_configured(s, provider, false, out);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (is_dated(out->name, known[i].name))
            model_facts_fill(out, &known[i]);
    fill_configured(s, provider, true, out);
}
