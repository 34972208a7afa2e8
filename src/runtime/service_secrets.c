#include "runtime/service_secrets.h"

#include "base/secret.h"
#include "provider/provider.h"

#include <stdlib.h>

static void add_secret(struct service_secrets *s, struct str name, struct str value)
{
    own_secrets_add(&s->set, &s->mem, name, value);
}

/*
 * Add the secrets among the variables or headers of a server. The name decides whether a value is a
 * secret.
 */
static void add_pairs(struct service_secrets *s, const char *owner, const struct server_pair *pair,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names_secret(pair[i].name))
            add_secret(s, arena_printf(&s->mem, "%s " STR_FMT, owner, STR_ARG(pair[i].name)),
                       pair[i].value);
}

static void add_providers(struct service_secrets *s, const struct config *c)
{
    for (size_t i = 0; i < c->models.providers; i++) {
        const struct provider_spec *p = &c->models.provider[i].spec;

        add_secret(s, arena_printf(&s->mem, "the key of %s", p->name), p->key);
        add_pairs(s, p->name, p->header, p->headers);
    }
    for (size_t i = 0; i < provider_preset_count; i++) {
        const char *name = provider_presets[i].key_env, *value = name ? getenv(name) : NULL;

        if (value)
            add_secret(s, str_of(name), str_of(value));
    }
}

/*
 * Add the secrets of servers. Servers that are disabled or not trusted are not started, so their
 * values are not in use.
 */
static void add_servers(struct service_secrets *s, const struct config *c)
{
    for (size_t i = 0; i < c->servers.n; i++) {
        const struct server_spec *server = &c->servers.v[i];

        if (!server->enabled || !server->trusted)
            continue;
        add_pairs(s, server->name, server->env, server->envs);
        add_pairs(s, server->name, server->header, server->headers);
    }
}

void service_secrets_use(struct service_secrets *s, const struct config *c)
{
    service_secrets_fini(s);
    add_providers(s, c);
    add_servers(s, c);
    for (size_t i = 0; i < c->keys.n; i++)
        add_secret(s, arena_printf(&s->mem, "the API key " STR_FMT, STR_ARG(c->keys.v[i].name)),
                   c->keys.v[i].secret);
}

void service_secrets_fini(struct service_secrets *s)
{
    arena_fini(&s->mem);
    *s = (struct service_secrets){ 0 };
}
