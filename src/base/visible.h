/*
 * visible.h - make untrusted text safe to show to a person.
 *
 * Such text must not move the cursor, reverse the reading direction or hide a part of itself, so
 * that the user approves exactly what is shown.
 */
#ifndef BASE_VISIBLE_H
#define BASE_VISIBLE_H

#include "base/buf.h"

/* Append s: printable characters unchanged; control, invisible and direction marks as \u{hex}. */
void visible_text(struct buf *out, struct str s);

/*
 * Append a text of several lines. Line feeds, tabs, and the characters that join or vary others (in
 * emoji and some scripts) are unchanged, too; everything else is as in visible_text.
 */
void visible_lines(struct buf *out, struct str s);

#endif
