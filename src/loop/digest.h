/*
 * digest.h - a seal on bytes that nobody shall imitate: HMAC-SHA256, by OpenSSL's libcrypto.
 *
 * The library is opened when the first seal is made: most runs of the program never need one, and
 * linking it would cost each of them time at the start.
 */
#ifndef LOOP_DIGEST_H
#define LOOP_DIGEST_H

#include "base/err.h"
#include "base/str.h"

enum { MAC_BYTES = 32 };

/* Fails with ERR_SYSTEM when the library is not there; the sentence says what to install. */
bool mac_sha256(struct str key, struct str bytes, char out[MAC_BYTES], struct err *e);

#endif
