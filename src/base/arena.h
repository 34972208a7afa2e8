/*
 * arena.h - memory that is freed as a whole.
 *
 * Each inbound request gets one arena. Everything decoded or built for the request is allocated
 * there and freed when the op of the request ends. Resources that are not memory (a descriptor, a
 * library handle) are attached with arena_defer and released in reverse order, before the memory.
 *
 * An arena has no maximum size. The code that reads input checks its size against base/limits.def
 * before it allocates.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena {
    char *at, *end; /* the unused bytes of the newest chunk */
    struct arena_chunk *chunk;
    struct arena_defer *defer;
};

/* Make an empty arena, which holds no memory until its first use. {0} is an empty arena, too. */
void arena_init(struct arena *a);

/* Call the deferred functions, then free all memory. The arena is empty and can be used again. */
void arena_fini(struct arena *a);

/* Like arena_fini, but keeps one chunk for the next use. */
void arena_reset(struct arena *a);

/* Allocate n uninitialised bytes, aligned for any type. n may be 0. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull));

/*
 * Resize the allocation p from `old` to `n` bytes, and return its address. The newest allocation is
 * resized in place, any other is copied. p may be NULL if old is 0.
 */
void *arena_grow(struct arena *a, void *p, size_t old, size_t n) __attribute__((returns_nonnull));

/* Copy s into the arena. A NUL follows the n bytes of the copy. */
struct str arena_str(struct arena *a, struct str s);

/* Like arena_str, but returns STR_NONE if s is STR_NONE. */
static inline struct str arena_maybe(struct arena *a, struct str s)
{
    return s.p ? arena_str(a, s) : STR_NONE;
}

/* Copy s into the arena as a C string. */
char *arena_cstr(struct arena *a, struct str s) __attribute__((returns_nonnull));

/* Format a string, as printf does. */
struct str arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

/* Call fn(ptr) before the memory of the arena is freed (arena_fini, arena_reset). */
void arena_defer(struct arena *a, void (*fn)(void *ptr), void *ptr);

/* ---- spare arenas ----------------------------------------------------------------------- */

enum { ARENA_SPARES = 64 };

/* Empty arenas that keep a chunk each, so that small work needs no malloc. {0} is an empty pool. */
struct arena_pool {
    struct arena spare[ARENA_SPARES];
    size_t count;
};

/* arena_pool_take returns an empty arena. arena_pool_give returns it to the pool: its contents are
 * freed, as by arena_fini. */
struct arena arena_pool_take(struct arena_pool *p);
void arena_pool_give(struct arena_pool *p, struct arena *a);
void arena_pool_fini(struct arena_pool *p);

/* Allocate an object of a type, or an array of n of them; all bytes are zero. */
#define ARENA_NEW(a, type) ((type *)memset(arena_alloc(a, sizeof(type)), 0, sizeof(type)))
#define ARENA_ARRAY(a, type, n)                                                                    \
    ((type *)memset(arena_alloc(a, (n) * sizeof(type)), 0, (n) * sizeof(type)))

#endif
