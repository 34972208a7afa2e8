/*
 * fuzz_toml.c - any bytes as TOML.
 *
 * Of what is accepted, the JSON text must be JSON and read as the same tree, each node's span
 * its own piece of it, and each position a place in the file where such a value can stand.
 */
#include "base/auto.h"
#include "base/json_doc.h"
#include "base/toml/toml.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH = 24, NODES_EACH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
    if (!ok)
        abort();
}

static struct json read_json(struct arena *mem, struct str text)
{
    struct json_opts opts = { .max_depth = DEPTH, .max_values = UINT32_MAX };
    struct json root;
    struct err e;

    must(json_read(mem, text, &opts, &root, &e));
    return root;
}

static bool is_special(struct json v)
{
    double d;

    return json_type(v) == JSON_NUMBER &&
           (!json_double(v, &d) || json_raw(v).p[0] > '9' || str_eq(json_raw(v), STR("-inf")));
}

/* a from TOML, b from its JSON text; objects are walked as arrays. */
static void compare(struct arena *mem, struct json a, struct json b)
{
    struct json other = json_first(b);
    bool quoted = json_type(a) == JSON_TIME || is_special(a);

    must(json_type(b) == (quoted ? JSON_STRING : json_type(a)));
    if (quoted)
        must(json_is(b, json_raw(a)));
    else if (json_type(a) == JSON_STRING)
        must(str_eq(json_str(mem, a), json_str(mem, b)));
    else
        must(str_eq(json_raw(a), json_raw(b)));
    JSON_EACH(item, a)
    {
        must(json_here(other));
        compare(mem, item, other);
        other = json_next(b, other);
    }
    must(!json_here(other));
}

static void check_time(struct str s)
{
    must(s.n >= 8);
    for (size_t i = 0; i < s.n; i++)
        must((s.p[i] >= '0' && s.p[i] <= '9') || strchr("-:.+TZ", s.p[i]));
}

/* The byte at a position; 0 at the end of the text. */
static char byte_at(struct str text, struct json_pos pos)
{
    uint32_t line = 1, column = 1;

    for (size_t i = 0; i < text.n; i++) {
        if (line == pos.line && column == pos.column)
            return text.p[i];
        must(line <= pos.line);
        if (text.p[i] == '\n') {
            line++;
            column = 1;
        } else {
            i += utf8_len(text.p + i, text.n - i) - 1;
            column++;
        }
    }
    must(line == pos.line && column == pos.column);
    return 0;
}

static void check_place(struct str text, struct json v, bool key)
{
    char c = byte_at(text, v.doc->pos[v.at]);

    if (key)
        must(c && (strchr("\"'-_", c) || (c | 0x20) >= 'a' || (c >= '0' && c <= '9')));
    else if (json_type(v) == JSON_STRING)
        must(c == '"' || c == '\'');
    else if (json_type(v) == JSON_ARRAY)
        must(c == '[');
    else if (json_type(v) == JSON_BOOL)
        must(c == 't' || c == 'f');
    else if (json_type(v) == JSON_NUMBER || json_type(v) == JSON_TIME)
        must(c && strchr("+-0123456789in", c));
}

static void check_tree(struct arena *mem, struct str text, struct json v)
{
    if (json_type(v) == JSON_TIME)
        check_time(json_raw(v));
    else if (!is_special(v) && v.doc->count <= NODES_EACH)
        compare(mem, v, read_json(mem, json_raw(v)));
    must(v.at == 0 || v.doc->count > NODES_EACH || json_path(mem, v).p);
    if (v.at)
        check_place(text, v, false);
    if (json_type(v) == JSON_ARRAY) {
        JSON_EACH(item, v) check_tree(mem, text, item);
        return;
    }
    if (json_type(v) != JSON_OBJECT)
        return;
    JSON_MEMBERS(key, v)
    {
        if (v.doc->count <= NODES_EACH) /* no key stands twice: the first is the only one */
            must(json_get(v, json_str(mem, key)).at == key.at + 1);
        check_place(text, key, true);
        check_tree(mem, text, json_value(key));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA mem = { 0 };
    struct str text = { (const char *)data, size };
    struct json root;
    struct err e = { 0 };

    if (!toml_read(&mem, text, "f", DEPTH, &root, &e)) {
        must((e.code == ERR_INVALID || e.code == ERR_LIMIT) && !strncmp(e.text, "f:", 2));
        return 0;
    }
    must(json_type(root) == JSON_OBJECT && root.doc->node[0].next == root.doc->count);
    compare(&mem, root, read_json(&mem, json_raw(root)));
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_skip(text, 3);
    if (size < 4096)
        check_tree(&mem, text, root);
    return 0;
}
