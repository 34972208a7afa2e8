/*
 * mem.h - allocate heap memory; abort when there is none.
 *
 * A size that depends on input is checked against a limit before memory is allocated. So when
 * memory runs out, the cause is a bug or the machine, not a request that could be rejected
 * (docs/notes/0008).
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Allocate n uninitialised bytes. n may be 0. */
void *mem_alloc(size_t n) __attribute__((malloc, returns_nonnull));

/* Allocate n bytes that are all zero. */
void *mem_zero(size_t n) __attribute__((malloc, returns_nonnull));

/* Resize an allocation, like realloc; p may be NULL. */
void *mem_resize(void *p, size_t n) __attribute__((returns_nonnull));

/* p may be NULL. */
void mem_free(void *p);

/* A zeroed object of a type. */
#define MEM_NEW(type) ((type *)mem_zero(sizeof(type)))

#endif
