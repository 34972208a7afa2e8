/*
 * mem.h - heap memory that is there or the program is not.
 *
 * Running out of memory aborts (docs/notes/0008): whatever input can enlarge is checked
 * against a limit before it is allocated, so this is a bug or a dead machine, not a request
 * that could be refused.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Uninitialised memory. n may be 0. */
void *mem_alloc(size_t n) __attribute__((malloc, returns_nonnull));

/* All bytes zero. */
void *mem_zero(size_t n) __attribute__((malloc, returns_nonnull));

/* Like realloc, p may be NULL. */
void *mem_resize(void *p, size_t n) __attribute__((returns_nonnull));

/* NULL is fine. */
void mem_free(void *p);

/* A zeroed object of a type. */
#define MEM_NEW(type) ((type *)mem_zero(sizeof(type)))

#endif
