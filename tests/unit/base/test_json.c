/* test_json.c - reading JSON, and asking the tree. */
#include "base/auto.h"
#include "base/json.h"
#include "tap.h"

#include <math.h>

static const struct json_opts plain = { .max_depth = 64, .max_values = 10000 };
static const struct json_opts lax = { .max_depth = 64, .max_values = 10000, .comments = true };
static const struct json_opts filed = { .file = "a.json", .max_depth = 64, .max_values = 10000 };

/* Read what must be right. */
static struct json tree(struct arena *mem, const char *text)
{
    struct json root = { 0 };
    struct err e;

    if (!json_read(mem, str_of(text), &plain, &root, &e))
        TAP_NOT("%s: %s", text, e.text);
    return root;
}

/* ---- what is refused, and where --------------------------------------------------------- */

struct refusal {
    const char *text, *says;
};

static void check_refusals(const struct refusal *row, size_t n, const struct json_opts *opts)
{
    for (size_t i = 0; i < n; i++) {
        AUTO_ARENA mem = { 0 };
        struct json root = { NULL, 7 };
        struct err e = { 0 };

        OK(!json_read(&mem, str_of(row[i].text), opts, &root, &e));
        EQ(e.code, ERR_INVALID);
        EQ_STR(e.text, row[i].says);
        OK(!root.doc && root.at == 7);
    }
}

TEST(an_error_in_one_line_names_the_byte)
{
    static const struct refusal rows[] = {
        { "", "byte 0: the text ends too early" },
        { "  ", "byte 2: the text ends too early" },
        { "[1,", "byte 3: the text ends too early" },
        { "[1", "byte 2: the text ends too early" },
        { "[1 2]", "byte 3: expected ',' or ']'" },
        { "{\"a\" 1}", "byte 5: expected ':' after the key" },
        { "{\"a\":1 \"b\"}", "byte 7: expected ',' or '}'" },
        { "{a:1}", "byte 1: expected a key in quotes" },
        { "{\"a\":1,}", "byte 7: expected a key in quotes" },
        { "[1,]", "byte 3: expected a JSON value" },
        { "tru", "byte 0: expected a JSON value" },
        { "\"abc", "byte 0: this string is never closed" },
        { "\"a\\", "byte 3: the text ends too early" },
        { "\"\\x\"", "byte 1: unknown escape; expected \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX" },
        { "\"\\u12g4\"", "byte 1: \\u needs four hexadecimal digits" },
        { "\"\t\"", "byte 1: a control character in a string must be escaped" },
        { "\"\x80\"", "byte 1: not valid UTF-8" },
        { "01", "byte 1: a number must not begin with 0" },
        { "1.", "byte 2: the text ends too early" },
        { "[1.]", "byte 3: expected a digit" },
        { "-a", "byte 1: expected a digit" },
        { "1 1", "byte 2: more text after the JSON value" },
        { "// a comment\n1", "byte 0: expected a JSON value" },
    };

    check_refusals(rows, ARRAY_LEN(rows), &plain);
}

TEST(an_error_in_several_lines_names_line_and_column_in_characters)
{
    static const struct refusal rows[] = {
        { "[\n1,\n  x]", "line 3 column 3: expected a JSON value" },
        { "[\n\"\xc3\xa9\xe2\x82\xac\" x]", "line 2 column 6: expected ',' or ']'" },
        { "\n\n", "line 3 column 1: the text ends too early" },
    };

    check_refusals(rows, ARRAY_LEN(rows), &plain);
}

TEST(an_error_in_a_file_names_the_file)
{
    static const struct refusal rows[] = {
        { "[x", "a.json:1:2: expected a JSON value" },
        { "[1,\n2", "a.json:2:2: the text ends too early" },
    };

    check_refusals(rows, ARRAY_LEN(rows), &filed);
}

TEST(no_text_at_all_is_refused)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e;

    OK(!json_read(&mem, STR_NONE, &plain, &root, &e));
    EQ_STR(e.text, "byte 0: the text ends too early");
}

TEST(a_nul_byte_is_refused_inside_and_outside_of_strings)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e;

    OK(!json_read(&mem, STR("\"a\0b\""), &plain, &root, &e));
    EQ_STR(e.text, "byte 2: a control character in a string must be escaped");
    OK(!json_read(&mem, STR("1\0"), &plain, &root, &e));
    EQ_STR(e.text, "byte 1: more text after the JSON value");
    OK(!json_read(&mem, STR("\"\\\0\""), &plain, &root, &e));
    OK(strstr(e.text, "unknown escape"));
}

/* ---- limits ----------------------------------------------------------------------------- */

static bool read_nested(uint32_t depth, uint32_t max_depth, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF text;
    struct json_opts opts = { .max_depth = max_depth, .max_values = 10000 };
    struct json root;

    buf_init(&text, 10000);
    for (uint32_t i = 0; i < depth; i++)
        buf_put(&text, i % 2 ? STR("[") : STR("{\"a\":"));
    buf_putc(&text, '1');
    for (uint32_t i = depth; i-- > 0;)
        buf_putc(&text, i % 2 ? ']' : '}');
    return json_read(&mem, buf_str(&text), &opts, &root, e);
}

TEST(depth_is_accepted_up_to_its_limit_and_not_beyond)
{
    static const uint32_t limits[] = { 0, 1, 2, 64, JSON_DEPTH_CEILING };

    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        struct err e = { 0 };

        OK(read_nested(limits[i], limits[i], &e));
        OK(!read_nested(limits[i] + 1, limits[i], &e));
        EQ(e.code, ERR_LIMIT);
    }
}

static bool read_numbers(uint32_t count, uint32_t max_values, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF text;
    struct json_opts opts = { .max_depth = 8, .max_values = max_values };
    struct json root;

    buf_init(&text, 100000);
    buf_putc(&text, '[');
    for (uint32_t i = 1; i < count; i++)
        buf_printf(&text, "%s%u", i > 1 ? "," : "", i);
    buf_putc(&text, ']');
    if (!json_read(&mem, buf_str(&text), &opts, &root, e))
        return false;
    EQ(json_count(root), count - 1);
    return true;
}

TEST(values_are_accepted_up_to_their_limit_and_not_beyond)
{
    static const uint32_t limits[] = { 1, 2, 63, 64, 65, 100, 128, 1000, 5000 };

    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        struct err e = { 0 };

        OK(read_numbers(limits[i], limits[i], &e));
        OK(!read_numbers(limits[i] + 1, limits[i], &e));
        EQ(e.code, ERR_LIMIT);
    }
}

/* ---- comments --------------------------------------------------------------------------- */

TEST(comments_and_a_last_comma_are_accepted_where_asked_for)
{
    static const char *const texts[] = {
        "// first\n{\"a\":[1,2,],}",
        "/* a */{/* b */\"a\"/* c */:/* d */[1/* e */,2]/* f */}/* g */",
        "{\"a\":[1,// x\n2 /**/ , // y\n ], /***/ } // no line end",
        "{\"a\":[1,2]}/* \" */",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_ARENA mem = { 0 };
        struct json root = { 0 };
        struct err e = { 0 };

        OK(json_read(&mem, str_of(texts[i]), &lax, &root, &e));
        EQ(json_count(json_get(root, STR("a"))), 2);
        OK(!json_read(&mem, str_of(texts[i]), &plain, &root, &e));
    }
}

TEST(comments_do_not_make_everything_acceptable)
{
    static const struct refusal rows[] = {
        { "[,]", "byte 1: expected a JSON value" },
        { "{,}", "byte 1: expected a key in quotes" },
        { "[1,,]", "byte 3: expected a JSON value" },
        { "{\"a\":1,,}", "byte 7: expected a key in quotes" },
        { "[1]/", "byte 3: expected // or /* at the start of a comment" },
        { "[1/-]", "byte 2: expected // or /* at the start of a comment" },
        { "[1/*]", "byte 2: this comment is never closed" },
        { "/*/", "byte 0: this comment is never closed" },
        { "[1 # 2]", "byte 3: expected ',' or ']'" },
        { "// only a comment", "byte 17: the text ends too early" },
    };

    check_refusals(rows, ARRAY_LEN(rows), &lax);
}

TEST(two_slashes_in_a_string_are_no_comment)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e;

    OK(json_read(&mem, STR("[\"http://x/*y*/\"]"), &lax, &root, &e));
    EQ_S(json_str(&mem, json_first(root)), "http://x/*y*/");
}

/* ---- the tree --------------------------------------------------------------------------- */

TEST(every_type_is_told_and_named)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "[null,true,1,\"s\",[],{}]"), missing = { 0 };
    static const enum json_type want[] = { JSON_NULL,   JSON_BOOL,  JSON_NUMBER,
                                           JSON_STRING, JSON_ARRAY, JSON_OBJECT };
    size_t i = 0;

    JSON_EACH(item, v) EQ(json_type(item), want[i++]);
    EQ(i, ARRAY_LEN(want));
    EQ(json_type(missing), JSON_MISSING);
    EQ_STR(json_type_name(JSON_MISSING), "nothing");
    EQ_STR(json_type_name(JSON_NULL), "null");
    EQ_STR(json_type_name(JSON_BOOL), "a boolean");
    EQ_STR(json_type_name(JSON_NUMBER), "a number");
    EQ_STR(json_type_name(JSON_STRING), "a string");
    EQ_STR(json_type_name(JSON_ARRAY), "an array");
    EQ_STR(json_type_name(JSON_OBJECT), "an object");
    EQ_STR(json_type_name(JSON_TIME), "a date or time");
}

TEST(a_value_keeps_its_bytes)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, " { \"a\" : [ 1 , \"\\u0041\" ] , \"b\":-1.50E+3 } ");

    EQ_S(json_raw(v), "{ \"a\" : [ 1 , \"\\u0041\" ] , \"b\":-1.50E+3 }");
    EQ_S(json_raw(json_get(v, STR("a"))), "[ 1 , \"\\u0041\" ]");
    EQ_S(json_raw(json_get(v, STR("b"))), "-1.50E+3");
    EQ_S(json_raw(json_first(v)), "\"a\"");
    OK(!json_raw(json_get(v, STR("c"))).p);
}

TEST(the_first_of_two_equal_keys_is_found_in_any_spelling)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "{\"x\":0,\"\\u0061\":1,\"a\":2,\"\":3}");

    EQ_S(json_raw(json_get(v, STR("a"))), "1");
    EQ_S(json_raw(json_get(v, STR(""))), "3");
    OK(!json_here(json_get(v, STR("aa"))));
    OK(!json_here(json_get(v, STR("\\u0061"))));
}

TEST(look_ups_of_what_is_not_there_chain)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "{\"a\":[1]}"), none = json_get(json_get(v, STR("b")), STR("c"));
    int64_t n = 5;
    double d = 5;

    OK(!json_here(none) && !json_here(json_first(none)) && !json_here(json_get(none, STR("d"))));
    EQ(json_count(none), 0);
    OK(!json_int(none, &n) && !json_double(none, &d) && !json_true(none));
    OK(!json_is(none, STR("")) && !json_str(&mem, none).p && !json_has_lone_surrogate(none));
    EQ(n, 5);
    OK(!json_here(json_get(json_get(v, STR("a")), STR("0"))));
    OK(!json_here(json_first(json_first(json_get(v, STR("a"))))));
}

TEST(members_and_elements_are_counted_and_walked)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "{\"a\":{\"x\":[1,2]},\"b\":[[],[3]],\"c\":4}");
    size_t n = 0;

    EQ(json_count(v), 3);
    EQ(json_count(json_get(v, STR("b"))), 2);
    EQ(json_count(json_get(v, STR("c"))), 0);
    JSON_MEMBERS(key, v)
    {
        OK(json_is(key, (struct str){ &"abc"[n++], 1 }));
    }
    EQ(n, 3);
}

TEST(strings_are_decoded)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "\"plain\"", "plain" },
        { "\"\"", "" },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t" },
        { "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00z\"", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z" },
        { "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
        { "\"0123456789abcdef0123456789abcdef\\n0123456789abcdef\"",
          "0123456789abcdef0123456789abcdef\n0123456789abcdef" },
        { "\"\\uD834\\udd1e\"", "\xf0\x9d\x84\x9e" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct json v = tree(&mem, rows[i].text);

        EQ_S(json_str(&mem, v), rows[i].want);
        OK(json_is(v, str_of(rows[i].want)));
        OK(!json_is(v, STR("other")));
        OK(!json_has_lone_surrogate(v));
    }
}

TEST(a_string_may_hold_nul)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "\"a\\u0000b\"");

    OK(str_eq(json_str(&mem, v), STR("a\0b")));
    OK(json_is(v, STR("a\0b")) && !json_is(v, STR("a")));
}

TEST(half_a_surrogate_pair_passes_through_and_decodes_to_the_replacement_character)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "\"\\ud800\"", "\xef\xbf\xbd" },
        { "\"\\udc00\"", "\xef\xbf\xbd" },
        { "\"\\ud800x\"", "\xef\xbf\xbdx" },
        { "\"\\ud800\\n\"", "\xef\xbf\xbd\n" },
        { "\"\\ud800\\u0041\"", "\xef\xbf\xbd"
                                "A" },
        { "\"\\udc00\\ud800\"", "\xef\xbf\xbd\xef\xbf\xbd" },
        { "\"\\ud800\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80" },
        { "\"\\ud83d\\ude00\\udfff\"", "\xf0\x9f\x98\x80\xef\xbf\xbd" },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        struct json v = tree(&mem, rows[i].text);

        OK(json_has_lone_surrogate(v));
        EQ_S(json_raw(v), rows[i].text);
        EQ_S(json_str(&mem, v), rows[i].want);
        OK(json_is(v, str_of(rows[i].want)));
    }
}

/* ---- numbers ---------------------------------------------------------------------------- */

TEST(an_integer_is_read_in_any_spelling)
{
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = {
        { "0", 0 },
        { "-0", 0 },
        { "0.0e5", 0 },
        { "0e99999999999999999999", 0 },
        { "-0.000e-99999999999999999999", 0 },
        { "1", 1 },
        { "1.0", 1 },
        { "1.000000000000000000000000000000", 1 },
        { "1e2", 100 },
        { "1E+2", 100 },
        { "100e-2", 1 },
        { "12.50e1", 125 },
        { "0.001e3", 1 },
        { "100000000000000000000e-2", 1000000000000000000 },
        { "1000000000000000000000000000000e-30", 1 },
        { "100.00e-2", 1 },
        { "9223372036854775807", INT64_MAX },
        { "9223372036854775807.000", INT64_MAX },
        { "9.223372036854775807e18", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "-9.223372036854775808e18", INT64_MIN },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        int64_t n = 77;

        if (!json_int(tree(&mem, rows[i].text), &n))
            TAP_NOT("%s is no integer", rows[i].text);
        EQ(n, rows[i].want);
    }
}

TEST(what_is_no_64_bit_integer_is_not_read_as_one)
{
    static const char *const texts[] = {
        "0.5",        "1e-1",
        "1.5e0",      "12e-2",
        "1e19",       "9223372036854775808",
        "1e400",      "-9223372036854775809",
        "1e99999999", "99999999999999999999999999999",
        "1e-400",     "1.0000000000000000000000000000000001",
        "true",       "\"1\"",
        "null",       "[1]",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_ARENA mem = { 0 };
        int64_t n = 77;

        if (json_int(tree(&mem, texts[i]), &n))
            TAP_NOT("%s is an integer", texts[i]);
        EQ(n, 77);
    }
}

TEST(a_number_is_read_as_the_nearest_double)
{
    static const struct {
        const char *text;
        double want;
    } rows[] = {
        { "0.1", 0.1 },
        { "-1.5e3", -1500 },
        { "9007199254740993", 9007199254740992.0 },
        { "1e400", INFINITY },
        { "-1e400", -INFINITY },
        { "1e-400", 0 },
        { "5e-324", 5e-324 },
        { "0.1000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
          "000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
          0.1 },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO_ARENA mem = { 0 };
        double d = 77;

        OK(json_double(tree(&mem, rows[i].text), &d));
        OK(d == rows[i].want);
    }
}

/* ---- where ------------------------------------------------------------------------------ */

static void check_paths(struct arena *mem, struct json v, const char *want)
{
    AUTO_BUF got;

    buf_init(&got, 1000);
    for (uint32_t at = 0; at < 100 && json_here(v); at++) {
        struct json it = { v.doc, at };

        buf_printf(&got, "%s" STR_FMT, at ? " " : "", STR_ARG(json_path(mem, it)));
        if (str_eq(json_raw(it), STR("\"last\"")))
            break;
    }
    EQ_S(buf_str(&got), want);
}

TEST(every_value_and_key_has_a_path)
{
    AUTO_ARENA mem = { 0 };

    check_paths(&mem, tree(&mem, "{\"a\":{\"b\":[0,[1,{\"c\":2}]]},\"d\\n\":\"last\"}"),
                " a a a.b a.b a.b[0] a.b[1] a.b[1][0] a.b[1][1] a.b[1][1].c a.b[1][1].c d\n d\n");
    check_paths(&mem, tree(&mem, "[[],{},[\"last\"]]"), " [0] [1] [2] [2][0]");
}

TEST(a_value_of_a_file_is_found_by_line_and_column)
{
    AUTO_ARENA mem = { 0 };
    struct json root;
    struct err e = { 0 };

    OK(json_read(&mem, STR("{\n  \"\xc3\xa9\": 1, \"a\":\n\t\"x\"}"), &filed, &root, &e));
    EQ_S(json_where(&mem, root), "a.json:1:1");
    EQ_S(json_where(&mem, json_first(root)), "a.json:2:3");
    EQ_S(json_where(&mem, json_get(root, STR("\xc3\xa9"))), "a.json:2:8");
    EQ_S(json_where(&mem, json_get(root, STR("a"))), "a.json:3:2");
    OK(!json_fail(json_get(root, STR("a")), &e, "expected %d", 5));
    EQ(e.code, ERR_INVALID);
    EQ_STR(e.text, "a.json:3:2: a: expected 5");
}

TEST(a_complaint_about_a_message_names_the_path_only)
{
    AUTO_ARENA mem = { 0 };
    struct json v = tree(&mem, "{\"a\":[1]}");
    struct err e = { 0 };

    OK(!json_where(&mem, v).p);
    json_fail(json_first(json_get(v, STR("a"))), &e, "odd");
    EQ_STR(e.text, "a[0]: odd");
    json_fail(v, &e, "odd");
    EQ_STR(e.text, "odd");
    json_fail((struct json){ 0 }, &e, "odd");
    EQ_STR(e.text, "odd");
}

TEST_MAIN()
