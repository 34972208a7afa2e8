/* char_width.h - how many columns of a terminal a character takes. */
#ifndef TERM_CHAR_WIDTH_H
#define TERM_CHAR_WIDTH_H

#include <stdint.h>

/* 1 or 2; 0 for what joins the character before it; -1 for what has no shape, as controls. */
int char_width(uint32_t c);

#endif
