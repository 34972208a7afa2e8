/*
 * hash.h - hash a string for look-up tables whose keys come from untrusted input.
 *
 * The hash is keyed by a secret, so an attacker cannot choose strings that all collide.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

/* Make a new secret, for one table. */
uint64_t hash_secret(void);

/* Hash a string. Every one of the 32 bits can be used to choose a slot. */
uint32_t hash_str(uint64_t secret, struct str s);

/* Like hash_str, but the hash is a number below 2^61 - 1: for code that compares hashes instead of
 * strings. */
uint64_t hash_str_long(uint64_t secret, struct str s);

#endif
