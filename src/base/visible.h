/*
 * visible.h - make untrusted text safe to show to a person.
 *
 * Such text must not move the cursor, reverse the reading direction or hide a part of itself, so
 * that the user approves exactly what is shown.
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
