/* test_str.c - borrowed bytes, UTF-8, hashing. */
#include "base/buf.h"
#include "base/digits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tap.h"

TEST(strings_are_equal_by_their_bytes)
{
    OK(str_eq(STR("a\0b"), STR("a\0b")));
    OK(!str_eq(STR("a\0b"), STR("a\0c")));
    OK(!str_eq(STR("a"), STR("ab")));
    OK(str_eq(STR_NONE, STR("")));
    OK(str_eq_nocase(STR("Content-Type"), STR("cONTENT-tYPE")));
    OK(!str_eq_nocase(STR("[a"), STR("{a"))); /* differ by 0x20, but are no letters */
    OK(!str_eq_nocase(STR("a"), STR("ab")));
    OK(str_eq_nocase(STR("ACCEPT-Encoding-AZaz"), STR("accept-ENCODING-azAZ")));
    OK(!str_eq_nocase(STR("accept-Encoding"), STR("accept_Encoding")));
    OK(!str_eq_nocase(STR("[@`{\x80\xc1Zz"), STR("{`@[\x80\xc1zZ")));
    OK(!str_eq_nocase(STR("\xc1"
                          "2345678"),
                      STR("\xe1"
                          "2345678"))); /* letters of ASCII only */
}

TEST(beginnings_and_ends_are_seen)
{
    OK(str_starts(STR("abc"), STR("ab")) && str_starts(STR("abc"), STR("")));
    OK(!str_starts(STR("a"), STR("ab")) && str_starts(STR_NONE, STR_NONE));
    OK(str_ends(STR("abc"), STR("bc")) && str_ends(STR("abc"), STR("")));
    OK(!str_ends(STR("c"), STR("bc")) && str_ends(STR_NONE, STR_NONE));
    EQ_S(str_head(STR("abc"), 2), "ab");
    EQ_S(str_head(STR("abc"), 9), "abc");
    EQ_S(str_skip(STR("abc"), 3), "");
    OK(!str_of(NULL).p);
}

TEST(a_part_is_found_where_it_first_stands)
{
    EQ(str_find(STR("abcabc"), STR("ca")), 2);
    EQ(str_find(STR("abc"), STR("abc")), 0);
    EQ(str_find(STR("abc"), STR("abcd")), -1);
    EQ(str_find(STR("abc"), STR("")), 0);
    EQ(str_find(STR_NONE, STR("")), 0);
    EQ(str_find(STR_NONE, STR_NONE), 0);
    EQ(str_find(STR_NONE, STR("a")), -1);
    EQ(str_find_byte(STR("a\0b"), 0), 1);
    EQ(str_find_byte(STR("ab"), 'c'), -1);
    EQ(str_find_byte(STR_NONE, 'c'), -1);
}

TEST(space_around_is_trimmed)
{
    EQ_S(str_trim(STR(" \t\r\n a b \n")), "a b");
    EQ_S(str_trim(STR(" \n ")), "");
    EQ_S(str_trim(STR_NONE), "");
}

TEST(a_list_is_cut_at_each_separator)
{
    struct str rest = STR("a,,b,");

    EQ_S(str_cut(&rest, ','), "a");
    EQ_S(str_cut(&rest, ','), "");
    EQ_S(str_cut(&rest, ','), "b");
    OK(rest.p);
    EQ_S(str_cut(&rest, ','), "");
    OK(!rest.p);
}

TEST(digits_are_read_within_a_range)
{
    uint64_t n = 7;

    OK(str_uint(STR("0"), 0, 9, &n) && n == 0);
    OK(str_uint(STR("0018446744073709551615"), 0, UINT64_MAX, &n) && n == UINT64_MAX);
    n = 7;
    OK(!str_uint(STR("18446744073709551616"), 0, UINT64_MAX, &n));
    OK(!str_uint(STR("10"), 0, 9, &n) && !str_uint(STR("0"), 1, 9, &n));
    OK(!str_uint(STR(""), 0, 9, &n) && !str_uint(STR("+1"), 0, 9, &n));
    OK(!str_uint(STR("-1"), 0, 9, &n) && !str_uint(STR(" 1"), 0, 9, &n));
    OK(!str_uint(STR("1x"), 0, 9, &n) && !str_uint(STR("\xb1"), 0, 9, &n));
    EQ(n, 7);
}

TEST(a_c_string_is_whole_or_empty)
{
    char out[4];

    OK(str_to_c(STR("abc"), out, sizeof(out)));
    EQ_STR(out, "abc");
    OK(!str_to_c(STR("abcd"), out, sizeof(out)));
    EQ_STR(out, "");
    OK(!str_to_c(STR("a\0b"), out, sizeof(out)));
    OK(str_to_c(STR_NONE, out, sizeof(out)));
    EQ_STR(out, "");
}

TEST(secrets_are_equal_only_when_all_bytes_are)
{
    OK(str_eq_secret(STR("secret"), STR("secret")) && str_eq_secret(STR_NONE, STR("")));
    OK(!str_eq_secret(STR("secret"), STR("secreu")) &&
       !str_eq_secret(STR("secret"), STR("Secret")));
    OK(!str_eq_secret(STR("aa"), STR("a")) && !str_eq_secret(STR("a"), STR("aa")));
    OK(!str_eq_secret(STR("a"), STR("")) && !str_eq_secret(STR(""), STR("a")));
}

/* ---- UTF-8 ------------------------------------------------------------------------------ */

TEST(each_first_and_last_character_of_a_length_goes_there_and_back)
{
    static const uint32_t edges[] = { 0,      0x7f,   0x80,    0x7ff,   0x800,   0xd7ff,
                                      0xe000, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff };

    for (size_t i = 0; i < ARRAY_LEN(edges); i++) {
        char bytes[4];
        size_t n = utf8_encode(edges[i], bytes);

        EQ(n, edges[i] < 0x80 ? 1 : edges[i] < 0x800 ? 2 : edges[i] < 0x10000 ? 3 : 4);
        EQ(utf8_len(bytes, n), n);
        EQ(utf8_len(bytes, n - 1), 0);
        EQ(utf8_decode(bytes), edges[i]);
    }
}

TEST(halves_of_surrogate_pairs_are_joined_over_pieces)
{
    static const struct {
        const char *piece[3], *want;
    } rows[] = {
        { { "a\xed\xa0\xbd",
            "\xed\xb8\x80"
            "b",
            "" },
          "a|\xf0\x9f\x98\x80"
          "b||" },
        { { "\xed\xa0\xbd", "", "\xed\xb8\x80" }, "||\xf0\x9f\x98\x80|" },
        { { "\xed\xa0\xbd", "x", "\xed\xb8\x80" }, "|\xef\xbf\xbdx|\xef\xbf\xbd|" },
        { { "\xed\xa0\xbd\xed\xa0\xbd", "\xed\xb8\x80", "" }, "\xef\xbf\xbd|\xf0\x9f\x98\x80||" },
        { { "\xed\x9f\xbf", "\xed", "\xc3\xa4" }, "\xed\x9f\xbf|\xed|\xc3\xa4|" },
    };
    struct arena mem = { 0 };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t half = 0;
        struct buf out;

        buf_init_in(&out, &mem, 100);
        for (size_t k = 0; k < 3; k++) {
            buf_put(&out, utf8_join(&mem, &half, str_of(rows[i].piece[k])));
            buf_putc(&out, '|');
        }
        EQ_S(buf_str(&out), rows[i].want);
        EQ(half, 0);
    }
    arena_fini(&mem);
}

TEST(what_is_not_utf8_is_not_valid)
{
    static const struct str wrong[] = {
        STR("\x80"),             /* tail alone */
        STR("\xc0\x80"),         /* overlong */
        STR("\xc1\xbf"),         /* overlong */
        STR("\xc3"),             /* cut */
        STR("\xc3("),            /* no tail */
        STR("\xe0\x9f\xbf"),     /* overlong */
        STR("\xed\xa0\x80"),     /* surrogate */
        STR("\xed\xbf\xbf"),     /* surrogate */
        STR("\xe2\x82"),         /* cut */
        STR("\xe2(\xa1"),        /* no tail */
        STR("\xf0\x8f\xbf\xbf"), /* overlong */
        STR("\xf4\x90\x80\x80"), /* past U+10FFFF */
        STR("\xf5\x80\x80\x80"), /* past U+10FFFF */
        STR("\xf0\x9f\x98"),     /* cut */
        STR("\xff"),
    };

    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        EQ(utf8_len(wrong[i].p, wrong[i].n), 0);
        EQ(utf8_valid(wrong[i]), 0);
    }
    EQ(utf8_valid(STR("a\xc3\xa9\xff")), 3);
    EQ(utf8_valid(STR_NONE), 0);
}

TEST(a_head_never_cuts_a_character)
{
    struct str s = STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10 };

    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        EQ(utf8_head(s, i).n, want[i]);
    EQ(utf8_count(s), 4);
    EQ(utf8_count(STR_NONE), 0);
    EQ(utf8_count(STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 and more \xe2\x82\xac\xc3\xa9!")), 17);
}

/* ---- hashing ---------------------------------------------------------------------------- */

TEST(equal_strings_have_equal_hashes_and_each_secret_its_own)
{
    uint64_t a = hash_secret(), b = hash_secret();
    int same = 0;

    OK(a != b && a && b);
    for (int i = 0; i < 1000; i++) {
        char text[32];
        struct str s = { text, (size_t)snprintf(text, sizeof(text), "%d%d", i, i * i) };

        EQ(hash_str(a, s), hash_str(a, s));
        same += hash_str(a, s) == hash_str(b, s);
    }
    OK(same < 3);
    OK(hash_str(a, STR("")) == hash_str(a, STR_NONE));
    OK(hash_str(a, STR("a")) != hash_str(a, STR("a\0")));
    OK(hash_str(a, STR("\0\0\0\0\0\0\0")) != hash_str(a, STR("\0\0\0\0\0\0\0\0")));
}

TEST(hashes_fall_evenly_into_slots)
{
    enum { SLOTS = 1 << 12, KEYS = 4 * SLOTS };
    unsigned char *hits = mem_zero(SLOTS);
    uint64_t secret = hash_secret();
    unsigned most = 0;

    for (int i = 0; i < KEYS; i++) {
        char text[32];
        struct str s = { text, (size_t)snprintf(text, sizeof(text), "a.long.common.head.%d", i) };
        unsigned n = ++hits[hash_str(secret, s) % SLOTS];

        most = n > most ? n : most;
    }
    OK(most < 24); /* 4 on average; a fair hash passes 20 once in ten million keys */
    mem_free(hits);
}

static struct str put_signed(char *out, int64_t v)
{
    return (struct str){ out, digits_put_signed(out, v) };
}

TEST(numbers_are_written_in_decimal)
{
    char out[DIGITS_MOST + 1] = "";

    EQ_S(put_signed(out, 0), "0");
    EQ_S(put_signed(out, -1), "-1");
    EQ_S(put_signed(out, 1234567890), "1234567890");
    EQ_S(put_signed(out, INT64_MAX), "9223372036854775807");
    EQ_S(put_signed(out, INT64_MIN), "-9223372036854775808");
    EQ(digits_put(out, UINT64_MAX), DIGITS_MOST);
    EQ_S(((struct str){ out, DIGITS_MOST }), "18446744073709551615");
    digits_put_padded(out, 42, 5);
    EQ_S(((struct str){ out, 5 }), "00042");
    digits_put_padded(out, 123456, 3);
    EQ_S(((struct str){ out, 3 }), "456");
}

TEST_MAIN()
