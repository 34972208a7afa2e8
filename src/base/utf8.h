/* utf8.h - UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/arena.h"

/* Length of the valid sequence at p (1..4) within n bytes, or 0 when it is not valid. */
size_t utf8_len(const char *p, size_t n);

/* Bytes from the start that are valid; s.n when all is. */
size_t utf8_valid(struct str s);

/* Decode the sequence at p, which must be valid. */
uint32_t utf8_decode(const char *p);

/*
 * Write a code point; returns 1..4 bytes written to out[4]. Half a surrogate pair becomes three bytes
 * that are not valid: only for utf8_join.
 */
size_t utf8_encode(uint32_t cp, char *out);

/* The longest head of at most `bytes` bytes that does not split a character. */
struct str utf8_head(struct str s, size_t bytes);

/* How many characters; s must be valid. */
size_t utf8_count(struct str s);

/*
 * Join text that arrives in pieces which may have been split inside a surrogate pair; they contain
 * such halves as utf8_encode writes them. Returns the piece as valid UTF-8, in mem if it had to be
 * changed: two adjacent halves become their character, others U+FFFD. *half, 0 at first, is a half
 * whose other half may be in the next piece.
 */
struct str utf8_join(struct arena *mem, uint32_t *half, struct str piece);

#endif
