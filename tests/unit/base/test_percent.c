/* What %41 stands for. */
#include "base/percent.h"

#include "tap.h"

static const struct {
    const char *in;
    const char *lenient, *strict; /* NULL: refused */
} rows[] = {
    { "", "", "" },
    { "abc", "abc", "abc" },
    { "%41%62c", "Abc", "Abc" },
    { "%c3%A9", "\xc3\xa9", "\xc3\xa9" },
    { "a+b", "a+b", "a+b" },
    { "%2525", "%25", "%25" },
    { "100%", "100%", NULL },
    { "%4", "%4", NULL },
    { "%zz", "%zz", NULL },
    { "%4g", "%4g", NULL },
    { "%%41", "%A", NULL },
    { "%ff", NULL, NULL },
    { "%c3", NULL, NULL },
    { "%ed%a0%80", NULL, NULL },
};

static void check(const char *in, enum percent_rule rule, const char *want)
{
    struct arena mem = { 0 };
    struct str got = STR("untouched");

    OK(percent_decode(&mem, str_of(in), rule, &got) == (want != NULL));
    EQ_S(got, want ? want : "untouched");
    arena_fini(&mem);
}

TEST(text_is_decoded_as_the_rule_says)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(rows[i].in, PERCENT_LENIENT, rows[i].lenient);
        check(rows[i].in, PERCENT_STRICT, rows[i].strict);
    }
}

TEST_MAIN()
