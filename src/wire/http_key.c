#include "wire/http_key.h"

/* The KEY of "Bearer KEY"; STR_NONE of another scheme. */
static struct str bearer(struct str value)
{
    struct str scheme = str_cut(&value, ' ');

    if (!value.p || !str_eq_nocase(scheme, STR("Bearer")))
        return STR_NONE;
    return str_trim(value);
}

/* No early return: every key is compared. */
static const struct http_key *find_key(const struct http_key *key, size_t keys, struct str given)
{
    const struct http_key *found = NULL;

    for (size_t i = 0; i < keys; i++)
        if (str_eq_secret(given, key[i].secret) && given.n)
            found = &key[i];
    return found;
}

enum http_key_verdict http_key_check(const struct http_key *key, size_t keys,
                                     const struct http_header *header, size_t n,
                                     const struct http_key **out)
{
    const struct http_key *right = NULL;
    bool wrong = false;

    for (size_t i = 0; i < n; i++) {
        const struct http_key *found;
        struct str given;

        if (str_eq_nocase(header[i].name, STR("Authorization")))
            given = bearer(header[i].value);
        else if (str_eq_nocase(header[i].name, STR("X-API-Key")))
            given = header[i].value;
        else
            continue;
        found = find_key(key, keys, given);
        wrong |= !found || (right && right != found);
        right = found;
    }
    if (wrong)
        return HTTP_KEY_WRONG;
    if (!right)
        return HTTP_KEY_MISSING;
    *out = right;
    return HTTP_KEY_RIGHT;
}
