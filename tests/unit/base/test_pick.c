/* test_pick.c - decoding by a table of fields. */
#include "base/auto.h"
#include "base/pick.h"
#include "tap.h"

#include <math.h>

struct inner {
    int64_t n;
};

struct all {
    struct str s;
    struct pick_strs list;
    bool b;
    int64_t i;
    int64_t any_i;
    double d;
    struct json o, a, any, id;
    struct inner sub;
};

static const struct pick inner_rows[] = {
    PICK_FIELD("n", PICK_INT, struct inner, n, PICK_MUST),
};

static const struct pick rows[] = {
    PICK_FIELD("s", PICK_STR, struct all, s, 0),
    PICK_FIELD("list", PICK_STRS, struct all, list, 0),
    PICK_FIELD("b", PICK_BOOL, struct all, b, 0),
    PICK_RANGE("i", struct all, i, 0, -5, 10),
    PICK_FIELD("any_i", PICK_INT, struct all, any_i, 0),
    PICK_FIELD("d", PICK_DOUBLE, struct all, d, 0),
    PICK_FIELD("o", PICK_OBJECT, struct all, o, 0),
    PICK_FIELD("a", PICK_ARRAY, struct all, a, 0),
    PICK_FIELD("any", PICK_ANY, struct all, any, 0),
    PICK_FIELD("id", PICK_ID, struct all, id, 0),
    PICK_NESTED("sub", struct all, sub, 0, inner_rows),
};

static struct json tree(struct arena *mem, struct str text)
{
    const struct json_opts opts = { .max_depth = 64, .max_values = 1000000 };
    struct json root = { 0 };
    struct err e;

    if (!json_read(mem, text, &opts, &root, &e))
        TAP_NOT("%.60s: %s", text.p, e.text);
    return root;
}

static bool pick_text(struct arena *mem, const char *text, enum pick_mode mode, struct all *out,
                      struct err *e)
{
    return pick(mem, tree(mem, str_of(text)), PICK_TABLE(rows), mode, out, e);
}

TEST(every_kind_of_field_is_decoded)
{
    AUTO_ARENA mem = { 0 };
    struct all v = { 0 };
    struct err e = { 0 };

    OK(pick_text(
        &mem,
        "{\"s\":\"\\u0041\",\"list\":[\"x\",\"\\n\"],\"b\":true,\"i\":1e1,\"any_i\":-7,"
        "\"d\":0.5,\"o\":{\"k\":1},\"a\":[1],\"any\":\"q\",\"id\":\"7\",\"sub\":{\"n\":3}}",
        PICK_STRICT, &v, &e));
    EQ_S(v.s, "A");
    OK(v.list.set);
    EQ(v.list.n, 2);
    EQ_S(v.list.v[0], "x");
    EQ_S(v.list.v[1], "\n");
    OK(v.b);
    EQ(v.i, 10);
    EQ(v.any_i, -7);
    OK(v.d == 0.5);
    EQ_S(json_raw(v.o), "{\"k\":1}");
    EQ_S(json_raw(v.a), "[1]");
    EQ_S(json_raw(v.any), "\"q\"");
    EQ_S(json_raw(v.id), "\"7\"");
    EQ(v.sub.n, 3);
}

TEST(an_absent_or_null_field_keeps_its_default)
{
    static const char *const texts[] = {
        "{}",
        "{\"s\":null,\"list\":null,\"b\":null,\"i\":null,\"d\":null,\"o\":null,\"sub\":null}",
    };

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_ARENA mem = { 0 };
        struct all v = { .s = STR("kept"), .b = true, .i = 9, .d = 2, .sub = { 4 } };
        struct err e;

        OK(pick_text(&mem, texts[i], PICK_STRICT, &v, &e));
        EQ_S(v.s, "kept");
        OK(v.b && v.d == 2 && !v.list.set && !json_here(v.o));
        EQ(v.i, 9);
        EQ(v.sub.n, 4);
    }
}

TEST(null_is_a_value_where_any_value_is_wanted)
{
    AUTO_ARENA mem = { 0 };
    struct all v = { 0 };
    struct err e;

    OK(pick_text(&mem, "{\"any\":null}", PICK_STRICT, &v, &e));
    EQ(json_type(v.any), JSON_NULL);
}

TEST(a_list_is_absent_empty_or_full)
{
    AUTO_ARENA mem = { 0 };
    struct all v = { 0 };
    struct err e;

    OK(pick_text(&mem, "{}", 0, &v, &e));
    OK(!v.list.set);
    OK(pick_text(&mem, "{\"list\":[]}", 0, &v, &e));
    OK(v.list.set);
    EQ(v.list.n, 0);
}

TEST(a_wrong_value_is_refused_with_its_path_and_what_is_accepted)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        { "[]", "expected an object, found an array" },
        { "{\"s\":1}", "s: expected a string, found a number" },
        { "{\"list\":\"x\"}", "list: expected an array of strings, found a string" },
        { "{\"list\":[\"x\",2]}", "list[1]: expected a string, found a number" },
        { "{\"b\":1}", "b: expected true or false, found a number" },
        { "{\"b\":\"true\"}", "b: expected true or false, found a string" },
        { "{\"i\":\"1\"}", "i: expected an integer, found a string" },
        { "{\"i\":0.5}", "i: expected an integer in range" },
        { "{\"i\":1e30}", "i: expected an integer in range" },
        { "{\"i\":11}", "i: 11 is out of range; expected -5 to 10" },
        { "{\"i\":-6}", "i: -6 is out of range; expected -5 to 10" },
        { "{\"d\":\"1\"}", "d: expected a number, found a string" },
        { "{\"o\":[]}", "o: expected an object, found an array" },
        { "{\"a\":{}}", "a: expected an array, found an object" },
        { "{\"id\":1.5}", "id: expected a string or an integer, found a number" },
        { "{\"id\":true}", "id: expected a string or an integer, found a boolean" },
        { "{\"id\":\"\\ud800\"}", "id: the id contains a lone surrogate" },
        { "{\"sub\":3}", "sub: expected an object, found a number" },
        { "{\"sub\":{}}", "sub: missing required key \"n\" (an integer)" },
        { "{\"sub\":{\"n\":null}}", "sub.n: expected an integer, found null" },
        { "{\"sub\":{\"n\":\"x\"}}", "sub.n: expected an integer, found a string" },
        { "{\"\\udc00\":1}", "\xef\xbf\xbd: a key contains a lone surrogate" },
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_ARENA mem = { 0 };
        struct all v = { 0 };
        struct err e = { 0 };

        OK(!pick_text(&mem, wrong[i].text, PICK_LENIENT, &v, &e));
        EQ(e.code, ERR_INVALID);
        EQ_STR(e.text, wrong[i].says);
    }
}

TEST(the_ends_of_a_range_belong_to_it)
{
    AUTO_ARENA mem = { 0 };
    struct all v = { 0 };
    struct err e;

    OK(pick_text(&mem, "{\"i\":-5}", 0, &v, &e));
    EQ(v.i, -5);
    OK(pick_text(&mem, "{\"i\":10}", 0, &v, &e));
    EQ(v.i, 10);
    OK(pick_text(&mem, "{\"any_i\":9223372036854775807}", 0, &v, &e));
    EQ(v.any_i, INT64_MAX);
}

TEST(an_unknown_member_is_an_error_only_where_that_is_wanted)
{
    AUTO_ARENA mem = { 0 };
    struct all v = { 0 };
    struct err e = { 0 };

    OK(pick_text(&mem, "{\"S\":1,\"zz\":2}", PICK_LENIENT, &v, &e));
    OK(!pick_text(&mem, "{\"S\":1}", PICK_STRICT, &v, &e));
    EQ_STR(e.text, "S: unknown key; did you mean \"s\"?");
    OK(!pick_text(&mem, "{\"sub\":{\"n\":1,\"m\":2}}", PICK_STRICT, &v, &e));
    EQ_STR(e.text, "sub.m: unknown key; accepted keys: n");
}

TEST(a_key_that_stands_twice_is_refused_also_when_unknown_or_spelled_differently)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        { "{\"s\":\"a\",\"s\":\"b\"}", "s: duplicate key \"s\"" },
        { "{\"zz\":1,\"b\":true,\"zz\":1}", "zz: duplicate key \"zz\"" },
        { "{\"a\\u0062\":1,\"ab\":2}", "ab: duplicate key \"ab\"" },
        { "{\"ab\":1,\"\\u0061b\":2}", "ab: duplicate key \"ab\"" },
        { "{\"sub\":{\"n\":1,\"n\":1}}", "sub.n: duplicate key \"n\"" },
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO_ARENA mem = { 0 };
        struct all v = { 0 };
        struct err e = { 0 };

        OK(!pick_text(&mem, wrong[i].text, PICK_LENIENT, &v, &e));
        EQ_STR(e.text, wrong[i].says);
    }
}

/* An object of n keys, all different, and then one more. */
static bool check_keys(size_t n, const char *more, struct err *e)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF text;

    buf_init(&text, 1 << 24);
    buf_putc(&text, '{');
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "\"k%zu%s\":0,", i, i % 3 ? "" : "\\u0021");
    buf_printf(&text, "\"%s\":0}", more);
    return pick_check_keys(&mem, tree(&mem, buf_str(&text)), e);
}

TEST(a_key_that_stands_twice_is_found_among_few_and_many)
{
    static const size_t counts[] = { 2, 11, 12, 13, 14, 100, 1000, 100000 };

    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        char last[32];
        struct err e = { 0 };

        OK(check_keys(counts[i], "new", &e));
        OK(!check_keys(counts[i], "k0!", &e));
        EQ_STR(e.text, "k0!: duplicate key \"k0!\"");
        OK(!check_keys(counts[i], "k1", &e));
        OK(!check_keys(counts[i], "\\u006b1", &e));
        snprintf(last, sizeof(last), "k%zu%s", counts[i] - 1, (counts[i] - 1) % 3 ? "" : "!");
        OK(!check_keys(counts[i], last, &e));
    }
}

TEST(what_must_be_there_is_missed_before_anything_is_decoded)
{
    struct pair {
        struct str a;
        bool b;
    } v = { 0 };
    static const struct pick must[] = {
        PICK_FIELD("a", PICK_STR, struct pair, a, 0),
        PICK_FIELD("b", PICK_BOOL, struct pair, b, PICK_MUST),
    };
    AUTO_ARENA mem = { 0 };
    struct err e = { 0 };

    OK(!pick(&mem, tree(&mem, STR("{\"a\":\"x\"}")), PICK_TABLE(must), 0, &v, &e));
    EQ_STR(e.text, "missing required key \"b\" (true or false)");
    OK(!v.a.p);
    OK(!pick(&mem, (struct json){ 0 }, PICK_TABLE(must), 0, &v, &e));
    EQ_STR(e.text, "expected an object, found nothing");
}

TEST_MAIN()
