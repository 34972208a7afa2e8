/*
 * line_paint.h - a text being typed, on a screen.
 *
 * The text stands where the cursor was when it began, broken at the width of the screen, with a
 * mark before each line but the first. Of what has more rows than the screen, those around the
 * cursor are shown. Only sequences that every terminal knows are used: up, right, clear below.
 */
#ifndef TERM_LINE_PAINT_H
#define TERM_LINE_PAINT_H

#include "term/line_state.h"

struct line_screen {
    size_t columns, rows; /* of the terminal */
    size_t top;           /* the first row of the text that is shown */
    size_t cursor;        /* in which of the rows shown the cursor stands */
};

/* The bytes that bring the screen from what was painted last to this. */
void line_paint(const struct line_state *s, struct str prompt, struct line_screen *screen,
                struct buf *out);

/* The same with the cursor behind the text, and to the start of the row below: it is over. */
void line_paint_end(const struct line_state *s, struct str prompt, struct line_screen *screen,
                    struct buf *out);

/* The terminal has another size; it has moved what was painted to fit. */
void line_resized(const struct line_state *s, struct str prompt, struct line_screen *screen,
                  size_t columns, size_t rows);

#endif
