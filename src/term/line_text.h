/*
 * line_text.h - places in a text: characters, words and lines around a position.
 *
 * A character here is what the cursor steps over: one with width, and all that joins it.
 */
#ifndef TERM_LINE_TEXT_H
#define TERM_LINE_TEXT_H

#include "base/str.h"

/* The text must be valid UTF-8 and `at` a place between its characters. */
size_t text_next(struct str text, size_t at);
size_t text_before(struct str text, size_t at);
size_t text_word_next(struct str text, size_t at);
size_t text_word_before(struct str text, size_t at);
size_t text_blank_before(struct str text, size_t at); /* of what stands between blanks */

/* Where the line around a place begins, and where it ends (before its line end). */
size_t text_line_start(struct str text, size_t at);
size_t text_line_end(struct str text, size_t at);

/* The place as far from the start of the line that begins at `to` as `at` is from that of its own. */
size_t text_same_column(struct str text, size_t at, size_t to);

#endif
