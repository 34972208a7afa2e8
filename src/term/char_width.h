/* char_width.h - the width of a character on a terminal, in columns. */
#ifndef TERM_CHAR_WIDTH_H
#define TERM_CHAR_WIDTH_H

#include <stdint.h>

/* Return the width: 1 or 2; 0 for a combining character; -1 for a control character. */
int char_width(uint32_t c);

#endif
