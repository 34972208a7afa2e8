#include "base/display.h"

#include "base/utf8.h"

enum { SUMMARY_MOST = 120 };

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

/* In a query, also short names are those of secrets. */
static bool query_names_secret(struct str name)
{
    static const struct str names[] = { STR("key"),       STR("auth"), STR("code"), STR("sig"),
                                        STR("signature"), STR("jwt"),  STR("pwd") };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return names_secret(name);
}

static size_t span_without(struct str s, const char *ends)
{
    size_t n = 0;

    while (n < s.n && !(s.p[n] && strchr(ends, s.p[n])))
        n++;
    return n;
}

/* The parameters of a URL: each begins with ? or & or, in a fragment, with #. */
static void show_query(struct buf *out, struct str s)
{
    while (s.n) {
        struct str part = str_head(s, 1 + span_without(str_skip(s, 1), "?&#;"));
        size_t name = span_without(part, "=");

        s = str_skip(s, part.n);
        if (name < part.n && query_names_secret(str_skip(str_head(part, name), 1))) {
            show_text(out, str_head(part, name));
            buf_put(out, STR("=***"));
        } else {
            show_text(out, part);
        }
    }
}

static void show_url(struct buf *out, struct str word)
{
    size_t query = span_without(word, "?#"), from, to;
    struct str front = str_head(word, query);

    if (find_password(front, &from, &to)) {
        show_text(out, str_head(front, from));
        buf_put(out, STR("***"));
        front = str_skip(front, to);
    }
    show_text(out, front);
    show_query(out, str_skip(word, query));
}

/* Is it NAME=value or "Name: value" of a secret? *end: up to where it is shown. */
static bool is_secret_pair(struct str word, size_t *end)
{
    size_t name = span_without(word, "=:");

    *end = name + 1;
    while (*end < word.n && word.p[*end] == ' ')
        ++*end;
    return name < word.n && !str_starts(str_skip(word, name), STR("://")) &&
           names_secret(str_head(word, name));
}

static void show_masked(struct buf *out, struct str word)
{
    size_t end;

    if (is_secret_pair(word, &end)) {
        show_text(out, str_head(word, end));
        buf_put(out, STR("***"));
    } else if (str_find(word, STR("://")) >= 0) {
        show_url(out, word);
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
