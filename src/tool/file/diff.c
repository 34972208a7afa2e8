/*
 * diff.c - combines edits into pieces, and pieces into hunks.
 *
 * A piece is a group of whole lines of the old text and the whole lines that replace them. Edits
 * that touch the same line are in the same piece. A hunk is a group of pieces whose context lines
 * would overlap or touch.
 */
#include "tool/file/diff.h"

enum { CONTEXT = 3 };

struct piece {
    size_t from, to; /* of the old text, at beginnings of lines */
    struct str fresh;
};

struct diff {
    struct buf *out;
    struct str old;
    const struct piece *piece;
    size_t pieces;
    int64_t shift;        /* lines that the new text is ahead of the old one */
    size_t counted, line; /* the old text has `line` line ends before `counted` */
};

/* ---- lines ------------------------------------------------------------------------------- */

static size_t line_begin(struct str s, size_t at)
{
    const char *nl = at ? memrchr(s.p, '\n', at) : NULL;

    return nl ? (size_t)(nl + 1 - s.p) : 0;
}

/* Past the end of the line that `at` is in; the text's end, when that comes first. */
static size_t line_end(struct str s, size_t at)
{
    const char *nl = at < s.n ? memchr(s.p + at, '\n', s.n - at) : NULL;

    return nl ? (size_t)(nl + 1 - s.p) : s.n;
}

static size_t lines_back(struct str s, size_t at, size_t least, int lines)
{
    while (lines-- > 0 && at > least)
        at = line_begin(s, at - 1);
    return at;
}

static size_t lines_on(struct str s, size_t at, size_t most, int lines)
{
    while (lines-- > 0 && at < most)
        at = line_end(s, at);
    return at;
}

static size_t count_lines(struct str s)
{
    size_t n = 0;

    for (size_t at = 0; at < s.n; at = line_end(s, at))
        n++;
    return n;
}

/* ---- pieces ------------------------------------------------------------------------------ */

/* The piece that begins with edit[0]; returns how many edits are in it. */
static size_t gather(struct arena *mem, struct str old, const struct diff_edit *edit, size_t edits,
                     struct piece *p)
{
    struct buf fresh;
    size_t used = 1, at = edit[0].to;

    buf_init_in(&fresh, mem, SIZE_MAX / 2);
    p->from = line_begin(old, edit[0].from);
    buf_put(&fresh, (struct str){ old.p + p->from, edit[0].from - p->from });
    buf_put(&fresh, edit[0].text);
    while (at < old.n &&
           !(line_begin(old, at) == at && (!fresh.n || fresh.p[fresh.n - 1] == '\n'))) {
        size_t end = line_end(old, at);

        if (used < edits && edit[used].from < end) {
            buf_put(&fresh, (struct str){ old.p + at, edit[used].from - at });
            buf_put(&fresh, edit[used].text);
            at = edit[used++].to;
        } else {
            buf_put(&fresh, (struct str){ old.p + at, end - at });
            at = end;
        }
    }
    p->to = at;
    p->fresh = buf_str(&fresh);
    return used;
}

/* Leave out the lines at both ends that stay as they are. False: nothing changes. */
static bool narrow(struct str old, struct piece *p)
{
    while (p->from < p->to && p->fresh.n) {
        struct str a = { old.p + p->from, line_end(old, p->from) - p->from };
        struct str b = str_head(p->fresh, line_end(p->fresh, 0));

        if (!str_eq(a, b))
            break;
        p->from += a.n;
        p->fresh = str_skip(p->fresh, b.n);
    }
    while (p->from < p->to && p->fresh.n) {
        size_t at = line_begin(old, p->to - 1), in = line_begin(p->fresh, p->fresh.n - 1);

        if (at < p->from || !str_eq((struct str){ old.p + at, p->to - at }, str_skip(p->fresh, in)))
            break;
        p->to = at;
        p->fresh.n = in;
    }
    return p->from < p->to || p->fresh.n;
}

/* ---- hunks ------------------------------------------------------------------------------- */

static void put_lines(struct buf *out, char mark, struct str s)
{
    while (s.n) {
        size_t end = line_end(s, 0);

        buf_putc(out, mark);
        buf_put(out, str_head(s, end));
        if (s.p[end - 1] != '\n')
            buf_put(out, STR("\n\\ No newline at end of file\n"));
        s = str_skip(s, end);
    }
}

static size_t line_number(struct diff *d, size_t at)
{
    for (; d->counted < at; d->counted = line_end(d->old, d->counted))
        d->line++;
    return d->line;
}

/* A range without lines names the line before it. */
static void put_range(struct buf *out, char mark, size_t before, size_t lines)
{
    buf_printf(out, "%c%zu,%zu ", mark, lines ? before + 1 : before, lines);
}

static void put_hunk(struct diff *d, const struct piece *p, size_t n)
{
    size_t from = lines_back(d->old, p->from, 0, CONTEXT);
    size_t to = lines_on(d->old, p[n - 1].to, d->old.n, CONTEXT), at = from;
    size_t before = line_number(d, from);
    size_t was = count_lines((struct str){ d->old.p + from, to - from }), is = was;

    for (size_t i = 0; i < n; i++)
        is = is - count_lines((struct str){ d->old.p + p[i].from, p[i].to - p[i].from }) +
             count_lines(p[i].fresh);
    buf_put(d->out, STR("@@ "));
    put_range(d->out, '-', before, was);
    put_range(d->out, '+', (size_t)((int64_t)before + d->shift), is);
    buf_put(d->out, STR("@@\n"));
    for (size_t i = 0; i < n; i++) {
        put_lines(d->out, ' ', (struct str){ d->old.p + at, p[i].from - at });
        put_lines(d->out, '-', (struct str){ d->old.p + p[i].from, p[i].to - p[i].from });
        put_lines(d->out, '+', p[i].fresh);
        at = p[i].to;
    }
    put_lines(d->out, ' ', (struct str){ d->old.p + at, to - at });
    d->shift += (int64_t)is - (int64_t)was;
}

/* Would the context of two pieces meet? */
static bool near(const struct diff *d, const struct piece *a, const struct piece *b)
{
    return lines_on(d->old, a->to, b->from, 2 * CONTEXT) == b->from;
}

static void put_hunks(struct diff *d)
{
    size_t n;

    for (size_t i = 0; i < d->pieces; i += n) {
        for (n = 1; i + n < d->pieces && near(d, &d->piece[i + n - 1], &d->piece[i + n]);)
            n++;
        put_hunk(d, &d->piece[i], n);
    }
}

void diff_put(struct buf *out, struct arena *mem, struct str path, struct str old,
              const struct diff_edit *edit, size_t edits)
{
    struct piece *piece = ARENA_ARRAY(mem, struct piece, edits);
    struct diff d = { .out = out, .old = old, .piece = piece };

    for (size_t i = 0; i < edits;) {
        struct piece *p = &piece[d.pieces];

        i += gather(mem, old, edit + i, edits - i, p);
        if (narrow(old, p))
            d.pieces++;
    }
    if (!d.pieces)
        return;
    buf_printf(out, "--- a/" STR_FMT "\n+++ b/" STR_FMT "\n", STR_ARG(path), STR_ARG(path));
    put_hunks(&d);
}
