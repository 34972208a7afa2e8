#include "base/limits.h"

#include "base/pick.h"

const struct limit_row limit_rows[] = {
#define ROW(project, tuning, name, preset, least, most, unit, what)                                \
    { #name, #unit, what, project, tuning, preset, least, most, offsetof(struct limits, name) },
#define LIMIT(...) ROW(LIMIT_LOWER, false, __VA_ARGS__)
#define LIMIT_OR_NONE(...) ROW(LIMIT_LOWER_NOT0, false, __VA_ARGS__)
#define LIMIT_OF_USER(...) ROW(LIMIT_USERS_ONLY, false, __VA_ARGS__)
#define TUNE(...) ROW(LIMIT_LOWER, true, __VA_ARGS__)
#define TUNE_OF_USER(...) ROW(LIMIT_USERS_ONLY, true, __VA_ARGS__)
#include "base/limits.def"
#undef ROW
};

const size_t limit_count = ARRAY_LEN(limit_rows);

void limits_preset(struct limits *l)
{
    *l = (struct limits){
#define LIMIT(name, preset, least, most, unit, what) .name = preset,
#define FIXED(name, value, unit, what) .name = value,
#include "base/limits.def"
    };
}

/* Name the constant instead of calling it an unknown key. */
static bool limits_check_fixed(struct json table, struct err *e)
{
    static const char *const names[] = {
#define FIXED(name, value, unit, what) #name,
#include "base/limits.def"
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct json value = json_get(table, str_of(names[i]));

        if (json_type(value) != JSON_MISSING)
            return json_fail(value, e, "is a constant and cannot be configured");
    }
    return true;
}

bool limits_read(struct arena *mem, struct json table, struct limits *l, struct err *e)
{
    static const struct pick rows[] = {
#define LIMIT(name, preset, least, most, unit, what)                                               \
    PICK_RANGE(#name, struct limits, name, 0, least, most),
#include "base/limits.def"
    };

    return limits_check_fixed(table, e) && pick(mem, table, PICK_TABLE(rows), PICK_STRICT, l, e);
}

int64_t limits_get(const struct limits *l, const struct limit_row *row)
{
    return *(const int64_t *)(const void *)((const char *)l + row->offset);
}

void limits_set(struct limits *l, const struct limit_row *row, int64_t value)
{
    *(int64_t *)(void *)((char *)l + row->offset) = value;
}

bool limit_project_may(const struct limit_row *row, int64_t now, int64_t value)
{
    if (value == now)
        return true;
    switch (row->project) {
    case LIMIT_LOWER: return value < now;
    case LIMIT_LOWER_NOT0: return value != 0 && (now == 0 || value < now);
    case LIMIT_USERS_ONLY: return false;
    }
    return false;
}

struct json_opts limits_json(const struct limits *l)
{
    return (struct json_opts){ .max_depth = (uint32_t)l->json_depth,
                               .max_values = (uint32_t)l->json_values };
}
