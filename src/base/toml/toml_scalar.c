/*
 * toml_scalar.c - numbers, booleans, dates and times.
 *
 * The reader first takes all characters that can belong to a number, date or time as one word. The
 * whole word must then have one of the valid forms, so an error such as `1.2.3` or `0x` is reported
 * at the position of the word.
 */
#include "base/toml/toml_parts.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '+' || c == '-' || c == '.' || c == ':';
}

static struct str word_at(const char *p, const char *end)
{
    const char *from = p;

    while (p < end && is_word(*p))
        p++;
    return (struct str){ from, (size_t)(p - from) };
}

static bool take_char(struct str *s, char c)
{
    if (!s->n || s->p[0] != c)
        return false;
    *s = str_skip(*s, 1);
    return true;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static bool is_digit_of(char c, int base)
{
    int v = toml_hex(c);

    return v >= 0 && v < base;
}

/* Take digits with single underscores between them. False when there are none or one is amiss. */
static bool take_digits(struct str *s, int base)
{
    do {
        size_t n = 0;

        while (n < s->n && is_digit_of(s->p[n], base))
            n++;
        if (!n)
            return false;
        *s = str_skip(*s, n);
    } while (take_char(s, '_'));
    return true;
}

/* A number's text without underscores; the source itself when it has none. */
static struct str without_underscores(struct toml *t, struct str s)
{
    char *out;
    size_t n = 0;

    if (str_find_byte(s, '_') < 0)
        return s;
    out = arena_alloc(t->mem, s.n);
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '_')
            out[n++] = s.p[i];
    return (struct str){ out, n };
}

static bool bad_range(struct toml *t, struct str word)
{
    return toml_bad(t, word.p, "this integer is out of range; expected %lld to %lld",
                    (long long)INT64_MIN, (long long)INT64_MAX);
}

static bool decimal(struct toml *t, struct str word, bool negative, struct str *out)
{
    struct str digits = without_underscores(t, *out);
    uint64_t n;

    if (!str_uint(digits, 0, (uint64_t)INT64_MAX + negative, &n))
        return bad_range(t, word);
    if (negative && n)
        digits = arena_printf(t->mem, "-" STR_FMT, STR_ARG(digits));
    *out = digits;
    return true;
}

/* 0x, 0o or 0b in front of digits. */
static bool prefixed(struct toml *t, struct str word, struct str *out)
{
    int base = word.p[1] == 'x' ? 16 : word.p[1] == 'o' ? 8 : 2;
    struct str rest = str_skip(word, 2), digits = rest;
    uint64_t n = 0;

    if (!take_digits(&rest, base) || rest.n)
        return toml_bad(t, word.p, "0%c must be followed by digits of base %d", word.p[1], base);
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] == '_')
            continue;
        if (n > (uint64_t)(INT64_MAX / base))
            return bad_range(t, word);
        n = n * (uint64_t)base + (uint64_t)toml_hex(digits.p[i]);
    }
    if (n > INT64_MAX)
        return bad_range(t, word);
    *out = arena_printf(t->mem, "%llu", (unsigned long long)n);
    return true;
}

static bool take_fraction(struct str *s)
{
    return !take_char(s, '.') || take_digits(s, 10);
}

static bool take_exponent(struct str *s)
{
    if (!take_char(s, 'e') && !take_char(s, 'E'))
        return true;
    if (!take_char(s, '+'))
        take_char(s, '-');
    return take_digits(s, 10);
}

/* inf and nan, of which the sign of nan means nothing. */
static bool special(struct str word, struct str *out)
{
    bool negative = take_char(&word, '-');

    if (!negative)
        take_char(&word, '+');
    if (str_eq(word, STR("inf")))
        *out = negative ? STR("-inf") : STR("inf");
    else if (str_eq(word, STR("nan")))
        *out = STR("nan");
    else
        return false;
    return true;
}

static bool number(struct toml *t, struct str word, struct str *out)
{
    struct str rest = word, whole;
    bool negative = take_char(&rest, '-');

    if (special(word, out))
        return true;
    if (word.n > 1 && word.p[0] == '0' && memchr("xob", word.p[1], 3))
        return prefixed(t, word, out);
    if (!negative)
        take_char(&rest, '+');
    whole = rest;
    if (!take_digits(&rest, 10))
        return toml_bad(t, word.p, "\"" STR_FMT "\" is not a value; strings need quotes",
                        STR_ARG(str_head(word, 40)));
    if (whole.p[0] == '0' && whole.n - rest.n > 1)
        return toml_bad(t, word.p, "a number must not begin with 0");
    if (!rest.n) {
        *out = whole;
        return decimal(t, word, negative, out);
    }
    if (!take_fraction(&rest) || !take_exponent(&rest) || rest.n)
        return toml_bad(t, word.p, "\"" STR_FMT "\" is not a number, date or time",
                        STR_ARG(str_head(word, 40)));
    *out = without_underscores(t, negative ? word : whole);
    return true;
}

/* ---- dates and times -------------------------------------------------------------------- */

struct moment {
    unsigned year, month, day, hour, minute, second;
    int offset; /* minutes east of UTC */
};

/* Exactly n digits. */
static bool take_field(struct str *s, size_t n, unsigned *out)
{
    uint64_t v;

    if (s->n < n || !str_uint(str_head(*s, n), 0, 9999, &v))
        return false;
    *out = (unsigned)v;
    *s = str_skip(*s, n);
    return true;
}

static unsigned days_in(unsigned year, unsigned month)
{
    static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 && leap ? 29 : days[month - 1];
}

static bool take_date(struct str *s, struct moment *m)
{
    return take_field(s, 4, &m->year) && take_char(s, '-') && take_field(s, 2, &m->month) &&
           take_char(s, '-') && take_field(s, 2, &m->day) && m->month >= 1 && m->month <= 12 &&
           m->day >= 1 && m->day <= days_in(m->year, m->month);
}

static bool take_time(struct str *s, struct moment *m)
{
    if (!take_field(s, 2, &m->hour) || !take_char(s, ':') || !take_field(s, 2, &m->minute) ||
        !take_char(s, ':') || !take_field(s, 2, &m->second))
        return false;
    if (m->hour > 23 || m->minute > 59 || m->second > 60)
        return false;
    if (!take_char(s, '.'))
        return true;
    if (!s->n || !is_digit(s->p[0]))
        return false;
    while (s->n && is_digit(s->p[0]))
        *s = str_skip(*s, 1);
    return true;
}

static bool take_offset(struct str *s, struct moment *m)
{
    unsigned hour, minute;
    bool west = s->n && s->p[0] == '-';

    if (take_char(s, 'Z') || take_char(s, 'z'))
        return true;
    if (!take_char(s, '+') && !take_char(s, '-'))
        return false;
    if (!take_field(s, 2, &hour) || !take_char(s, ':') || !take_field(s, 2, &minute))
        return false;
    m->offset = (int)(hour * 60 + minute) * (west ? -1 : 1);
    return hour <= 23 && minute <= 59;
}

/* Can this be a leap second: 23:59:60 UTC on the last day of a month? (RFC 3339, 5.7) */
static bool leap_second_can_be(const struct moment *m)
{
    const int day = 24 * 60;
    int utc = (int)(m->hour * 60 + m->minute) - m->offset;

    if (utc == -1) /* in UTC it is still the day before */
        return m->day == 1;
    return utc == day - 1 && m->day == days_in(m->year, m->month);
}

static bool take_date_time(struct str *s, struct moment *m)
{
    if (!take_date(s, m))
        return false;
    if (!s->n)
        return true;
    *s = str_skip(*s, 1); /* T, t or a space */
    if (!take_time(s, m))
        return false;
    if (!s->n)
        return true;
    return take_offset(s, m) && (m->second < 60 || leap_second_can_be(m));
}

/* The text of a date or time from p on: a word, or a date, one space and a word. */
static struct str moment_at(const char *p, const char *end)
{
    struct str word = word_at(p, end);
    const char *more = word.p + word.n;

    if (word.n == 10 && end - more >= 2 && more[0] == ' ' && is_digit(more[1]))
        word.n += 1 + word_at(more + 1, end).n;
    return word;
}

static struct str normal_moment(struct toml *t, struct str s)
{
    char *out = arena_cstr(t->mem, s);

    if (s.n > 10 && out[4] == '-')
        out[10] = 'T';
    if (out[s.n - 1] == 'z')
        out[s.n - 1] = 'Z';
    return (struct str){ out, s.n };
}

static bool moment(struct toml *t, struct str *out)
{
    struct str word = moment_at(t->p, t->end), rest = word;
    struct moment m = { 0 };
    bool date = word.n > 4 && word.p[4] == '-', ok;

    if (date && word.n > 10 && !strchr("Tt ", word.p[10]))
        ok = false;
    else
        ok = date ? take_date_time(&rest, &m) : take_time(&rest, &m);
    if (!ok || rest.n)
        return toml_bad(t, word.p,
                        "\"" STR_FMT "\" is not a date or time; examples: 2006-01-02, 15:04:05.6, "
                        "2006-01-02T15:04:05Z, 2006-01-02 15:04:05+01:30",
                        STR_ARG(str_head(word, 40)));
    *out = normal_moment(t, word);
    t->p += word.n;
    return true;
}

/* ---- which ------------------------------------------------------------------------------ */

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.p[i]))
            return false;
    return true;
}

/* Four digits and '-', or two digits and ':'. */
static bool looks_like_moment(struct str word)
{
    return (word.n > 4 && word.p[4] == '-' && all_digits(str_head(word, 4))) ||
           (word.n > 2 && word.p[2] == ':' && all_digits(str_head(word, 2)));
}

bool toml_scalar(struct toml *t, struct toml_item *into)
{
    struct str word = word_at(t->p, t->end);

    if (!word.n)
        return toml_bad(t, t->p,
                        "expected a value: a string in quotes, a number, true, false, a date or "
                        "time, [ or {");
    if (looks_like_moment(word)) {
        into->type = JSON_TIME;
        return moment(t, &into->text);
    }
    into->type = JSON_NUMBER;
    if (str_eq(word, STR("true")) || str_eq(word, STR("false"))) {
        into->type = JSON_BOOL;
        into->text = word;
    } else if (!number(t, word, &into->text)) {
        return false;
    }
    t->p += word.n;
    return true;
}
