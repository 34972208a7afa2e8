/* utf8.h - UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* Length of the valid sequence at p (1..4) within n bytes, or 0 when it is not valid. */
size_t utf8_len(const char *p, size_t n);

/* Bytes from the start that are valid; s.n when all is. */
size_t utf8_valid(struct str s);

/* Decode the sequence at p, which must be valid. */
uint32_t utf8_decode(const char *p);

/* Write a code point (not a surrogate); returns 1..4 bytes written to out[4]. */
size_t utf8_encode(uint32_t cp, char *out);

/* The longest head of at most `bytes` bytes that does not cut a character. */
struct str utf8_head(struct str s, size_t bytes);

/* How many characters; s must be valid. */
size_t utf8_count(struct str s);

#endif
