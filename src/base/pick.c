#include "base/pick.h"

#include "base/hash.h"
#include "base/nearest.h"
#include "base/utf8.h"

#include <stdio.h>

/* ---- keys ------------------------------------------------------------------------------- */

enum { FEW_KEYS = 12 };

__attribute__((cold)) static bool fail_duplicate(struct arena *mem, struct json key, struct err *e)
{
    return json_fail(key, e, "duplicate key \"" STR_FMT "\"",
                     STR_ARG(utf8_head(json_str(mem, key), 64)));
}

/* Keys are untrusted: an attacker who could choose their slots could make this quadratic. */
static bool check_many(struct arena *mem, struct json obj, size_t count, struct err *e)
{
    uint64_t secret = hash_secret();
    size_t slots = 16;
    struct str *slot;

    while (slots < count * 2)
        slots *= 2;
    slot = ARENA_ARRAY(mem, struct str, slots);
    JSON_MEMBERS(k, obj)
    {
        struct str key = json_str(mem, k);
        size_t i = hash_str(secret, key) & (slots - 1);

        for (; slot[i].p; i = (i + 1) & (slots - 1))
            if (str_eq(slot[i], key))
                return fail_duplicate(mem, k, e);
        slot[i] = key;
    }
    return true;
}

static bool stands_in(const struct str *list, size_t n, struct str key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(list[i], key))
            return true;
    return false;
}

bool pick_check_keys(struct arena *mem, struct json obj, struct err *e)
{
    struct str few[FEW_KEYS];
    size_t n = 0;

    JSON_MEMBERS(k, obj)
    {
        if (json_has_lone_surrogate(k))
            return json_fail(k, e, "a key contains a lone surrogate");
        if (n < FEW_KEYS) {
            few[n] = json_str(mem, k);
            if (stands_in(few, n, few[n]))
                return fail_duplicate(mem, k, e);
        }
        n++;
    }
    return n <= FEW_KEYS || check_many(mem, obj, n, e);
}

/* ---- values ----------------------------------------------------------------------------- */

static const char *kind_name(enum pick_kind kind)
{
    switch (kind) {
    case PICK_STR: return "a string";
    case PICK_STRS: return "an array of strings";
    case PICK_BOOL: return "true or false";
    case PICK_INT: return "an integer";
    case PICK_DOUBLE: return "a number";
    case PICK_OBJECT: return "an object";
    case PICK_ARRAY: return "an array";
    case PICK_ANY: return "any value";
    case PICK_ID: return "a string or an integer";
    case PICK_SUB: return "an object";
    }
    return "?";
}

__attribute__((cold)) static bool fail_kind(const struct pick *row, struct json v, struct err *e)
{
    return json_fail(v, e, "expected %s, found %s", kind_name(row->kind),
                     json_type_name(json_type(v)));
}

static bool take_strs(struct arena *mem, const struct pick *row, struct json v,
                      struct pick_strs *out, struct err *e)
{
    size_t n = 0;

    if (json_type(v) != JSON_ARRAY)
        return fail_kind(row, v, e);
    out->v = ARENA_ARRAY(mem, struct str, json_count(v));
    JSON_EACH(item, v)
    {
        if (json_type(item) != JSON_STRING)
            return json_fail(item, e, "expected a string, found %s",
                             json_type_name(json_type(item)));
        out->v[n++] = json_str(mem, item);
    }
    out->n = n;
    out->set = true;
    return true;
}

static bool take_int(const struct pick *row, struct json v, int64_t *out, struct err *e)
{
    int64_t n;

    if (!json_int(v, &n))
        return json_type(v) == JSON_NUMBER ? json_fail(v, e, "expected an integer in range")
                                           : fail_kind(row, v, e);
    if ((row->min || row->max) && (n < row->min || n > row->max))
        return json_fail(v, e, "%lld is out of range; expected %lld to %lld", (long long)n,
                         (long long)row->min, (long long)row->max);
    *out = n;
    return true;
}

static bool take_id(const struct pick *row, struct json v, struct json *out, struct err *e)
{
    int64_t n;

    if (json_type(v) != JSON_STRING && !json_int(v, &n))
        return fail_kind(row, v, e);
    if (json_has_lone_surrogate(v))
        return json_fail(v, e, "the id contains a lone surrogate");
    *out = v;
    return true;
}

static bool take_typed(const struct pick *row, struct json v, enum json_type want, struct json *out,
                       struct err *e)
{
    if (json_type(v) != want)
        return fail_kind(row, v, e);
    *out = v;
    return true;
}

static bool take(struct arena *mem, const struct pick *row, struct json v, enum pick_mode mode,
                 void *to, struct err *e)
{
    switch (row->kind) {
    case PICK_STR:
        if (json_type(v) != JSON_STRING)
            return fail_kind(row, v, e);
        *(struct str *)to = json_str(mem, v);
        return true;
    case PICK_BOOL:
        if (json_type(v) != JSON_BOOL)
            return fail_kind(row, v, e);
        *(bool *)to = json_true(v);
        return true;
    case PICK_DOUBLE: return json_double(v, to) || fail_kind(row, v, e);
    case PICK_STRS: return take_strs(mem, row, v, to, e);
    case PICK_INT: return take_int(row, v, to, e);
    case PICK_OBJECT: return take_typed(row, v, JSON_OBJECT, to, e);
    case PICK_ARRAY: return take_typed(row, v, JSON_ARRAY, to, e);
    case PICK_ID: return take_id(row, v, to, e);
    case PICK_SUB: return pick(mem, v, row->sub, row->sub_count, mode, to, e);
    case PICK_ANY: *(struct json *)to = v; return true;
    }
    return false;
}

/* ---- the table -------------------------------------------------------------------------- */

/* rows: there is none for this key. */
static inline size_t find_row(const struct pick *row, size_t rows, struct str key)
{
    size_t i = 0;

    while (i < rows && !str_eq(key, row[i].name))
        i++;
    return i;
}

__attribute__((cold)) static bool fail_unknown(struct arena *mem, struct json key,
                                               const struct pick *row, size_t rows, struct err *e)
{
    struct nearest near = nearest_to(json_str(mem, key));
    struct str names = STR("");

    for (size_t i = 0; i < rows; i++) {
        names = arena_printf(mem, STR_FMT "%s" STR_FMT, STR_ARG(names), i ? ", " : "",
                             STR_ARG(row[i].name));
        nearest_try(&near, row[i].name);
    }
    if (near.best.p)
        return json_fail(key, e, "unknown key%s", nearest_hint(&near));
    return json_fail(key, e, "unknown key; accepted keys: " STR_FMT, STR_ARG(names));
}

__attribute__((cold)) static bool check_present(struct json obj, const struct pick *row,
                                                size_t rows, struct err *e)
{
    for (size_t i = 0; i < rows; i++)
        if ((row[i].flags & PICK_MUST) && !json_here(json_get(obj, row[i].name)))
            return json_fail(obj, e, "missing required key \"" STR_FMT "\" (%s)",
                             STR_ARG(row[i].name), kind_name(row[i].kind));
    return true;
}

enum { MOST_ROWS = 64 };

/* The keys of one object so far. */
struct pick_seen {
    uint64_t rows;         /* a bit for each row of the table */
    size_t n, others;      /* members, and those that have no row */
    uint8_t row[FEW_KEYS]; /* of the first members */
    struct str other[FEW_KEYS];
};

/* False: the key is there twice or is not valid. */
static bool seen_add(struct pick_seen *seen, struct json k, struct str key, size_t row, size_t rows)
{
    uint64_t bit = (uint64_t)1 << row % MOST_ROWS;
    bool known = row < rows;

    if (json_has_lone_surrogate(k) || (known && (seen->rows & bit)) ||
        (!known && stands_in(seen->other, seen->others, key)))
        return false;
    seen->row[seen->n++] = (uint8_t)row;
    if (known)
        seen->rows |= bit;
    else
        seen->other[seen->others++] = key;
    return true;
}

static bool seen_all(const struct pick_seen *seen, const struct pick *row, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if ((row[i].flags & PICK_MUST) && !(seen->rows >> i & 1))
            return false;
    return true;
}

/* False: a key or a missing member is an error, or there are too many keys to be sure. */
static bool match_keys(struct arena *mem, struct json obj, const struct pick *row, size_t rows,
                       struct pick_seen *seen)
{
    seen->rows = 0;
    seen->n = 0;
    seen->others = 0;
    if (rows > MOST_ROWS)
        return false;
    JSON_MEMBERS(k, obj)
    {
        struct str key = json_str(mem, k);

        if (seen->n == FEW_KEYS || !seen_add(seen, k, key, find_row(row, rows, key), rows))
            return false;
    }
    return seen_all(seen, row, rows);
}

bool pick(struct arena *mem, struct json obj, const struct pick *row, size_t rows,
          enum pick_mode mode, void *out, struct err *e)
{
    struct pick_seen seen;
    size_t n = 0;

    if (json_type(obj) != JSON_OBJECT)
        return json_fail(obj, e, "expected an object, found %s", json_type_name(json_type(obj)));
    if (!match_keys(mem, obj, row, rows, &seen) &&
        (!pick_check_keys(mem, obj, e) || !check_present(obj, row, rows, e)))
        return false;
    JSON_MEMBERS(key, obj)
    {
        size_t i = n < seen.n ? seen.row[n] : find_row(row, rows, json_str(mem, key));
        struct json v = json_value(key);

        n++;
        if (i == rows) {
            if (mode == PICK_STRICT)
                return fail_unknown(mem, key, row, rows, e);
            continue;
        }
        if (json_type(v) == JSON_NULL && !(row[i].flags & PICK_MUST) && row[i].kind != PICK_ANY)
            continue;
        if (!take(mem, &row[i], v, mode, (char *)out + row[i].offset, e))
            return false;
    }
    return true;
}

void pick_strs_write(struct jw *w, const char *key, const struct pick_strs *list)
{
    if (!list->set)
        return;
    jw_plain_key(w, str_of(key));
    jw_array(w);
    for (size_t i = 0; i < list->n; i++)
        jw_str(w, list->v[i]);
    jw_array_end(w);
}
