/*
 * base64.h - bytes as text (RFC 4648).
 *
 * Decoding is strict: nothing outside the alphabet, full padding where the alphabet has it, and no
 * bits set that belong to no byte, so that every run of bytes has exactly one text.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/arena.h"

enum base64_kind {
    BASE64_PLAIN, /* + and /, padded with = */
    BASE64_URL,   /* - and _, not padded */
};

/* In mem, NUL-terminated. */
struct str base64_encode(struct arena *mem, enum base64_kind kind, struct str bytes);
bool base64_decode(struct arena *mem, enum base64_kind kind, struct str text, struct str *out);

#endif
