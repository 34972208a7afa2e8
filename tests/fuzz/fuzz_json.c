/*
 * fuzz_json.c - any bytes as JSON, strictly and with comments.
 *
 * What is accepted is asked everything a tree can be asked, written back, and read again: the
 * second tree must be the first.
 */
#include "base/auto.h"
#include "base/pick.h"
#include "base/utf8.h"

#include <stdlib.h>

enum { DEPTH = 24, VALUES = 400 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void ask_number(struct json v)
{
    struct str raw = json_raw(v);
    double d;
    int64_t n;

    must(json_double(v, &d));
    if (json_int(v, &n))
        must((double)n == d);
    must(raw.n && (raw.p[raw.n - 1] >= '0' && raw.p[raw.n - 1] <= '9'));
}

static void ask_string(struct arena *mem, struct json v)
{
    struct str s = json_str(mem, v);

    must(utf8_valid(s) == s.n);
    must(json_is(v, s));
    must(!json_has_lone_surrogate(v) || str_find(s, STR("\xef\xbf\xbd")) >= 0);
}

static void ask_object(struct arena *mem, struct json v)
{
    struct err e = { 0 };

    JSON_MEMBERS(key, v)
    {
        struct json first = json_get(v, json_str(mem, key));

        must(json_here(first) && first.at <= json_value(key).at);
    }
    if (!pick_check_keys(mem, v, &e))
        must(e.code == ERR_INVALID);
}

static void ask(struct arena *mem, struct json v)
{
    must(json_path(mem, v).p != NULL);
    must(json_where(mem, v).n > 0);
    switch (json_type(v)) {
    case JSON_NUMBER: ask_number(v); break;
    case JSON_STRING: ask_string(mem, v); break;
    case JSON_OBJECT: ask_object(mem, v); break;
    case JSON_BOOL: must(json_true(v) == (json_raw(v).n == 4)); break;
    case JSON_ARRAY:
    case JSON_NULL: break;
    case JSON_MISSING:
    case JSON_TIME: abort();
    }
}

static void write_back(struct arena *mem, struct jw *w, struct json v)
{
    ask(mem, v);
    switch (json_type(v)) {
    case JSON_STRING: jw_str(w, json_str(mem, v)); break;
    case JSON_OBJECT:
        jw_object(w);
        JSON_MEMBERS(key, v)
        {
            ask(mem, key);
            jw_key(w, json_str(mem, key));
            write_back(mem, w, json_value(key));
        }
        jw_object_end(w);
        break;
    case JSON_ARRAY:
        jw_array(w);
        JSON_EACH(item, v) write_back(mem, w, item);
        jw_array_end(w);
        break;
    case JSON_NULL:
    case JSON_BOOL:
    case JSON_NUMBER: jw_raw(w, json_raw(v)); break;
    case JSON_MISSING:
    case JSON_TIME: abort();
    }
}

/* Objects are walked as arrays: their keys and values alternate in both trees. */
static void compare(struct arena *mem, struct json a, struct json b)
{
    struct json other = json_first(b);

    must(json_type(a) == json_type(b) && json_count(a) == json_count(b));
    if (json_type(a) == JSON_STRING)
        must(str_eq(json_str(mem, a), json_str(mem, b)));
    else if (!json_here(other))
        must(json_count(a) || json_type(a) >= JSON_ARRAY || str_eq(json_raw(a), json_raw(b)));
    JSON_EACH(item, a)
    {
        must(json_here(other));
        compare(mem, item, other);
        other = json_next(b, other);
    }
}

static void try_one(struct str text, bool comments)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct json_opts opts = { .file = "f", .max_depth = DEPTH, .max_values = VALUES };
    struct json root, again = { 0 };
    struct err e = { 0 };

    buf_init(&out, 1 << 24);
    opts.comments = comments;
    if (!json_read(&mem, text, &opts, &root, &e)) {
        must(e.code == ERR_INVALID || e.code == ERR_LIMIT);
        must(e.text[0] != 0);
        return;
    }
    write_back(&mem, &w, root);
    opts.comments = false;
    must(!out.full && json_read(&mem, buf_str(&out), &opts, &again, &e));
    compare(&mem, root, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = { (const char *)data, size };

    try_one(text, false);
    try_one(text, true);
    return 0;
}
