#include "base/secret.h"

static bool has_nocase(struct str s, struct str part)
{
    for (size_t i = 0; i + part.n <= s.n; i++)
        if (str_eq_nocase(str_head(str_skip(s, i), part.n), part))
            return true;
    return false;
}

static bool ends_nocase(struct str s, struct str end)
{
    return s.n >= end.n && str_eq_nocase(str_skip(s, s.n - end.n), end);
}

bool names_secret(struct str name)
{
    static const struct str part[] = { { "token", 5 },          { "secret", 6 },
                                       { "passw", 5 },          { "apikey", 6 },
                                       { "authorization", 13 }, { "credential", 10 } };
    static const struct str end[] = {
        { "-key", 4 }, { "_key", 4 }, { "cookie", 6 }, { "_pat", 4 }
    };

    for (size_t i = 0; i < ARRAY_LEN(part); i++)
        if (has_nocase(name, part[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(end); i++)
        if (ends_nocase(name, end[i]))
            return true;
    return false;
}
