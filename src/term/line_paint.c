/*
 * line_paint.c - show the typed text, in two passes: the first finds the position of the cursor,
 * the second writes the visible rows.
 */
#include "term/line_paint.h"

#include "base/utf8.h"
#include "term/char_width.h"

#define NEXT_LINE "| " /* before each line of the text but the first */

enum { TAB_WIDTH = 8, LEAST_COLUMNS = 8, MARK_MOST = 400 };

/* Moves over the rows, writing those from `first` up to `last`; without `out` none. */
struct pen {
    size_t columns, row, column;
    size_t first, last;
    struct buf *out;
};

struct spot {
    size_t row, column;
};

static bool writes(const struct pen *p)
{
    return p->out && p->row >= p->first && p->row <= p->last;
}

static void pen_break(struct pen *p)
{
    p->row++;
    p->column = 0;
    if (writes(p) && p->row > p->first)
        buf_put(p->out, STR("\r\n"));
}

static void pen_put(struct pen *p, struct str character, size_t width)
{
    if (p->column + width > p->columns)
        pen_break(p);
    if (writes(p))
        buf_put(p->out, character);
    p->column += width;
}

static void pen_tab(struct pen *p)
{
    do
        pen_put(p, STR(" "), 1);
    while (p->column % TAB_WIDTH && p->column < p->columns);
}

static void pen_text(struct pen *p, struct str s)
{
    while (s.n) {
        size_t n = utf8_len(s.p, s.n);
        int width = char_width(utf8_decode(s.p));

        if (s.p[0] == '\n') {
            pen_break(p);
            pen_text(p, STR(NEXT_LINE));
        } else if (s.p[0] == '\t') {
            pen_tab(p);
        } else if (width < 0) {
            pen_put(p, STR("\xef\xbf\xbd"), 1);
        } else {
            pen_put(p, str_head(s, n), (size_t)width);
        }
        s = str_skip(s, n);
    }
}

/* ---- what is written ----------------------------------------------------------------------- */

/* What stands before the cursor and behind it. A search shows what it has found. */
struct line_parts {
    struct str mark, before, behind;
    char search[MARK_MOST];
};

static void take_parts(const struct line_state *s, struct str prompt, struct line_parts *p)
{
    struct str text = buf_str(&s->text);

    *p = (struct line_parts){ .mark = prompt,
                              .before = str_head(text, s->cursor),
                              .behind = str_skip(text, s->cursor) };
    if (!s->searching)
        return;
    snprintf(p->search, sizeof(p->search), "(%s: " STR_FMT "_) ",
             s->pattern.n && s->found == s->history->n ? "not found" : "search",
             STR_ARG(buf_str(&s->pattern)));
    p->mark = str_of(p->search);
    p->before = STR("");
    p->behind = line_found(s);
}

/* Returns where the cursor is to stand; the pen is behind the text then. */
static struct spot line_paint_lay(struct pen *p, const struct line_parts *parts)
{
    struct spot cursor;

    pen_text(p, parts->mark);
    pen_text(p, parts->before);
    if (p->column == p->columns)
        pen_break(p); /* the cursor cannot stand behind the last column */
    cursor = (struct spot){ p->row, p->column };
    pen_text(p, parts->behind);
    return cursor;
}

static size_t columns_of(const struct line_screen *screen)
{
    return screen->columns < LEAST_COLUMNS ? LEAST_COLUMNS : screen->columns;
}

static size_t rows_of(const struct line_screen *screen)
{
    return screen->rows ? screen->rows : 1;
}

/* Move the rows that are shown as little as possible, so that the cursor is among them. */
static void scroll(struct line_screen *screen, size_t cursor, size_t last)
{
    size_t height = rows_of(screen);

    if (last < height)
        screen->top = 0;
    else if (screen->top + height > last + 1)
        screen->top = last + 1 - height;
    if (cursor < screen->top)
        screen->top = cursor;
    if (cursor >= screen->top + height)
        screen->top = cursor + 1 - height;
}

static void up(struct buf *out, size_t rows)
{
    if (rows)
        buf_printf(out, "\x1b[%zuA", rows);
}

/* From the end of what was written to the cursor's place. */
static void move_to(struct buf *out, const struct pen *p, struct spot to)
{
    size_t last = p->row < p->last ? p->row : p->last;

    up(out, last - to.row);
    buf_putc(out, '\r');
    if (to.column)
        buf_printf(out, "\x1b[%zuC", to.column);
}

static void line_paint_rows(const struct line_parts *parts, struct line_screen *screen,
                            struct buf *out)
{
    struct pen measure = { .columns = columns_of(screen) };
    struct pen write = { .columns = columns_of(screen), .out = out };
    struct spot cursor = line_paint_lay(&measure, parts);

    scroll(screen, cursor.row, measure.row);
    write.first = screen->top;
    write.last = screen->top + rows_of(screen) - 1;
    up(out, screen->cursor);
    buf_put(out, STR("\r\x1b[J"));
    line_paint_lay(&write, parts);
    move_to(out, &write, cursor);
    screen->cursor = cursor.row - screen->top;
}

void line_paint(const struct line_state *s, struct str prompt, struct line_screen *screen,
                struct buf *out)
{
    struct line_parts parts;

    take_parts(s, prompt, &parts);
    line_paint_rows(&parts, screen, out);
}

void line_paint_end(const struct line_state *s, struct str prompt, struct line_screen *screen,
                    struct buf *out)
{
    struct line_parts parts = { .mark = prompt, .before = buf_str(&s->text), .behind = STR("") };

    line_paint_rows(&parts, screen, out);
    buf_put(out, STR("\r\n"));
    screen->top = screen->cursor = 0;
}

void line_resized(const struct line_state *s, struct str prompt, struct line_screen *screen,
                  size_t columns, size_t rows)
{
    struct pen measure;
    struct line_parts parts;
    struct spot cursor;

    screen->columns = columns;
    screen->rows = rows;
    measure = (struct pen){ .columns = columns_of(screen) };
    take_parts(s, prompt, &parts);
    cursor = line_paint_lay(&measure, &parts);
    scroll(screen, cursor.row, measure.row);
    screen->cursor = cursor.row - screen->top;
}
