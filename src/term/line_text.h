/*
 * line_text.h - find the characters, words and lines around a position of a text.
 *
 * Here a "character" is the unit by which the cursor moves: a code point with a width, and the
 * combining code points after it.
 */
#ifndef TERM_LINE_TEXT_H
#define TERM_LINE_TEXT_H

#include "base/str.h"

/* The position after the next character or word, or before the previous one. The text must be valid
 * UTF-8, and `at` the position of a character or the end. */
size_t text_next(struct str text, size_t at);
size_t text_before(struct str text, size_t at);
size_t text_word_next(struct str text, size_t at);
size_t text_word_before(struct str text, size_t at);
size_t text_blank_before(struct str text, size_t at); /* words are separated by blanks only */

/* The start of the line that contains `at`, and its end (without the line feed). */
size_t text_line_start(struct str text, size_t at);
size_t text_line_end(struct str text, size_t at);

/*
 * Find the column of `at` in its line, and return the position in the same column of the line that
 * begins at `to`.
 */
size_t text_same_column(struct str text, size_t at, size_t to);

#endif
