#include "config/web_read.h"

const struct pick web_fields[1] = {
    PICK_FIELD("allow_private", PICK_STRS, struct web_table, allow_private, 0),
};

bool web_ranges_read(struct arena *mem, const struct limits *limits, struct json table,
                     const struct pick_strs *text, struct ip_range_list *out, struct err *e)
{
    struct json at = json_get(table, STR("allow_private"));
    struct ip_range *v;
    const char *why;

    if (text->n > (size_t)limits->private_ranges)
        return json_fail(at, e, "%zu ranges; at most %jd are accepted", text->n,
                         (intmax_t)limits->private_ranges);
    v = ARENA_ARRAY(mem, struct ip_range, text->n);
    for (size_t i = 0; i < text->n; i++)
        if (!ip_range_read(text->v[i], &v[i], &why))
            return json_fail(at, e, "\"" STR_FMT "\": %s", STR_ARG(str_head(text->v[i], 60)), why);
    *out = (struct ip_range_list){ v, text->n };
    return true;
}
