#include "wire/http_query.h"

#include "base/percent.h"

bool http_query_get(struct arena *mem, struct str query, struct str name, struct str *out)
{
    struct str found = STR_NONE;

    while (query.p) {
        struct str value = str_cut(&query, '&'), key;

        if (!percent_decode(mem, str_cut(&value, '='), PERCENT_STRICT, &key))
            return false;
        if (!str_eq(key, name))
            continue;
        if (found.p || !percent_decode(mem, value, PERCENT_STRICT, &found))
            return false;
    }
    *out = found;
    return true;
}
