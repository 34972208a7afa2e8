/*
 * wildcard.c - matches paths with backtracking to two positions: the last "*" of the current part,
 * and the last "**". It never has to backtrack to earlier positions, so the time is not
 * exponential.
 */
#include "tool/file/wildcard.h"

#include "base/utf8.h"

struct matching {
    struct str pat, path;
    size_t p, s;           /* where we are in each */
    bool star, deep;       /* is there a "*", a "**" to come back to? */
    size_t star_p, star_s; /* what follows the "*", and where its run ends */
    size_t deep_p, deep_s;
};

/* One character of a text; a byte that is not UTF-8 counts as one, too. */
static uint32_t next_char(struct str s, size_t *at)
{
    size_t len = utf8_len(s.p + *at, s.n - *at);
    uint32_t c = len ? utf8_decode(s.p + *at) : 0x110000u + (unsigned char)s.p[*at];

    *at += len ? len : 1;
    return c;
}

static uint32_t class_char(struct str pat, size_t *at)
{
    if (pat.p[*at] == '\\' && *at + 1 < pat.n)
        ++*at;
    return next_char(pat, at);
}

/* "[...]" at *p. False, and *p untouched, when it never ends: then "[" is a character. */
static bool match_class(struct str pat, size_t *p, uint32_t c, bool *hit)
{
    size_t at = *p + 1, first;
    bool negated = at < pat.n && (pat.p[at] == '!' || pat.p[at] == '^'), found = false;

    at += negated;
    for (first = at; at < pat.n && (pat.p[at] != ']' || at == first);) {
        uint32_t low = class_char(pat, &at), high = low;

        if (at + 1 < pat.n && pat.p[at] == '-' && pat.p[at + 1] != ']') {
            at++;
            high = class_char(pat, &at);
        }
        found |= low <= c && c <= high;
    }
    if (at >= pat.n)
        return false;
    *p = at + 1;
    *hit = found != negated;
    return true;
}

/* One character of the path against one of the pattern that is no star. */
static bool match_one(struct matching *m)
{
    size_t p = m->p, s = m->s;
    uint32_t c = next_char(m->path, &s);
    bool hit;

    if (m->pat.p[p] == '?') {
        hit = c != '/';
        p++;
    } else if (m->pat.p[p] != '[' || !match_class(m->pat, &p, c, &hit)) {
        hit = class_char(m->pat, &p) == c;
    } else {
        hit = hit && c != '/';
    }
    if (hit) {
        m->p = p;
        m->s = s;
    }
    return hit;
}

/* Is a "**" that is a whole part next? */
static bool at_deep(const struct matching *m)
{
    struct str rest = str_skip(m->pat, m->p);

    return str_starts(rest, STR("**")) && (m->p == 0 || m->pat.p[m->p - 1] == '/') &&
           (rest.n == 2 || rest.p[2] == '/');
}

/* Let the last star take one more character, or the last "**" one more folder. */
static bool come_back(struct matching *m)
{
    const char *slash;

    if (m->star && m->star_s < m->path.n && m->path.p[m->star_s] != '/') {
        next_char(m->path, &m->star_s);
        m->p = m->star_p;
        m->s = m->star_s;
        return true;
    }
    m->star = false;
    if (!m->deep || m->deep_s >= m->path.n)
        return false;
    slash = memchr(m->path.p + m->deep_s, '/', m->path.n - m->deep_s);
    if (!slash)
        return false;
    m->s = m->deep_s = (size_t)(slash + 1 - m->path.p);
    m->p = m->deep_p;
    return true;
}

static void take_star(struct matching *m)
{
    while (m->p < m->pat.n && m->pat.p[m->p] == '*')
        m->p++;
    m->star = true;
    m->star_p = m->p;
    m->star_s = m->s;
}

bool wild_match(struct str pattern, struct str path)
{
    struct matching m = { .pat = pattern, .path = path };

    for (;;) {
        if (m.p == m.pat.n && m.s == m.path.n)
            return true;
        if (m.p < m.pat.n && at_deep(&m)) {
            if (m.p + 2 == m.pat.n)
                return m.s < m.path.n;
            m.deep = true;
            m.star = false;
            m.p = m.deep_p = m.p + 3;
            m.deep_s = m.s;
        } else if (m.p < m.pat.n && m.pat.p[m.p] == '*') {
            take_star(&m);
        } else if (m.p == m.pat.n || m.s == m.path.n || !match_one(&m)) {
            if (!come_back(&m))
                return false;
        }
    }
}

/* ---- braces ------------------------------------------------------------------------------ */

/* The end of the brace that begins at `open`; 0: it has none, or nothing to choose from. */
static size_t brace_end(struct str s, size_t open)
{
    size_t depth = 0, commas = 0;

    for (size_t i = open; i < s.n; i++) {
        if (s.p[i] == '\\')
            i++;
        else if (s.p[i] == '{')
            depth++;
        else if (s.p[i] == ',' && depth == 1)
            commas++;
        else if (s.p[i] == '}' && --depth == 0)
            return commas ? i : 0;
    }
    return 0;
}

static bool find_brace(struct str s, size_t *open, size_t *end)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\') {
            i++;
        } else if (s.p[i] == '{' && (*end = brace_end(s, i))) {
            *open = i;
            return true;
        }
    }
    return false;
}

/* The next alternative of those between braces. */
static struct str cut_choice(struct str *rest)
{
    struct str all = *rest;
    size_t depth = 0;

    for (size_t i = 0; i < all.n; i++) {
        if (all.p[i] == '\\') {
            i++;
        } else if (all.p[i] == ',' && !depth) {
            *rest = str_skip(all, i + 1);
            return str_head(all, i);
        } else {
            depth += all.p[i] == '{';
            depth -= all.p[i] == '}' && depth;
        }
    }
    *rest = STR_NONE;
    return all;
}

bool wild_expand(struct arena *mem, struct str pattern, struct wild_list *out, struct err *e)
{
    size_t open, end;
    struct str rest;

    if (!find_brace(pattern, &open, &end)) {
        if (out->n == WILD_ALTERNATIVES)
            return fail(e, ERR_LIMIT, "the pattern expands to more than %d patterns",
                        WILD_ALTERNATIVES);
        out->v[out->n++] = pattern;
        return true;
    }
    rest = (struct str){ pattern.p + open + 1, end - open - 1 };
    while (rest.p) {
        struct str choice = cut_choice(&rest);
        struct str one =
            arena_printf(mem, STR_FMT STR_FMT STR_FMT, STR_ARG(str_head(pattern, open)),
                         STR_ARG(choice), STR_ARG(str_skip(pattern, end + 1)));

        if (!wild_expand(mem, one, out, e))
            return false;
    }
    return true;
}

bool wild_match_any(const struct wild_list *list, struct str path)
{
    for (size_t i = 0; i < list->n; i++)
        if (wild_match(list->v[i], path))
            return true;
    return false;
}
