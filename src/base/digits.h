/* digits.h - write numbers as text, without the cost of printf. No NUL is written. */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DIGITS_MOST = 20, /* the longest uint64_t, or int64_t with its sign */
    DIGITS_HEX = 16,
};

/* Write v; returns the number of characters, at most DIGITS_MOST. */
size_t digits_put(char *out, uint64_t v);
size_t digits_put_signed(char *out, int64_t v);

/* Write the last `width` digits of v, with zeros in front. */
void digits_put_padded(char *out, uint64_t v, size_t width);

/* Write all 16 hexadecimal digits, in lower case. */
void digits_put_hex(char out[DIGITS_HEX], uint64_t v);

#endif
