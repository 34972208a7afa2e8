/* The last lines of a text: split, cut, cleaned, bounded. */
#include "loop/tail.h"

#include "tap.h"

#include <stdlib.h>

static char told[4096];

static void on_line(struct str line, void *ctx)
{
    size_t n = strlen(told);

    OK(ctx == &told);
    snprintf(told + n, sizeof(told) - n, STR_FMT "|", STR_ARG(line));
}

static const char *kept(const struct tail *t)
{
    static char all[4096];
    size_t n = 0;

    all[0] = 0;
    for (size_t i = 0; i < t->count; i++)
        n += (size_t)snprintf(all + n, sizeof(all) - n, STR_FMT "|", STR_ARG(tail_line(t, i)));
    return all;
}

/* Feed the text in pieces of n bytes; both what is told and what is kept must be `want`. */
static void check_pieces(struct str text, size_t n, size_t bytes, const char *want)
{
    struct tail t;

    told[0] = 0;
    tail_init(&t, 10, bytes);
    for (size_t at = 0; at < text.n; at += n)
        tail_put(&t, str_head(str_skip(text, at), n), on_line, &told);
    tail_end(&t, on_line, &told);
    tail_end(&t, on_line, &told);
    EQ_STR(told, want);
    EQ_STR(kept(&t), want);
    tail_fini(&t);
}

/* However it is cut into pieces. */
static void check(struct str text, size_t bytes, const char *want)
{
    for (size_t n = 1; n <= text.n + 1; n++)
        check_pieces(text, n, bytes, want);
}

TEST(lines_are_the_same_however_they_arrive)
{
    check(STR("one\ntwo\n\nfour"), 100, "one|two||four|");
    check(STR("one\r\ntwo\r\n"), 100, "one|two|");
    check(STR("\n"), 100, "|");
    check(STR(""), 100, "");
}

TEST(long_lines_are_cut_between_characters)
{
    check(STR("123456789\n123456\n12345\n1"), 6, "123456|123456|12345|1|");
    check(STR("aa\xc3\xa4\xc3\xa4\n"), 5, "aa\xc3\xa4|");
    check(STR("a\xf0\x9f\x98\x80z\nb"), 6, "a\xf0\x9f\x98\x80z|b|");
}

TEST(a_line_is_harmless_when_shown)
{
    check(STR("\x1b[1;31mred\x1b[0m and \x1b[Kclear\n"), 100, "red and clear|");
    check(STR("bell\a nul\0 back\b del\x7f\n"), 100, "bell? nul? back? del?|");
    check(STR("tab\tstays, cr\rdoes not\n"), 100, "tab\tstays, cr?does not|");
    check(STR("\x1b]0;title\a \x1b[\n"), 100, "?]0;title? ?[|");
    check(STR("c1 \xc2\x9b"
              "31m\n"),
          100, "c1 ?31m|");
}

TEST(what_is_not_utf8_is_replaced)
{
    check(STR("a\xff"
              "b\xc3\n"),
          100,
          "a\xef\xbf\xbd"
          "b\xef\xbf\xbd|");
    check(STR("\xff\xff\xff\n"), 7, "\xef\xbf\xbd\xef\xbf\xbd|");
}

TEST(only_the_last_lines_are_kept)
{
    struct tail t;

    told[0] = 0;
    tail_init(&t, 3, 100);
    tail_put(&t, STR("1\n2\n3\n4\n5"), on_line, &told);
    EQ_STR(kept(&t), "2|3|4|");
    tail_put(&t, STR("5\n6"), on_line, &told);
    EQ_STR(kept(&t), "3|4|55|");
    tail_end(&t, on_line, &told);
    EQ_STR(kept(&t), "4|55|6|");
    EQ_STR(told, "1|2|3|4|55|6|");
    tail_fini(&t);
    EQ(t.count, 0);
}

/* Without a listener the lines in between are skipped; the result must be the same. */
TEST(skipping_what_would_be_pushed_out_changes_nothing)
{
    char text[2000];
    size_t n = 0;

    for (int i = 0; n + 20 < sizeof(text); i++)
        n += (size_t)snprintf(text + n, 20, i % 7 ? "%d\n" : "line %d\n", i);
    n--; /* the last has no end */
    for (size_t piece = 1; piece < n; piece += 13) {
        struct tail with, without;
        char one[200];

        tail_init(&with, 4, 6);
        tail_init(&without, 4, 6);
        for (size_t at = 0; at < n; at += piece) {
            struct str s = str_head((struct str){ text + at, n - at }, piece);

            told[0] = 0;
            tail_put(&with, s, on_line, &told);
            tail_put(&without, s, NULL, NULL);
        }
        tail_end(&with, on_line, &told);
        tail_end(&without, NULL, NULL);
        snprintf(one, sizeof(one), "%s", kept(&with));
        EQ_STR(kept(&without), one);
        tail_fini(&with);
        tail_fini(&without);
    }
}

TEST(keeping_nothing_is_possible)
{
    struct tail t;

    told[0] = 0;
    tail_init(&t, 0, 64);
    tail_put(&t, STR("a\nb\nc"), NULL, NULL);
    tail_put(&t, STR("d\ne"), on_line, &told);
    tail_end(&t, on_line, &told);
    EQ(t.count, 0);
    EQ_STR(told, "cd|e|");
    tail_fini(&t);
}

TEST(a_line_without_end_takes_no_more_than_its_limit)
{
    struct tail t;
    char *block = malloc(1 << 16);

    memset(block, 'x', 1 << 16);
    tail_init(&t, 2, 65536);
    for (int i = 0; i < 100; i++)
        tail_put(&t, (struct str){ block, 1 << 16 }, NULL, NULL);
    OK(t.part.room <= 1 << 17);
    tail_put(&t, STR("\nnext\n"), NULL, NULL);
    EQ(tail_line(&t, 0).n, 65536);
    EQ_S(tail_line(&t, 1), "next");
    OK(t.part.room <= 4096);
    tail_fini(&t);
    free(block);
}

TEST_MAIN()
