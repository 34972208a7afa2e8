/*
 * visible.h - text from elsewhere, made safe for a person's eyes.
 *
 * Such text must not be able to move a cursor, turn the reading direction around or hide a part of
 * itself: what a person agrees to is what is there.
 */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include "base/buf.h"

/* Printable characters as they are; control, invisible and direction characters as \u{hex}. */
void visible_text(struct buf *out, struct str s);

/*
 * A text of several lines: line feeds and tabs stay, and what joins or varies characters (emoji,
 * scripts) does too; everything else as visible_text has it.
 */
void visible_lines(struct buf *out, struct str s);

#endif
