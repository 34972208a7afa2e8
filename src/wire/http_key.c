#include "wire/http_key.h"

/* The KEY of "Bearer KEY"; STR_NONE of another scheme. */
static struct str bearer(struct str value)
{
    struct str scheme = str_cut(&value, ' ');

    if (!value.p || !str_eq_nocase(scheme, STR("Bearer")))
        return STR_NONE;
    return str_trim(value);
}

enum http_key_verdict http_key_check(struct str key, const struct http_header *header, size_t n)
{
    size_t right = 0, wrong = 0;

    for (size_t i = 0; i < n; i++) {
        struct str given;

        if (str_eq_nocase(header[i].name, STR("Authorization")))
            given = bearer(header[i].value);
        else if (str_eq_nocase(header[i].name, STR("X-API-Key")))
            given = header[i].value;
        else
            continue;
        if (given.n && str_eq_secret(given, key))
            right++;
        else
            wrong++;
    }
    if (wrong)
        return HTTP_KEY_WRONG;
    return right ? HTTP_KEY_RIGHT : HTTP_KEY_MISSING;
}
