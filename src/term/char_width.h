/* char_width.h - how many columns of a terminal a character takes. */
#ifndef TERM_CHAR_WIDTH_H
#define TERM_CHAR_WIDTH_H

#include <stdint.h>

/* 1 or 2 columns; 0 for a combining character; -1 for a control character. */
int char_width(uint32_t c);

#endif
