#include "core/guard/own_secrets.h"

#include <string.h>
#include <strings.h>

enum { VALUE_LEAST = 8, DISTINCT_LEAST = 5, HASHED = 4 };

static uint32_t hash_of(const char *p)
{
    uint32_t word;

    memcpy(&word, p, HASHED);
    return (word * 0x9e3779b1u) >> 20;
}

static bool is_distinctive(struct str value)
{
    bool seen[256] = { false };
    size_t distinct = 0;

    for (size_t i = 0; i < value.n; i++) {
        distinct += !seen[(unsigned char)value.p[i]];
        seen[(unsigned char)value.p[i]] = true;
    }
    return value.n >= VALUE_LEAST && distinct >= DISTINCT_LEAST;
}

static struct str without_scheme(struct str value)
{
    static const struct str schemes[] = { STR("bearer "), STR("basic "), STR("token ") };

    for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
        if (value.n > schemes[i].n && !strncasecmp(value.p, schemes[i].p, schemes[i].n))
            return str_trim(str_skip(value, schemes[i].n));
    return value;
}

void own_secrets_add(struct own_secrets *set, struct arena *mem, struct str name, struct str value)
{
    struct own_secret *s;
    uint32_t hash;

    value = without_scheme(value);
    if (!is_distinctive(value))
        return;
    s = ARENA_NEW(mem, struct own_secret);
    *s = (struct own_secret){ arena_str(mem, name), arena_str(mem, value), set->first };
    set->first = s;
    hash = hash_of(value.p);
    set->bits[hash / 64] |= 1ull << (hash % 64);
}

static const struct own_secret *find_at(const struct own_secrets *set, struct str text)
{
    for (const struct own_secret *s = set->first; s; s = s->next)
        if (str_starts(text, s->value))
            return s;
    return NULL;
}

const struct own_secret *own_secrets_find(const struct own_secrets *set, struct str text)
{
    for (size_t i = 0; set->first && i + VALUE_LEAST <= text.n; i++) {
        uint32_t hash = hash_of(text.p + i);
        const struct own_secret *found;

        if (!(set->bits[hash / 64] >> (hash % 64) & 1))
            continue;
        found = find_at(set, str_skip(text, i));
        if (found)
            return found;
    }
    return NULL;
}
