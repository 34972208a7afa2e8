/* test_json_canonical.c - the same value gives the same text, another value another text. */
#include "base/auto.h"
#include "base/json_canonical.h"
#include "tap.h"

static struct str canonical(struct arena *mem, const char *text)
{
    const struct json_opts opts = { .max_depth = 32, .max_values = 1000 };
    struct json v;
    struct err e;

    if (!json_read(mem, str_of(text), &opts, &v, &e))
        TAP_NOT("%s", e.text);
    return json_canonical(mem, v);
}

static const struct {
    const char *a, *b;
    bool same;
} pairs[] = {
    { "{\"b\":1,\"a\":2}", " { \"a\" : 2 ,\"b\":1 } ", true },
    { "{\"a\":{\"y\":[1,{\"d\":1,\"c\":2}],\"x\":0}}",
      "{\"a\":{\"x\":0,\"y\":[1,{\"c\":2,\"d\":1}]}}", true },
    { "\"\\u0041\\/\"", "\"A/\"", true },
    { "{\"\\u0061\":1}", "{\"a\":1}", true },
    { "[1,2]", "[2,1]", false },
    { "{\"a\":1}", "{\"a\":1.0}", false },
    { "{\"a\":\"1\"}", "{\"a\":1}", false },
    { "{\"a\":null}", "{}", false },
    { "\"\\ud800\"", "\"\\ud801\"", false },
    { "\"\\ud800\"", "\"\\ufffd\"", false },
    { "{\"ab\":1}", "{\"a\":1}", false },
};

TEST(equal_values_have_equal_texts)
{
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        AUTO_ARENA mem = { 0 };
        struct str a = canonical(&mem, pairs[i].a), b = canonical(&mem, pairs[i].b);

        if (str_eq(a, b) != pairs[i].same)
            TAP_NOT("%s and %s", pairs[i].a, pairs[i].b);
    }
}

TEST(members_are_in_byte_order_without_white_space)
{
    AUTO_ARENA mem = { 0 };

    OK(str_eq(canonical(&mem, "{ \"b\": [ ], \"ab\": { }, \"a\": \"\\u000a\" }"),
              STR("{\"a\":\"\\n\",\"ab\":{},\"b\":[]}")));
    OK(json_canonical(&mem, (struct json){ 0 }).n == 0);
}

TEST_MAIN()
