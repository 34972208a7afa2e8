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
