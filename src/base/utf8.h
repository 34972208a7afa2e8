/* utf8.h - UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/arena.h"

/* The length (1..4) of the character at p, where n bytes can be read; 0 if it is not valid
 * UTF-8. */
size_t utf8_len(const char *p, size_t n);

/* How many bytes at the start are valid UTF-8; s.n if all are. */
size_t utf8_valid(struct str s);

/* Decode the character at p, which must be valid. */
uint32_t utf8_decode(const char *p);

/*
 * Write a code point to out[4]; returns its length, 1..4. Half a surrogate pair becomes three bytes
 * that are not valid UTF-8, for utf8_join only.
 */
size_t utf8_encode(uint32_t cp, char *out);

/* The longest prefix of at most `bytes` bytes that does not split a character. */
struct str utf8_head(struct str s, size_t bytes);

/* The number of characters of s, which must be valid. */
size_t utf8_count(struct str s);

/*
 * Repair text that arrives in pieces and may be split inside a surrogate pair. Halves of pairs are
 * encoded as by utf8_encode. Returns the piece as valid UTF-8, in mem if it had to be changed: two
 * adjacent halves become their character, a single half becomes U+FFFD. *half, 0 before the first
 * piece, keeps a half at the end of a piece until the next one.
 */
struct str utf8_join(struct arena *mem, uint32_t *half, struct str piece);

#endif
