/*
 * id.h - unique ids.
 *
 * UUIDv7 (RFC 9562): the time comes first, so ids sort by age and a database index grows at its
 * end. Within one millisecond a counter keeps the order.
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

enum { ID_TEXT = 37 };

/* Write a new id: 36 characters and a NUL. */
void id_new(int64_t wall_ms, char out[ID_TEXT]);

/*
 * The length of an id's short form, which is easier to type. The short form consists of the last
 * characters of the id, which are random. The first characters are not suitable, because all ids
 * that were made in the same minute share them.
 */
enum { ID_SHORT = 8 };
static inline struct str id_short(struct str id)
{
    return id.n > ID_SHORT ? str_skip(id, id.n - ID_SHORT) : id;
}

/* Does the typed text identify this id? True if it is a prefix of the id or of its short form. */
static inline bool id_is_meant(struct str id, struct str typed)
{
    return str_starts(id, typed) || str_starts(id_short(id), typed);
}

/* Return a random number, never 0. In practice no two calls return the same number. */
uint64_t id_number(void);

/* Write n random bytes that cannot be guessed. Aborts if the kernel provides none. */
void id_random(void *out, size_t n);

#endif
