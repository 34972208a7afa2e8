/*
 * hash.h - hash a string for look-up tables whose keys come from untrusted input.
 *
 * The hash is keyed by a secret, so an attacker cannot choose strings that all collide.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

/* A new secret, for one table. */
uint64_t hash_secret(void);

/* All 32 bits are good. */
uint32_t hash_str(uint64_t secret, struct str s);

/* A number below 2^61 - 1, for code that compares numbers instead of strings. */
uint64_t hash_str_long(uint64_t secret, struct str s);

#endif
