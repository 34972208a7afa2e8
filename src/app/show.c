#include "app/show.h"

#include "base/utf8.h"

enum { SUMMARY_MOST = 120 };

/* Code points nobody sees, or that change how their neighbours are seen. */
static const struct {
    uint32_t from, to;
} unseen[] = {
    { 0x00, 0x1f },       { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x34f, 0x34f },
    { 0x61c, 0x61c },     { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },
    { 0x200b, 0x200f },   { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
    { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
    { 0xe0000, 0xe0fff },
};

static bool is_unseen(uint32_t c)
{
    for (size_t i = 0; i < ARRAY_LEN(unseen); i++)
        if (c >= unseen[i].from && c <= unseen[i].to)
            return true;
    return false;
}

/* Nobody sees these either, but in a text they do no harm. */
static bool belongs_to_lines(uint32_t c)
{
    return c == '\n' || c == '\t' || c == 0x200c || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f);
}

static void show(struct buf *out, struct str s, bool lines)
{
    while (s.n) {
        size_t n = utf8_len(s.p, s.n);
        uint32_t c = n ? utf8_decode(s.p) : (unsigned char)*s.p;

        if (!n || (is_unseen(c) && !(lines && belongs_to_lines(c))))
            buf_printf(out, "\\u{%x}", c);
        else
            buf_put(out, str_head(s, n));
        s = str_skip(s, n ? n : 1);
    }
}

void show_text(struct buf *out, struct str s)
{
    show(out, s, false);
}

/* A carriage return before a line feed is half of an end of line. */
void show_lines(struct buf *out, struct str s)
{
    while (s.n) {
        ptrdiff_t at = str_find(s, STR("\r\n"));
        size_t n = at < 0 ? s.n : (size_t)at;

        show(out, str_head(s, n), true);
        s = str_skip(s, at < 0 ? n : n + 1);
    }
}

void show_summary(struct buf *out, struct str description)
{
    struct str line = str_trim(str_cut(&description, '\n'));
    ptrdiff_t end = str_find(line, STR(". "));
    struct str first = end < 0 ? line : str_head(line, (size_t)end + 1);
    struct str head = utf8_head(first, SUMMARY_MOST);

    show_text(out, head);
    if (head.n < first.n)
        buf_put(out, STR("..."));
}

struct str shown_text(struct arena *mem, struct str s)
{
    struct buf out;

    buf_init_in(&out, mem, s.n * 10 + 1);
    show_text(&out, s);
    return arena_str(mem, buf_str(&out));
}

/* ---- secrets ---------------------------------------------------------------------------- */

/* scheme://user:password@host: where the password is. */
static bool find_password(struct str word, size_t *from, size_t *to)
{
    ptrdiff_t scheme = str_find(word, STR("://"));
    ptrdiff_t at, colon;
    struct str rest;

    if (scheme < 0)
        return false;
    rest = str_skip(word, (size_t)scheme + 3);
    at = str_find_byte(rest, '@');
    colon = str_find_byte(rest, ':');
    if (at < 0 || colon < 0 || colon > at)
        return false;
    *from = (size_t)scheme + 3 + (size_t)colon + 1;
    *to = (size_t)scheme + 3 + (size_t)at;
    return true;
}

static bool needs_quotes(struct str word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./:=@,+%${}";

    for (size_t i = 0; i < word.n; i++)
        if (!word.p[i] || !strchr(plain, word.p[i]))
            return true;
    return !word.n;
}

static void show_masked(struct buf *out, struct str word)
{
    ptrdiff_t equals = str_find_byte(word, '=');
    size_t from, to;

    if (equals > 0 && names_secret(str_head(word, (size_t)equals))) {
        show_text(out, str_head(word, (size_t)equals + 1));
        buf_put(out, STR("***"));
    } else if (find_password(word, &from, &to)) {
        show_text(out, str_head(word, from));
        buf_put(out, STR("***"));
        show_text(out, str_skip(word, to));
    } else {
        show_text(out, word);
    }
}

void show_word(struct buf *out, struct str word)
{
    bool quotes = needs_quotes(word);

    if (quotes)
        buf_putc(out, '\'');
    show_masked(out, word);
    if (quotes)
        buf_putc(out, '\'');
}
