#include "base/visible.h"

#include "base/utf8.h"

/* Invisible code points, or those that change how their neighbours are displayed. */
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

/* These are invisible, too, but do no harm in a text. */
static bool belongs_to_lines(uint32_t c)
{
    return c == '\n' || c == '\t' || c == 0x200c || c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f);
}

static void put(struct buf *out, struct str s, bool lines)
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

void visible_text(struct buf *out, struct str s)
{
    put(out, s, false);
}

/* A carriage return before a line feed is half of an end of line. */
void visible_lines(struct buf *out, struct str s)
{
    while (s.n) {
        ptrdiff_t at = str_find(s, STR("\r\n"));
        size_t n = at < 0 ? s.n : (size_t)at;

        put(out, str_head(s, n), true);
        s = str_skip(s, at < 0 ? n : n + 1);
    }
}
