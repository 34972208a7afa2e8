#include "base/utf8.h"

static bool tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

size_t utf8_len(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;

    if (n == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2)
        return 0;
    if (p[0] < 0xe0)
        return n >= 2 && tail(p[1]) ? 2 : 0;
    if (p[0] < 0xf0) {
        if (n < 3 || !tail(p[1]) || !tail(p[2]))
            return 0;
        if (p[0] == 0xe0 && p[1] < 0xa0) /* overlong */
            return 0;
        if (p[0] == 0xed && p[1] >= 0xa0) /* surrogate */
            return 0;
        return 3;
    }
    if (p[0] > 0xf4 || n < 4 || !tail(p[1]) || !tail(p[2]) || !tail(p[3]))
        return 0;
    if (p[0] == 0xf0 && p[1] < 0x90)
        return 0;
    if (p[0] == 0xf4 && p[1] >= 0x90)
        return 0;
    return 4;
}

size_t utf8_valid(struct str s)
{
    size_t i = 0;

    while (i < s.n) {
        size_t n = utf8_len(s.p + i, s.n - i);

        if (!n)
            break;
        i += n;
    }
    return i;
}

uint32_t utf8_decode(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    if (p[0] < 0x80)
        return p[0];
    if (p[0] < 0xe0)
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    if (p[0] < 0xf0)
        return (p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    return (p[0] & 0x07u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
}

size_t utf8_encode(uint32_t cp, char *out)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

struct str utf8_head(struct str s, size_t bytes)
{
    if (bytes >= s.n)
        return s;
    while (bytes && tail((unsigned char)s.p[bytes]))
        bytes--;
    return str_head(s, bytes);
}

/* Eight bytes at a time: every result of a tool is counted. */
size_t utf8_count(struct str s)
{
    const uint64_t ones = 0x0101010101010101;
    size_t tails = 0, i = 0;

    for (; i + 8 <= s.n; i += 8) {
        uint64_t x;

        memcpy(&x, s.p + i, sizeof(x));
        tails += (((x >> 7) & ~(x >> 6) & ones) * ones) >> 56;
    }
    for (; i < s.n; i++)
        tails += tail((unsigned char)s.p[i]);
    return s.n - tails;
}

/* ---- surrogate pairs ------------------------------------------------------------------------ */

/* The half that stands at p, or 0. */
static uint32_t half_at(const char *p, size_t n)
{
    return n >= 3 && (unsigned char)p[0] == 0xed && (unsigned char)p[1] >= 0xa0 ? utf8_decode(p)
                                                                                : 0;
}

static bool has_half(struct str s)
{
    const char *p = s.p, *end = s.p + s.n;

    while (p < end && (p = memchr(p, 0xed, (size_t)(end - p)))) {
        if (half_at(p, (size_t)(end - p)))
            return true;
        p++;
    }
    return false;
}

/* What waited for this half, or for no half (0), is written; returns the bytes. */
static size_t join_half(uint32_t *half, uint32_t unit, char *out)
{
    uint32_t first = *half;
    size_t n = 0;

    *half = unit && unit < 0xdc00 ? unit : 0;
    if (first && unit >= 0xdc00)
        return utf8_encode(0x10000 + ((first - 0xd800) << 10) + (unit - 0xdc00), out);
    if (first)
        n = utf8_encode(0xfffd, out);
    return unit >= 0xdc00 ? n + utf8_encode(0xfffd, out + n) : n;
}

struct str utf8_join(struct arena *mem, uint32_t *half, struct str piece)
{
    char *out;
    size_t n = 0;

    if (!piece.n || (!*half && !has_half(piece)))
        return piece;
    out = arena_alloc(mem, piece.n + 4); /* what waited takes one place more */
    for (size_t i = 0; i < piece.n;) {
        uint32_t unit = half_at(piece.p + i, piece.n - i);

        n += join_half(half, unit, out + n);
        if (!unit)
            out[n++] = piece.p[i];
        i += unit ? 3 : 1;
    }
    return (struct str){ out, n };
}
