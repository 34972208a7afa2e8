#include "core/agent/remote_spec.h"

/* The members that are texts. */
static const size_t texts[] = {
    offsetof(struct remote_spec, url),       offsetof(struct remote_spec, secret),
    offsetof(struct remote_spec, user),      offsetof(struct remote_spec, key_name),
    offsetof(struct remote_spec, token_url), offsetof(struct remote_spec, scope),
    offsetof(struct remote_spec, binding),   offsetof(struct remote_spec, version),
};

static struct str text_at(const struct remote_spec *s, size_t i)
{
    struct str text;

    memcpy(&text, (const char *)s + texts[i], sizeof(text));
    return text;
}

struct remote_spec remote_spec_copy(struct arena *mem, const struct remote_spec *s)
{
    struct remote_spec to = *s;

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct str text = arena_maybe(mem, text_at(s, i));

        memcpy((char *)&to + texts[i], &text, sizeof(text));
    }
    to.origins.v = ARENA_ARRAY(mem, struct str, s->origins.n);
    for (size_t i = 0; i < s->origins.n; i++)
        to.origins.v[i] = arena_str(mem, s->origins.v[i]);
    return to;
}

bool remote_spec_same(const struct remote_spec *a, const struct remote_spec *b)
{
    bool same = a->auth == b->auth && a->place == b->place && a->trefoil == b->trefoil &&
                a->origins.n == b->origins.n;

    for (size_t i = 0; same && i < ARRAY_LEN(texts); i++)
        same = str_eq(text_at(a, i), text_at(b, i));
    for (size_t i = 0; same && i < a->origins.n; i++)
        same = str_eq(a->origins.v[i], b->origins.v[i]);
    return same;
}
