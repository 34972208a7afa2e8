/*
 * sha256.h - SHA-256 (FIPS 180-4), for what a stranger must not be able to imitate.
 *
 * For look-up tables hash.h is far quicker.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_TEXT = 2 * SHA256_BYTES + 1 };

void sha256(struct str s, uint8_t out[SHA256_BYTES]);

/* The same in small hexadecimal digits, NUL-terminated. */
void sha256_text(struct str s, char out[SHA256_TEXT]);

#endif
