/*
 * line_text.h - find the characters, words and lines around a position of a text.
 *
 * A character is what one cursor key moves over: a character with a width, and the combining
 * characters after it.
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

/* The position in the line that begins at `to`, in the same column as `at` has in its own line. */
size_t text_same_column(struct str text, size_t at, size_t to);

#endif
