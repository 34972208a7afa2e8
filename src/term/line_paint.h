/*
 * line_paint.h - show the text that the user types.
 *
 * The text begins at the position of the cursor. It is wrapped at the width of the screen, and each
 * line except the first begins with a mark. If the text has more rows than the screen, the rows
 * around the cursor are shown. Only escape sequences that every terminal supports are used: up,
 * right, clear below.
 */
#ifndef TERM_LINE_PAINT_H
#define TERM_LINE_PAINT_H

#include "term/line_state.h"

struct line_screen {
    size_t columns, rows; /* the size of the terminal */
    size_t top;           /* number of the first row of the text that is on the screen */
    size_t cursor;        /* the row with the cursor, counted from `top` */
};

/* Write to `out` the bytes that replace the text on the screen by the text of s. */
void line_paint(const struct line_state *s, struct str prompt, struct line_screen *screen,
                struct buf *out);

/* The same when the input is complete: the cursor moves to the row below the text. */
void line_paint_end(const struct line_state *s, struct str prompt, struct line_screen *screen,
                    struct buf *out);

/* The size of the terminal has changed, and the terminal has wrapped the painted text again. */
void line_resized(const struct line_state *s, struct str prompt, struct line_screen *screen,
                  size_t columns, size_t rows);

#endif
