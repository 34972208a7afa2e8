/*
 * models.c - opens providers, which all agents that use the same provider share.
 *
 * Two providers are the same if their whole specs are equal. So if the configuration changes a key
 * or an address, another provider is opened, and agents that use the old one keep it. No provider
 * is closed before models_close, so every returned provider is valid as long as struct models.
 */
#include "runtime/models.h"

#include "base/auto.h"
#include "base/container.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/version.h"
#include "config/model_facts.h"
#include "runtime/model_choice.h"

struct opened {
    struct opened *next;
    struct provider provider;
    struct str identity; /* contains the key, so it is never shown */
};

struct model_name {
    struct model_name *next;
    struct str name;
};

struct models {
    struct loop *loop;
    const struct config *config;
    struct limits limits; /* a copy, because the limits of a configuration are freed with it */
    struct arena mem;
    struct http_client *client; /* NULL until a provider needs it */
    struct opened *opened;
    struct model_name *name;
    int64_t names;
    struct post post;
    void (*done)(void *ctx);
    void *ctx;
};

struct models *models_new(struct loop *loop, const struct config *config)
{
    struct models *m = MEM_NEW(struct models);

    m->loop = loop;
    m->config = config;
    m->limits = config->limits;
    return m;
}

void models_use(struct models *m, const struct config *config)
{
    m->config = config;
}

/* ---- providers ------------------------------------------------------------------------------ */

/* Return a text that identifies a provider: all its settings, each preceded by its length. */
static struct str identity_of(struct arena *mem, const struct provider_spec *s)
{
    struct str id =
        arena_printf(mem, "%s\n%s\n%d\n%zu:" STR_FMT "%zu:" STR_FMT, s->name, s->kind, s->api,
                     s->base_url.n, STR_ARG(s->base_url), s->key.n, STR_ARG(s->key));

    for (size_t i = 0; i < s->headers; i++)
        id = arena_printf(mem, STR_FMT "%zu:" STR_FMT "%zu:" STR_FMT, STR_ARG(id),
                          s->header[i].name.n, STR_ARG(s->header[i].name), s->header[i].value.n,
                          STR_ARG(s->header[i].value));
    return id;
}

static struct http_client *client_of(struct models *m, struct arena *mem)
{
    if (!m->client)
        m->client = http_client_new(&(struct http_client_opts){
            .loop = m->loop,
            .limits = &m->limits,
            .user_agent = arena_printf(mem, TREFOIL_NAME "/%s", trefoil_version).p,
        });
    return m->client;
}

static struct provider *open_provider(struct models *m, struct arena *mem,
                                      const struct provider_spec *spec, struct err *e)
{
    struct str identity = identity_of(mem, spec);
    struct provider_world world = { .loop = m->loop, .limits = &m->limits };
    struct opened *o;

    for (o = m->opened; o; o = o->next)
        if (str_eq(o->identity, identity))
            return &o->provider;
    if (strcmp(spec->kind, "offline") != 0)
        world.client = client_of(m, mem);
    o = ARENA_NEW(&m->mem, struct opened);
    if (!provider_open(&o->provider, &m->mem, &world, spec, e))
        return NULL;
    o->identity = arena_str(&m->mem, identity);
    o->next = m->opened;
    m->opened = o;
    return &o->provider;
}

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * Return a copy of the name that lives as long as *m. Clients choose names, so their number and
 * length are limited.
 */
static bool keep_name(struct models *m, struct str name, struct str *out, struct err *e)
{
    struct model_name *n = m->name;

    while (n && !str_eq(n->name, name))
        n = n->next;
    if (!n) {
        if (name.n > (size_t)m->limits.model_name_bytes)
            return fail(e, ERR_LIMIT,
                        "the name of a model has %zu bytes; at most %jd are accepted "
                        "(the constant model_name_bytes)",
                        name.n, (intmax_t)m->limits.model_name_bytes);
        if (m->names >= m->limits.model_names)
            return fail(e, ERR_LIMIT,
                        "more than %jd different models were requested (the constant model_names)",
                        (intmax_t)m->limits.model_names);
        n = ARENA_NEW(&m->mem, struct model_name);
        *n = (struct model_name){ m->name, arena_str(&m->mem, name) };
        m->name = n;
        m->names++;
    }
    *out = n->name;
    return true;
}

/* ---- choosing ------------------------------------------------------------------------------- */

static bool make_ready(struct models *m, struct arena *mem, const struct model_pick *pick,
                       struct agent_model *out, struct err *e)
{
    struct agent_model ready = { 0 };

    if (!pick->model.n)
        return fail(e, ERR_INVALID,
                    "the provider %s has no model of that tier; name one in "
                    "[providers.%s]",
                    pick->spec.name, pick->spec.name);
    if (!keep_name(m, pick->model, &ready.name, e))
        return false;
    ready.provider = open_provider(m, mem, &pick->spec, e);
    if (!ready.provider)
        return false;
    model_facts(&m->config->models, pick->spec.name, &ready);
    *out = ready;
    return true;
}

/* Choose the fallback. If its provider cannot be used now, the agent works without a fallback. */
static bool choose_fallback(struct models *m, struct arena *mem, const struct agent_def *def,
                            const struct model_pick *first, struct agent_model *out, struct err *e)
{
    struct model_pick pick;

    if (!model_pick_fallback(mem, &m->config->models, def, first, &pick, e)) {
        if (e->code != ERR_DENIED)
            return false;
        LOG(LOG_WARN, "models", "an agent runs without its fallback model",
            LOG_Z("agent", def->name), LOG_Z("why", e->text));
        pick.spec.name = NULL;
    }
    *out = (struct agent_model){ 0 };
    return !pick.spec.name || make_ready(m, mem, &pick, out, e);
}

bool models_choose(struct models *m, const struct agent_def *def, struct str wanted,
                   struct agent_model *model, struct agent_model *fallback, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    struct agent_model first, second;
    struct model_pick pick;

    if (!model_pick(&mem, &m->config->models, def, wanted, &pick, e) ||
        !make_ready(m, &mem, &pick, &first, e) || !choose_fallback(m, &mem, def, &pick, &second, e))
        return false;
    *model = first;
    *fallback = second;
    return true;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void on_closed(void *ctx)
{
    struct models *m = ctx;
    void (*done)(void *ctx) = m->done;
    void *done_ctx = m->ctx;

    arena_fini(&m->mem);
    mem_free(m);
    done(done_ctx);
}

static void on_post(struct post *p)
{
    on_closed(CONTAINER_OF(p, struct models, post));
}

void models_close(struct models *m, void (*done)(void *ctx), void *ctx)
{
    m->done = done;
    m->ctx = ctx;
    m->post.fn = on_post;
    if (m->client)
        http_client_close(m->client, on_closed, m);
    else
        loop_post(m->loop, &m->post);
}
