/* test_json_write.c - writing JSON. */
#include "base/auto.h"
#include "base/id.h"
#include "base/json.h"
#include "tap.h"

#include <math.h>

TEST(commas_are_put_where_they_belong)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1000);
    jw_object(&w);
    jw_key(&w, STR("a"));
    jw_array(&w);
    jw_array(&w);
    jw_array_end(&w);
    jw_int(&w, 1);
    jw_object(&w);
    jw_object_end(&w);
    jw_bool(&w, true);
    jw_null(&w);
    jw_array_end(&w);
    jw_key(&w, STR("b"));
    jw_object(&w);
    jw_kint(&w, "c", -2);
    jw_kbool(&w, "d", false);
    jw_object_end(&w);
    jw_kraw(&w, "e", STR("[ 1e400 ]"));
    jw_kstr(&w, "f", STR(""));
    jw_object_end(&w);
    EQ_S(buf_str(&out), "{\"a\":[[],1,{},true,null],\"b\":{\"c\":-2,\"d\":false},\"e\":[ 1e400 ],"
                        "\"f\":\"\"}");
}

TEST(an_absent_string_or_value_writes_nothing_not_even_its_key)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1000);
    jw_object(&w);
    jw_kstr(&w, "a", STR_NONE);
    jw_kraw(&w, "b", STR_NONE);
    jw_kint(&w, "c", 1);
    jw_object_end(&w);
    EQ_S(buf_str(&out), "{\"c\":1}");
}

static void check_string(struct str s, const char *want)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 1000);
    jw_str(&w, s);
    EQ_S(buf_str(&out), want);
}

TEST(strings_are_escaped_where_JSON_asks_for_it_and_nowhere_else)
{
    check_string(STR(""), "\"\"");
    check_string(STR("a/b'<>&"), "\"a/b'<>&\"");
    check_string(STR("\"\\"), "\"\\\"\\\\\"");
    check_string(STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    check_string(STR("\x01\x1f\x7f"), "\"\\u0001\\u001f\x7f\"");
    check_string(STR("a\0b"), "\"a\\u0000b\"");
    check_string(STR("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                 "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_string(STR("0123456789abcdef\n0123456789abcdef0123456789abcde\""),
                 "\"0123456789abcdef\\n0123456789abcdef0123456789abcde\\\"\"");
}

TEST(bytes_that_are_not_utf8_become_replacement_characters)
{
    check_string(STR("a\xff"
                     "b"),
                 "\"a\xef\xbf\xbd"
                 "b\"");
    check_string(STR("\xc3"), "\"\xef\xbf\xbd\"");                                 /* cut */
    check_string(STR("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                 /* overlong */
    check_string(STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* surrogate */
}

TEST(what_is_written_reads_back)
{
    AUTO_ARENA mem = { 0 };
    AUTO_BUF out;
    struct jw w = jw_to(&out);
    const struct json_opts opts = { .max_depth = 4, .max_values = 10 };
    char all[256];
    struct str want = { all, 128 };
    struct json root;
    struct err e;

    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    buf_init(&out, 10000);
    jw_str(&w, want);
    OK(json_read(&mem, buf_str(&out), &opts, &root, &e));
    OK(str_eq(json_str(&mem, root), want));
}

static void check_double(double d)
{
    AUTO_BUF out;
    AUTO_ARENA mem = { 0 };
    struct jw w = jw_to(&out);
    const struct json_opts opts = { .max_depth = 1, .max_values = 1 };
    struct json v;
    struct err e;
    double back = 0;

    buf_init(&out, 100);
    jw_double(&w, d);
    OK(json_read(&mem, buf_str(&out), &opts, &v, &e) && json_double(v, &back));
    if (memcmp(&back, &d, sizeof(d)) != 0)
        TAP_NOT("%a came back as %a", d, back);
}

TEST(doubles_come_back_as_they_were)
{
    static const double some[] = {
        0,        -0.0,
        1,        -1,
        0.1,      1.0 / 3,
        100,      1e15,
        1e16,     1e17,
        1e21,     123456789,
        5e-324,   1e300,
        -1e-300,  4.35,
        0.000001, 1.7976931348623157e308,
        2.2e-308, 9007199254740993.0,
    };

    for (size_t i = 0; i < ARRAY_LEN(some); i++)
        check_double(some[i]);
    for (int i = 0; i < 2000; i++) {
        double d;

        id_random(&d, sizeof(d));
        if (isfinite(d))
            check_double(d);
    }
}

static void check_number(double d, const char *want)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 100);
    jw_double(&w, d);
    EQ_S(buf_str(&out), want);
}

TEST(doubles_are_written_short)
{
    check_number(0.1, "0.1");
    check_number(100, "100");
    check_number(0.1 + 0.2, "0.30000000000000004");
    check_number(1e100, "1e+100");
    check_number(NAN, "null");
    check_number(INFINITY, "null");
    check_number(-INFINITY, "null");
}

TEST(the_least_and_the_largest_integer_are_written)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 100);
    jw_array(&w);
    jw_int(&w, INT64_MIN);
    jw_int(&w, INT64_MAX);
    jw_int(&w, 0);
    jw_array_end(&w);
    EQ_S(buf_str(&out), "[-9223372036854775808,9223372036854775807,0]");
}

TEST(past_the_maximum_of_the_buffer_the_writer_says_full)
{
    AUTO_BUF out;
    struct jw w = jw_to(&out);

    buf_init(&out, 4);
    jw_array(&w);
    jw_str(&w, STR("too long"));
    jw_array_end(&w);
    OK(out.full);
    OK(out.n <= 4);
}

TEST_MAIN()
