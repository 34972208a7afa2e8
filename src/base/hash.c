/*
 * hash.c - evaluate a polynomial at a secret point, modulo the prime 2^61 - 1.
 *
 * The string is cut into pieces of seven bytes, which are the coefficients. Two different strings
 * of at most n pieces collide for at most n of the 2^61 - 1 possible secrets. The last step
 * distributes the result over 32 bits.
 */
#include "base/hash.h"

#include "base/id.h"

enum { PIECE = 7 };

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

uint64_t hash_secret(void)
{
    uint64_t secret;

    id_random(&secret, sizeof(secret));
    return secret % (prime - 1) + 1;
}

/* a * b modulo the prime; a and b below 2^61. */
static uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 wide = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(wide & prime) + (uint64_t)(wide >> 61);

    return sum >= prime ? sum - prime : sum;
}

static inline uint64_t piece_of(const char *p, size_t n)
{
    uint64_t piece = 0;

    memcpy(&piece, p, n);
    return piece;
}

static uint64_t add_piece(uint64_t h, uint64_t secret, uint64_t piece)
{
    h = times(h, secret) + piece;
    return h >= prime ? h - prime : h;
}

uint64_t hash_str_long(uint64_t secret, struct str s)
{
    uint64_t h = s.n; /* else "a" and "a\0" would be one */

    for (; s.n >= PIECE; s = str_skip(s, PIECE))
        h = add_piece(h, secret, piece_of(s.p, PIECE));
    if (s.n)
        h = add_piece(h, secret, piece_of(s.p, s.n));
    return times(h, secret);
}

uint32_t hash_str(uint64_t secret, struct str s)
{
    uint64_t h = hash_str_long(secret, s);

    /* Keys that are counted up lie at equal distances: without this they would meet again. */
    h ^= h >> 29;
    return (uint32_t)(h * 0x9e3779b97f4a7c15u >> 32);
}
