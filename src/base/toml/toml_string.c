/*
 * toml_string.c - the four kinds of strings.
 *
 * A string is read in two steps: find its end, then decode it. A decoded string is never longer
 * than its source. A string without escapes is not copied.
 *
 * The whole text was checked before: it is valid UTF-8, tabs and line ends are its only control
 * characters, and every CR is followed by LF.
 */
#include "base/toml/toml_parts.h"
#include "base/utf8.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* *p stands on the backslash of \u or \U. */
static bool decode_unicode(struct toml *t, const char **p, const char *end, char **out)
{
    const char *at = *p;
    size_t digits = at[1] == 'u' ? 4 : 8;
    uint32_t cp = 0;

    if ((size_t)(end - at) < digits + 2)
        return toml_bad(t, at, "\\%c needs %zu hexadecimal digits", at[1], digits);
    for (size_t i = 2; i < digits + 2; i++) {
        int digit = toml_hex(at[i]);

        if (digit < 0)
            return toml_bad(t, at, "\\%c needs %zu hexadecimal digits", at[1], digits);
        cp = cp << 4 | (uint32_t)digit;
    }
    if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
        return toml_bad(t, at, "U+%04X is not a character; expected 0 to D7FF or E000 to 10FFFF",
                        cp);
    *out += utf8_encode(cp, *out);
    *p = at + digits + 2;
    return true;
}

/* If p stands on a backslash that ends its line: the next text after it, else NULL. */
static const char *after_line_end(const char *p, const char *end)
{
    for (p++; p < end && is_blank(*p); p++)
        ;
    if (p >= end || (*p != '\n' && *p != '\r'))
        return NULL;
    while (p < end && (is_blank(*p) || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* *p stands on a backslash. */
static bool decode_escape(struct toml *t, bool multi, const char **p, const char *end, char **out)
{
    static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
    const char *next = multi ? after_line_end(*p, end) : NULL, *known;
    char c = (*p)[1]; /* there is one: a string never ends behind its backslash */

    if (next) {
        *p = next;
        return true;
    }
    if (c == 'u' || c == 'U')
        return decode_unicode(t, p, end, out);
    known = memchr(from, c, sizeof(from) - 1);
    if (!known)
        return toml_bad(t, *p,
                        "unknown escape; expected \\b \\t \\n"
                        " \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX%s",
                        multi ? " and \\ at the end of a line" : "");
    *(*out)++ = to[known - from];
    *p += 2;
    return true;
}

static bool decode(struct toml *t, struct str raw, bool escapes, bool multi, struct str *out)
{
    const char *p = raw.p, *end = raw.p + raw.n;
    char *to, *start;

    if (!(escapes && memchr(p, '\\', raw.n)) && !(multi && memchr(p, '\r', raw.n))) {
        *out = raw;
        return true;
    }
    to = start = arena_alloc(t->mem, raw.n);
    while (p < end) {
        if (*p == '\\' && escapes) {
            if (!decode_escape(t, multi, &p, end, &to))
                return false;
        } else if (*p == '\r') {
            p++; /* the LF follows */
        } else {
            *to++ = *p++;
        }
    }
    *out = (struct str){ start, (size_t)(to - start) };
    return true;
}

bool toml_short_string(struct toml *t, struct str *out)
{
    const char *start = t->p, *p = start + 1;
    char quote = *start;

    for (; p < t->end && *p != quote && *p != '\n' && *p != '\r'; p++)
        if (*p == '\\' && quote == '"' && t->end - p >= 2)
            p++;
    if (p >= t->end || *p != quote)
        return toml_bad(t, start,
                        "this string is not closed on its line; only %c%c%c strings can span lines",
                        quote, quote, quote);
    t->p = p + 1;
    return decode(t, (struct str){ start + 1, (size_t)(p - start - 1) }, quote == '"', false, out);
}

static size_t count_quotes(const char *p, const char *end, char quote)
{
    const char *from = p;

    while (p < end && *p == quote)
        p++;
    return (size_t)(p - from);
}

/*
 * The end of a multi-line string whose text begins at p: three quotes, of which up to two more
 * that stand before them belong to the text. NULL when there is none.
 */
static const char *find_long_end(const char *p, const char *end, char quote)
{
    while (p < end) {
        size_t quotes = count_quotes(p, end, quote);

        if (quotes >= 3)
            return p + (quotes > 5 ? 2 : quotes - 3);
        if (quotes)
            p += quotes;
        else if (*p == '\\' && quote == '"' && end - p >= 2)
            p += 2;
        else
            p++;
    }
    return NULL;
}

static bool long_string(struct toml *t, struct str *out)
{
    const char *start = t->p, *p = start + 3, *close;
    char quote = *start;

    if (p < t->end && *p == '\r')
        p++;
    if (p < t->end && *p == '\n')
        p++;
    close = find_long_end(p, t->end, quote);
    if (!close)
        return toml_bad(t, start, "this string is never closed; %c%c%c must follow", quote, quote,
                        quote);
    t->p = close + 3;
    return decode(t, (struct str){ p, (size_t)(close - p) }, quote == '"', true, out);
}

bool toml_string(struct toml *t, struct str *out)
{
    return count_quotes(t->p, t->end, *t->p) >= 3 ? long_string(t, out) : toml_short_string(t, out);
}
