/* test_show.c - what a person is shown of a foreign text. */
#include "base/display.h"
#include "tap.h"

static const struct {
    const char *text, *want;
} summaries[] = {
    { "", "" },
    { "Adds.", "Adds." },
    { "Adds. Then rests.", "Adds." },
    { "Adds 1.5 and more", "Adds 1.5 and more" },
    { "  Adds\nand rests. ", "Adds" },
    { "Adds\t\x1b[31m", "Adds\\u{9}\\u{1b}[31m" },
};

TEST(a_summary_is_the_first_sentence_of_the_first_line)
{
    for (size_t i = 0; i < ARRAY_LEN(summaries); i++) {
        struct buf out;

        buf_init(&out, 1000);
        show_summary(&out, str_of(summaries[i].text));
        EQ_S(buf_str(&out), summaries[i].want);
        buf_fini(&out);
    }
}

TEST(a_long_summary_is_cut_between_two_characters)
{
    struct buf in, out;

    buf_init(&in, 1000);
    buf_init(&out, 1000);
    buf_putc(&in, 'x');
    for (int i = 0; i < 100; i++)
        buf_put(&in, STR("\u00e9"));
    show_summary(&out, buf_str(&in));
    EQ(out.n, 119 + strlen("...")); /* the 120th byte would be half of one */
    EQ_S(str_skip(buf_str(&out), 117), "\u00e9...");
    buf_fini(&in);
    buf_fini(&out);
}

static const struct {
    const char *text, *want;
} texts[] = {
    { "one\n\ttwo\n", "one\n\ttwo\n" },
    { "dos\r\nunix\n\r", "dos\nunix\n\\u{d}" },
    { "\x1b]0;title\a", "\\u{1b}]0;title\\u{7}" },
    { "\u202eevil", "\\u{202e}evil" },
    { "\u26a0\ufe0f \U0001f469\u200d\U0001f4bb", "\u26a0\ufe0f \U0001f469\u200d\U0001f4bb" },
    { "\xff", "\\u{ff}" },
};

TEST(lines_keep_what_makes_lines_and_emoji_and_nothing_that_moves_a_cursor)
{
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct buf out;

        buf_init(&out, 1000);
        show_lines(&out, str_of(texts[i].text));
        EQ_S(buf_str(&out), texts[i].want);
        buf_fini(&out);
    }
}

static const struct {
    const char *word, *want;
} words[] = {
    { "plain", "plain" },
    { "--token=abc", "--token=***" },
    { "--api-key=abc", "--api-key=***" },
    { "Authorization: Bearer abc", "'Authorization: ***'" },
    { "X-Api-Key:abc", "X-Api-Key:***" },
    { "Accept: text/html", "'Accept: text/html'" },
    { "https://u:abc@h/p", "https://u:***@h/p" },
    { "https://h/p?key=abc", "'https://h/p?key=***'" },
    { "https://h/p?a=1&access_token=abc&b=2", "'https://h/p?a=1&access_token=***&b=2'" },
    { "https://u:abc@h/p?sig=abc#id_token=abc", "'https://u:***@h/p?sig=***#id_token=***'" },
    { "https://h/p?a=1&keys=2", "'https://h/p?a=1&keys=2'" },
    { "--url=https://h/?code=abc", "'--url=https://h/?code=***'" },
    { "C:\\Users", "'C:\\Users'" },
    { "?=", "'?='" },
    { "://?", "'://?'" },
    { "", "''" },
};

TEST(a_word_hides_its_secrets)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        AUTO_BUF out;

        buf_init(&out, 1000);
        show_word(&out, str_of(words[i].word));
        EQ_S(buf_str(&out), words[i].want);
    }
}

TEST_MAIN()
