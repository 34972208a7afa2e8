/*
 * digest.h - authenticate bytes with HMAC-SHA256, computed by OpenSSL's libcrypto.
 *
 * The library is loaded when the first digest is computed: most runs never need one, and linking it
 * would slow down every start.
 */
#ifndef LOOP_DIGEST_H
#define LOOP_DIGEST_H

#include "base/err.h"
#include "base/str.h"

enum { MAC_BYTES = 32 };

/* Fails with ERR_SYSTEM when the library is missing; the message says what to install. */
bool mac_sha256(struct str key, struct str bytes, char out[MAC_BYTES], struct err *e);

#endif
