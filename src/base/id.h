/*
 * id.h - names that nobody else has.
 *
 * UUIDv7 (RFC 9562): the time in front, so that ids sort by age and a database index grows at
 * its end; within one millisecond a counter keeps the order.
 */
#ifndef BASE_ID_H
#define BASE_ID_H

#include <stddef.h>
#include <stdint.h>

enum { ID_TEXT = 37 };

/* A new id in its 36 characters, NUL-terminated. */
void id_new(int64_t wall_ms, char out[ID_TEXT]);

/* A number that no other caller of this has; never 0. */
uint64_t id_number(void);

/* Bytes nobody can guess. Aborts if the kernel gives none. */
void id_random(void *out, size_t n);

#endif
