/* models.c - `trefoil models`: all providers, the one in use, and their models. */
#include "app/app.h"
#include "base/display.h"
#include "config/model_facts.h"
#include "runtime/model_choice.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUT_MOST = 16 << 20, PRICE_TEXT = 64 };

static const char *const tier_labels[] = { "default", "low", "medium", "high" };

struct row {
    struct provider_spec spec;
    const char *from;
    const char *error; /* why the provider cannot be used; NULL: it can be used */
    bool inert;
    bool serves;
};

struct models_listing {
    struct app *app;
    struct row *row;
    size_t rows;
    struct model_pick serving;
    bool served;
    struct err why; /* why no provider can be used */
};

/* ---- collecting ----------------------------------------------------------------------------- */

/* Add a provider to the list, with the values of its preset and of the environment. */
static void models_add(struct models_listing *l, const char *name, const char *from)
{
    struct arena *mem = &l->app->project.mem;
    const struct model_setup *s = &l->app->project.config.models;
    struct provider_choice all = model_providers(mem, s);
    struct row *r = &l->row[l->rows];
    struct err e;

    if (!provider_named(mem, &all, str_of(name), &r->spec, &e))
        return;
    r->from = from;
    r->error = model_ready(s, &r->spec, &e) ? NULL : arena_cstr(mem, str_of(e.text));
    l->rows++;
}

static void add_configured(struct models_listing *l)
{
    const struct model_setup *s = &l->app->project.config.models;

    for (size_t i = 0; i < s->providers; i++) {
        const struct provider_spec *spec = &s->provider[i].spec;

        if (!s->provider[i].inert)
            models_add(l, spec->name, spec->origin);
        else
            l->row[l->rows++] =
                (struct row){ .spec = *spec,
                              .from = spec->origin,
                              .error = "defined by the project and not trusted (--trust)",
                              .inert = true };
    }
}

static struct row *models_find(const struct models_listing *l, const char *name)
{
    for (size_t i = 0; i < l->rows; i++)
        if (!l->row[i].inert && strcmp(l->row[i].spec.name, name) == 0)
            return &l->row[i];
    return NULL;
}

static void add_found(struct models_listing *l)
{
    for (size_t i = 0; i < provider_preset_count; i++) {
        const struct provider_preset *p = &provider_presets[i];
        const char *sign = p->key_env ? p->key_env : p->url_env;
        const char *value = sign ? getenv(sign) : NULL;

        if (value && str_trim(str_of(value)).n && !models_find(l, p->name))
            models_add(l, p->name, sign);
    }
}

static void add_serving(struct models_listing *l)
{
    const char *forced = getenv("TREFOIL_PROVIDER"), *name;

    l->served = model_pick(&l->app->project.mem, &l->app->project.config.models, NULL, STR_NONE,
                           &l->serving, &l->why);
    if (!l->served)
        return;
    name = l->serving.spec.name;
    if (!models_find(l, name))
        models_add(l, name, forced && strcmp(forced, name) == 0 ? "TREFOIL_PROVIDER" : "built in");
    if (models_find(l, name))
        models_find(l, name)->serves = true;
}

static struct models_listing gather(struct app *app)
{
    size_t most = app->project.config.models.providers + provider_preset_count + 1;
    struct models_listing l = { .app = app,
                                .row = ARENA_ARRAY(&app->project.mem, struct row, most) };

    add_configured(&l);
    add_found(&l);
    add_serving(&l);
    return l;
}

static struct agent_model facts_of(const struct models_listing *l, const struct row *r,
                                   enum agent_tier t)
{
    struct agent_model m = { .name = provider_model(&r->spec, t) };

    model_facts(&l->app->project.config.models, r->spec.name, &m);
    return m;
}

/* Return the address of a provider for people. A password in it is masked. */
static struct str shown_url(struct arena *mem, const struct provider_spec *s)
{
    struct buf out;

    buf_init_in(&out, mem, OUT_MOST);
    if (s->base_url.n)
        show_word(&out, s->base_url);
    return buf_str(&out);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_price(struct jw *w, const char *key, double price)
{
    if (price < 0)
        return;
    jw_plain_key(w, str_of(key));
    jw_double(w, price);
}

static void put_model(struct jw *w, const char *label, const struct agent_model *m)
{
    jw_plain_key(w, str_of(label));
    jw_object(w);
    jw_kstr(w, "name", m->name);
    if (m->window)
        jw_kint(w, "window", m->window);
    if (m->max_tokens)
        jw_kint(w, "max_tokens", m->max_tokens);
    put_price(w, "input", m->price.input);
    put_price(w, "output", m->price.output);
    put_price(w, "cache_read", m->price.cache_read);
    put_price(w, "cache_write", m->price.cache_write);
    jw_object_end(w);
}

static void put_provider(struct jw *w, const struct models_listing *l, const struct row *r)
{
    jw_object(w);
    jw_kstr(w, "name", str_of(r->spec.name));
    jw_kstr(w, "kind", str_of(r->spec.kind));
    jw_kstr(w, "from", str_of(r->from));
    jw_kstr(w, "url", shown_url(&l->app->project.mem, &r->spec));
    jw_kbool(w, "key", r->spec.key.n > 0);
    jw_kbool(w, "serves", r->serves);
    jw_kstr(w, "error", str_of(r->error));
    jw_plain_key(w, STR("models"));
    jw_object(w);
    for (enum agent_tier t = TIER_NONE; t <= TIER_HIGH; t++) {
        struct agent_model m = facts_of(l, r, t);

        put_model(w, tier_labels[t], &m);
    }
    jw_object_end(w);
    jw_object_end(w);
}

static void print_json(const struct models_listing *l)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, OUT_MOST);
    jw_object(&w);
    if (l->served) {
        jw_kstr(&w, "provider", str_of(l->serving.spec.name));
        jw_kstr(&w, "model", l->serving.model);
    } else {
        jw_kstr(&w, "error", str_of(l->why.text));
    }
    jw_plain_key(&w, STR("providers"));
    jw_array(&w);
    for (size_t i = 0; i < l->rows; i++)
        put_provider(&w, l, &l->row[i]);
    jw_array_end(&w);
    jw_object_end(&w);
    printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_model(const struct models_listing *l, const char *label,
                        const struct agent_model *m)
{
    char price[PRICE_TEXT] = "price unknown";
    char window[PRICE_TEXT] = "window unknown";

    if (m->price.input >= 0 && m->price.output >= 0)
        snprintf(price, sizeof(price), "$%g in, $%g out", m->price.input, m->price.output);
    if (m->window)
        snprintf(window, sizeof(window), "%lld tokens", (long long)m->window);
    printf("  %-8s %-26s %-16s %s\n", label, shown_text(&l->app->project.mem, m->name).p, window,
           price);
}

static void print_provider(const struct models_listing *l, const struct row *r)
{
    struct arena *mem = &l->app->project.mem;
    struct str url = shown_url(mem, &r->spec);

    printf("\n%s%s: %s, %s%s" STR_FMT ", %s\n", r->spec.name, r->serves ? " (serves)" : "",
           r->spec.kind, shown_text(mem, str_of(r->from)).p, url.n ? ", " : "", STR_ARG(url),
           r->spec.key.n ? "with a key" : "no key");
    if (r->error)
        printf("  not usable: " STR_FMT "\n", STR_ARG(shown_text(mem, str_of(r->error))));
    for (enum agent_tier t = TIER_NONE; t <= TIER_HIGH; t++) {
        struct agent_model m = facts_of(l, r, t);

        print_model(l, tier_labels[t], &m);
    }
}

static void print_listing(const struct models_listing *l)
{
    struct arena *mem = &l->app->project.mem;

    if (l->served)
        printf("in use: %s, with " STR_FMT "\n", l->serving.spec.name,
               STR_ARG(shown_text(mem, l->serving.model)));
    else
        printf("no provider is usable: " STR_FMT "\n",
               STR_ARG(shown_text(mem, str_of(l->why.text))));
    for (size_t i = 0; i < l->rows; i++)
        print_provider(l, &l->row[i]);
}

static int models_run(struct app *app, const void *args, int words, char **word)
{
    struct models_listing l = gather(app);

    (void)args;
    (void)words;
    (void)word;
    if (app->opt.json)
        print_json(&l);
    else
        print_listing(&l);
    return l.served ? EXIT_OK : EXIT_FAILED;
}

const struct verb verb_models = {
    .name = "models",
    .words = "",
    .summary = "List model providers, the model in use, context windows and prices",
    .run = models_run,
};
