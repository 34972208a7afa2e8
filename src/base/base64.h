/*
 * base64.h - encode bytes as text, and decode them (RFC 4648).
 *
 * Decoding is strict: it rejects characters outside the alphabet, incomplete padding, and unused
 * bits that are not 0. So only one text decodes to a given sequence of bytes.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/arena.h"

enum base64_kind {
    BASE64_PLAIN, /* + and /, padded with = */
    BASE64_URL,   /* - and _, not padded */
};

/* Both functions allocate their result in mem. The encoded text is NUL-terminated. */
struct str base64_encode(struct arena *mem, enum base64_kind kind, struct str bytes);
bool base64_decode(struct arena *mem, enum base64_kind kind, struct str text, struct str *out);

#endif
