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

/* A new id in its 36 characters, NUL-terminated. */
void id_new(int64_t wall_ms, char out[ID_TEXT]);

/*
 * The end of an id, which is random: short enough to type. Ids that were made in the same minute
 * begin alike.
 */
enum { ID_SHORT = 8 };
static inline struct str id_short(struct str id)
{
    return id.n > ID_SHORT ? str_skip(id, id.n - ID_SHORT) : id;
}

/* Does this typed text identify the id: is it a prefix of the id or of its short form? */
static inline bool id_is_meant(struct str id, struct str typed)
{
    return str_starts(id, typed) || str_starts(id_short(id), typed);
}

/* A number that no other caller of this has; never 0. */
uint64_t id_number(void);

/* Random bytes that cannot be guessed. Aborts if the kernel returns none. */
void id_random(void *out, size_t n);

#endif
