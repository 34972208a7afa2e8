/*
 * dump.c - say what our readers make of files, for tests/data/crosscheck.py.
 *
 *   dump json|toml FILE...
 *
 * One line per file: "no SENTENCE" when it is refused, else "ok JSON". TOML tables and arrays
 * are themselves, scalars {"type":"integer","value":"1"}. JSON values are all tagged, objects
 * as lists of pairs so that order and duplicates show.
 */
#include "base/auto.h"
#include "base/toml/toml.h"
#include "loop/file.h"

#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_FILE = 1 << 24, DEPTH = 512, VALUES = 1 << 20 };

static void tag(struct jw *w, const char *type, struct str value)
{
    jw_object(w);
    jw_kstr(w, "type", str_of(type));
    jw_kstr(w, "value", value);
    jw_object_end(w);
}

static void dump_json(struct arena *mem, struct jw *w, struct json v);

static void dump_json_number(struct arena *mem, struct jw *w, struct json v)
{
    double d = 0;
    int64_t n;

    json_double(v, &d);
    jw_object(w);
    jw_kstr(w, "type", STR("number"));
    jw_kstr(w, "value", json_raw(v));
    jw_kstr(w, "double", arena_printf(mem, "%.17g", d));
    if (json_int(v, &n))
        jw_kint(w, "int", n);
    jw_object_end(w);
}

static void dump_json_box(struct arena *mem, struct jw *w, struct json v)
{
    bool object = json_type(v) == JSON_OBJECT;

    jw_object(w);
    jw_kstr(w, "type", object ? STR("object") : STR("array"));
    jw_key(w, STR("value"));
    jw_array(w);
    JSON_EACH(item, v)
    {
        /* an object's nodes alternate: its keys come by here too */
        dump_json(mem, w, item);
    }
    jw_array_end(w);
    jw_object_end(w);
}

static void dump_json(struct arena *mem, struct jw *w, struct json v)
{
    switch (json_type(v)) {
    case JSON_NULL: tag(w, "null", STR("null")); break;
    case JSON_BOOL: tag(w, "bool", json_true(v) ? STR("true") : STR("false")); break;
    case JSON_NUMBER: dump_json_number(mem, w, v); break;
    case JSON_STRING: tag(w, "string", json_str(mem, v)); break;
    case JSON_ARRAY:
    case JSON_OBJECT: dump_json_box(mem, w, v); break;
    case JSON_MISSING:
    case JSON_TIME: abort();
    }
}

static const char *number_tag(struct json v)
{
    struct str s = json_raw(v);

    for (size_t i = 0; i < s.n; i++)
        if (strchr(".eEn", s.p[i])) /* n: inf and nan */
            return "float";
    return "integer";
}

static const char *time_tag(struct str s)
{
    if (s.p[2] == ':')
        return "time-local";
    if (s.n == 10)
        return "date-local";
    for (size_t i = 11; i < s.n; i++)
        if (strchr("Z+-", s.p[i]))
            return "datetime";
    return "datetime-local";
}

static void dump_toml(struct arena *mem, struct jw *w, struct json v)
{
    switch (json_type(v)) {
    case JSON_BOOL: tag(w, "bool", json_true(v) ? STR("true") : STR("false")); break;
    case JSON_NUMBER: tag(w, number_tag(v), json_raw(v)); break;
    case JSON_TIME: tag(w, time_tag(json_raw(v)), json_raw(v)); break;
    case JSON_STRING: tag(w, "string", json_str(mem, v)); break;
    case JSON_ARRAY:
        jw_array(w);
        JSON_EACH(item, v) dump_toml(mem, w, item);
        jw_array_end(w);
        break;
    case JSON_OBJECT:
        jw_object(w);
        JSON_MEMBERS(key, v)
        {
            jw_key(w, json_str(mem, key));
            dump_toml(mem, w, json_value(key));
        }
        jw_object_end(w);
        break;
    case JSON_MISSING:
    case JSON_NULL: abort();
    }
}

static bool read_any(struct arena *mem, bool toml, const char *path, struct json *out,
                     struct err *e)
{
    struct json_opts opts = { .file = path, .max_depth = DEPTH, .max_values = VALUES };
    struct str text;

    if (!file_read(mem, path, LARGEST_FILE, &text, e))
        return false;
    return toml ? toml_read(mem, text, path, DEPTH, out, e) : json_read(mem, text, &opts, out, e);
}

static void dump_file(bool toml, const char *path)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    struct json root;
    struct err e;

    buf_init(&out, SIZE_MAX / 4);
    if (!read_any(&mem, toml, path, &root, &e)) {
        printf("no %s\n", e.text);
        return;
    }
    if (toml)
        dump_toml(&mem, &w, root);
    else
        dump_json(&mem, &w, root);
    printf("ok " STR_FMT "\n", STR_ARG(buf_str(&out)));
}

int main(int argc, char **argv)
{
    bool toml = argc > 1 && !strcmp(argv[1], "toml");

    if (argc < 3 || (!toml && strcmp(argv[1], "json") != 0)) {
        fprintf(stderr, "usage: dump json|toml FILE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        dump_file(toml, argv[i]);
    return 0;
}
