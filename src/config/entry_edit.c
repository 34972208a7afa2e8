#include "config/entry_edit.h"

enum { VALUE_DEPTH = 16, VALUE_VALUES = 1000 };

bool entry_read_value(struct arena *mem, const struct entry_put *put, struct json *out,
                      struct err *e)
{
    const struct json_opts opts = { .max_depth = VALUE_DEPTH, .max_values = VALUE_VALUES };

    return json_read(mem, put->value, &opts, out, e);
}

/* Do both mean the same? The order of members does not count. */
static bool entry_equal(struct arena *mem, struct json a, struct json b);

static bool equal_members(struct arena *mem, struct json a, struct json b)
{
    JSON_MEMBERS(key, a)
    if (!entry_equal(mem, json_value(key), json_get(b, json_str(mem, key))))
        return false;
    return true;
}

static bool equal_items(struct arena *mem, struct json a, struct json b)
{
    struct json y = json_first(b);

    for (struct json x = json_first(a); json_here(x); x = json_next(a, x), y = json_next(b, y))
        if (!entry_equal(mem, x, y))
            return false;
    return true;
}

static bool entry_equal(struct arena *mem, struct json a, struct json b)
{
    enum json_type type = json_type(a);

    if (type != json_type(b) || json_count(a) != json_count(b))
        return false;
    if (type == JSON_STRING)
        return json_is(a, json_str(mem, b));
    if (type == JSON_OBJECT)
        return equal_members(mem, a, b);
    return type == JSON_ARRAY ? equal_items(mem, a, b) : str_eq(json_raw(a), json_raw(b));
}

bool entry_is_there(struct arena *mem, const struct entry_put *put, struct json map,
                    struct json value, enum entry_change *how, struct str *out)
{
    struct json old = json_get(map, put->name);
    bool same = json_type(old) == JSON_OBJECT && json_type(value) == JSON_OBJECT
                    ? equal_members(mem, value, old)
                    : json_here(old) && entry_equal(mem, value, old);

    if (!json_here(old) || (!same && put->replace))
        return false;
    *how = same ? ENTRY_SAME : ENTRY_DIFFERS;
    *out = put->text;
    return true;
}

/* Every member of `was` but `but` means the same in `now`, and `now` has no more than `more`. */
static bool rest_kept(struct arena *mem, struct json was, struct json now, struct str but,
                      size_t more)
{
    JSON_MEMBERS(key, was)
    if (!json_is(key, but) && !entry_equal(mem, json_value(key), json_get(now, json_str(mem, key))))
        return false;
    return json_count(now) == json_count(was) + more;
}

bool entry_verify(struct arena *mem, const struct entry_put *put, struct json was, struct json now,
                  struct json value, struct err *e)
{
    struct json old_map = json_get(was, put->map), map = json_get(now, put->map);

    if (entry_equal(mem, json_get(map, put->name), value) &&
        rest_kept(mem, old_map, map, put->name, !json_here(json_get(old_map, put->name))) &&
        rest_kept(mem, was, now, put->map, !json_here(old_map)))
        return true;
    return fail(
        e, ERR_INVALID,
        "%s: the edit would also change other entries, so nothing was written; edit the file "
        "by hand",
        put->file);
}
