#include "loop/tail.h"

#include "base/mem.h"
#include "base/utf8.h"

enum { LONGEST_KEPT_BUFFER = 4096 };

void tail_init(struct tail *t, size_t lines, size_t line_bytes)
{
    *t = (struct tail){ .lines = lines, .line_bytes = line_bytes };
    buf_init(&t->part, line_bytes);
}

void tail_fini(struct tail *t)
{
    for (size_t i = 0; i < t->count; i++)
        mem_free(t->line[(t->first + i) % t->lines].p);
    mem_free(t->line);
    buf_fini(&t->part);
    tail_init(t, t->lines, t->line_bytes);
}

struct str tail_line(const struct tail *t, size_t i)
{
    const struct tail_line *l = &t->line[(t->first + i) % t->lines];

    return (struct str){ l->p, l->n };
}

/* ---- making a line fit to be shown ------------------------------------------------------ */

/* Length of a terminal's control sequence at the start (ESC [ ... letter), or 0. */
static size_t escape_len(struct str s)
{
    size_t i = 2;

    if (s.n < 3 || s.p[0] != '\x1b' || s.p[1] != '[')
        return 0;
    while (i < s.n && s.p[i] >= 0x20 && s.p[i] <= 0x3f)
        i++;
    return i < s.n && s.p[i] >= 0x40 && s.p[i] <= 0x7e ? i + 1 : 0;
}

/* The displayed form of the first character of s; *out_len is how much of s it takes. */
static struct str shown(struct str s, size_t *out_len)
{
    size_t n = utf8_len(s.p, s.n);
    uint32_t cp = n ? utf8_decode(s.p) : 0;

    *out_len = n ? n : 1;
    if (!n)
        return STR("\xef\xbf\xbd"); /* U+FFFD */
    if ((cp < 0x20 && cp != '\t') || (cp >= 0x7f && cp <= 0x9f))
        return STR("?");
    return str_head(s, n);
}

/* Write the line to out[max]; returns its length. Never cuts a character. */
static size_t clean(struct str raw, char *out, size_t max)
{
    size_t n = 0;

    if (str_ends(raw, STR("\r")))
        raw.n--;
    while (raw.n) {
        size_t len = escape_len(raw);
        struct str c = STR_NONE;

        if (!len)
            c = shown(raw, &len);
        if (c.n > max - n)
            break;
        if (c.n)
            memcpy(out + n, c.p, c.n);
        n += c.n;
        raw = str_skip(raw, len);
    }
    return n;
}

/* ---- lines ------------------------------------------------------------------------------ */

static void keep(struct tail *t, struct str line)
{
    struct tail_line *to;

    if (!t->lines)
        return;
    if (!t->line)
        t->line = mem_zero(t->lines * sizeof(*t->line));
    if (t->count == t->lines) {
        to = &t->line[t->first];
        t->first = (t->first + 1) % t->lines;
    } else {
        to = &t->line[(t->first + t->count++) % t->lines];
    }
    to->p = mem_resize(to->p, line.n);
    to->n = line.n;
    if (line.n)
        memcpy(to->p, line.p, line.n);
}

static void take_line(struct tail *t, struct str raw, tail_fn *fn, void *ctx)
{
    char small[LONGEST_KEPT_BUFFER];
    char *large = t->line_bytes > sizeof(small) ? mem_alloc(t->line_bytes) : NULL;
    struct str line = { large ? large : small, 0 };

    line.n = clean(raw, large ? large : small, t->line_bytes);
    keep(t, line);
    if (fn)
        fn(line, ctx);
    mem_free(large);
}

/* The line that began earlier ends with this. */
static void take_part(struct tail *t, struct str rest, tail_fn *fn, void *ctx)
{
    if (!t->cutting)
        buf_put(&t->part, str_head(rest, t->line_bytes - t->part.n));
    take_line(t, buf_str(&t->part), fn, ctx);
    buf_trim(&t->part, LONGEST_KEPT_BUFFER);
    t->cutting = false;
}

/* The last lines of s, as many as are kept: what stands before would be pushed out at once. */
static struct str last_lines(struct str s, size_t lines)
{
    struct str before = s;

    for (size_t i = 0; i <= lines; i++) {
        const char *nl = before.n ? memrchr(before.p, '\n', before.n) : NULL;

        if (!nl)
            return s;
        before.n = (size_t)(nl - before.p);
    }
    return str_skip(s, before.n + 1);
}

void tail_put(struct tail *t, struct str bytes, tail_fn *fn, void *ctx)
{
    struct str rest = fn ? bytes : last_lines(bytes, t->lines);
    ptrdiff_t nl;

    if (rest.n < bytes.n) { /* the line that began earlier is among those left out */
        buf_clear(&t->part);
        t->cutting = false;
    }
    while (rest.n && (nl = str_find_byte(rest, '\n')) >= 0) {
        struct str line = str_head(rest, (size_t)nl);

        if (t->part.n)
            take_part(t, line, fn, ctx);
        else
            take_line(t, line, fn, ctx);
        rest = str_skip(rest, (size_t)nl + 1);
    }
    if (rest.n && !t->cutting)
        buf_put(&t->part, str_head(rest, t->line_bytes - t->part.n));
    t->cutting = t->part.n == t->line_bytes;
}

void tail_end(struct tail *t, tail_fn *fn, void *ctx)
{
    if (t->part.n)
        take_part(t, STR_NONE, fn, ctx);
}
