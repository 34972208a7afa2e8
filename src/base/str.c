#include "base/str.h"

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : c;
}

enum { WORD = sizeof(uint64_t) };

/* Eight letters at once. */
static uint64_t lower_word(uint64_t c)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t low = c & ~(ones << 7);
    uint64_t from_a = low + ones * (128 - 'A'), past_z = low + ones * (127 - 'Z');
    uint64_t upper = (from_a ^ past_z) & ~c & ones << 7;

    return c | upper >> 2;
}

static uint64_t word_at(const char *p)
{
    uint64_t c;

    memcpy(&c, p, sizeof(c));
    return c;
}

bool str_eq_nocase(struct str a, struct str b)
{
    size_t i = 0;

    if (a.n != b.n)
        return false;
    for (; a.n - i >= WORD; i += WORD)
        if (lower_word(word_at(a.p + i)) != lower_word(word_at(b.p + i)))
            return false;
    for (; i < a.n; i++) /* most letters are the same as they stand */
        if (a.p[i] != b.p[i] && lower((unsigned char)a.p[i]) != lower((unsigned char)b.p[i]))
            return false;
    return true;
}

ptrdiff_t str_find_byte(struct str s, char c)
{
    const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;

    return hit ? hit - s.p : -1;
}

ptrdiff_t str_find(struct str s, struct str needle)
{
    const char *hit;

    if (!needle.n)
        return 0;
    hit = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
    return hit ? hit - s.p : -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.n && is_space(s.p[0]))
        s = str_skip(s, 1);
    while (s.n && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_cut(struct str *s, char c)
{
    ptrdiff_t at = str_find_byte(*s, c);
    struct str head = *s;

    if (at < 0) {
        *s = STR_NONE;
        return head;
    }
    *s = str_skip(*s, (size_t)at + 1);
    return str_head(head, (size_t)at);
}

bool str_uint(struct str s, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t v = 0;

    if (!s.n)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = (unsigned char)s.p[i] - (unsigned)'0';

        if (digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
            return false;
    }
    if (v < min || v > max)
        return false;
    *out = v;
    return true;
}

bool str_to_c(struct str s, char *out, size_t size)
{
    out[0] = 0;
    if (s.n >= size || str_find_byte(s, 0) >= 0)
        return false;
    if (s.n)
        memcpy(out, s.p, s.n);
    out[s.n] = 0;
    return true;
}

bool str_eq_secret(struct str a, struct str b)
{
    volatile unsigned char diff = a.n != b.n;

    for (size_t i = 0; i < a.n; i++)
        diff = (unsigned char)(diff | (a.p[i] ^ (b.n ? b.p[i % b.n] : 0)));
    return diff == 0;
}
