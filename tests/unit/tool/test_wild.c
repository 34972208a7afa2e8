#include "base/auto.h"
#include "tap.h"
#include "tool/file/ignore.h"
#include "tool/file/wildcard.h"

static const struct {
    const char *pattern, *path;
    bool match;
} rows[] = {
    { "*.c", "a.c", true },
    { "*.c", "a.h", false },
    { "*.c", "src/a.c", false },
    { "*", "", true },
    { "a*b*c", "axxbyyc", true },
    { "a*b*c", "axxbyy", false },
    { "?", "\xc3\xa9", true },
    { "?", "/", false },
    { "a?c", "a/c", false },
    { "[a-c]x", "bx", true },
    { "[!a-c]x", "bx", false },
    { "[!a-c]x", "dx", true },
    { "[]]", "]", true },
    { "[a-]", "-", true },
    { "[a", "[a", true },
    { "a[/]b", "a/b", false },
    { "\\*", "*", true },
    { "\\*", "x", false },
    { "**", "a/b/c", true },
    { "**/x", "x", true },
    { "**/x", "a/b/x", true },
    { "**/x", "a/bx", false },
    { "a/**", "a", false },
    { "a/**", "a/b/c", true },
    { "a/**/z", "a/z", true },
    { "a/**/z", "a/b/c/z", true },
    { "a/**/z", "b/a/z", false },
    { "**/a*/b", "ax/c/ay/b", true },
    { "**/*.c/**/t", "x/y.c/q/t", true },
    { "a**b", "axxb", true },
    { "a**b", "a/b", false },
    { "src/*/t_?.c", "src/base/t_1.c", true },
    { "\xff*", "\xff\xfe", true },
};

TEST(patterns_match_what_shells_say)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (wild_match(str_of(rows[i].pattern), str_of(rows[i].path)) != rows[i].match)
            TAP_NOT("%s against %s", rows[i].pattern, rows[i].path);
}

/* Naive matching would need longer than the world is old. */
TEST(stars_without_end_take_no_time)
{
    static char pattern[999], path[4000];

    for (size_t i = 0; i + 3 < sizeof(pattern); i += 2) {
        pattern[i] = 'a';
        pattern[i + 1] = '*';
    }
    pattern[sizeof(pattern) - 3] = 'b';
    memset(path, 'a', sizeof(path) - 1);
    OK(!wild_match(str_of(pattern), str_of(path)));
    OK(!wild_match(STR("**/a/**/a/**/a/**/a/**/a/**/b"), str_of(path)));
}

TEST(braces_stand_for_several_patterns)
{
    AUTO_ARENA mem = { 0 };
    struct wild_list list = { .n = 0 };
    struct err e;

    OK(wild_expand(&mem, STR("{a,b{1,2}}.{c,h}"), &list, &e));
    EQ(list.n, 6);
    EQ_S(list.v[0], "a.c");
    EQ_S(list.v[3], "b1.h");
    EQ_S(list.v[5], "b2.h");
    OK(wild_match_any(&list, STR("b2.c")) && !wild_match_any(&list, STR("b3.c")));
    list.n = 0;
    OK(wild_expand(&mem, STR("{a} \\{b,c} {d"), &list, &e));
    EQ(list.n, 1);
    list.n = 0;
    OK(!wild_expand(&mem, STR("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"), &list, &e));
    EQ(e.code, ERR_LIMIT);
}

TEST(gitignore_rules_are_heeded)
{
    AUTO_ARENA mem = { 0 };
    const struct ignore *top = ignore_read(
        &mem, STR("# none\n\n*.o\n!keep.o\n/build\nlogs/\ndoc/*.txt\ntrailing  \r\n**/gen\n"),
        STR(""), NULL);
    const struct ignore *sub = ignore_read(&mem, STR("!x.o\n/only"), STR("src/"), top);

    OK(ignored(top, STR("a.o"), false) && ignored(top, STR("b/c/a.o"), false));
    OK(!ignored(top, STR("keep.o"), false) && !ignored(top, STR("a.c"), false));
    OK(ignored(top, STR("build"), true) && !ignored(top, STR("src/build"), true));
    OK(ignored(top, STR("x/logs"), true) && !ignored(top, STR("x/logs"), false));
    OK(ignored(top, STR("doc/a.txt"), false) && !ignored(top, STR("doc/b/a.txt"), false));
    OK(ignored(top, STR("trailing"), false) && ignored(top, STR("a/b/gen"), true));
    OK(!ignored(sub, STR("src/x.o"), false) && ignored(sub, STR("src/y.o"), false));
    OK(ignored(sub, STR("src/only"), false) && !ignored(sub, STR("src/a/only"), false));
}

TEST_MAIN()
