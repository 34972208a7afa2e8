#include "base/limits.h"

#include "base/pick.h"

const struct limit_row limit_rows[] = {
#define LIMIT(name, preset, least, most, unit, what)                                               \
    { #name, #unit, what, preset, least, most, offsetof(struct limits, name) },
#include "base/limits.def"
#undef LIMIT
};

const size_t limit_count = ARRAY_LEN(limit_rows);

void limits_preset(struct limits *l)
{
    *l = (struct limits){
#define LIMIT(name, preset, least, most, unit, what) .name = preset,
#include "base/limits.def"
#undef LIMIT
    };
}

bool limits_read(struct arena *mem, struct json table, struct limits *l, struct err *e)
{
    static const struct pick rows[] = {
#define LIMIT(name, preset, least, most, unit, what)                                               \
    PICK_RANGE(#name, struct limits, name, 0, least, most),
#include "base/limits.def"
#undef LIMIT
    };

    return pick(mem, table, PICK_TABLE(rows), PICK_STRICT, l, e);
}

struct json_opts limits_json(const struct limits *l)
{
    return (struct json_opts){ .max_depth = (uint32_t)l->json_depth,
                               .max_values = (uint32_t)l->json_values };
}
