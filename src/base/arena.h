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
    char *at, *end; /* free room in the newest chunk */
    struct arena_chunk *chunk;
    struct arena_defer *defer;
};

/* Holds no memory until first used. {0} is a valid empty arena too. */
void arena_init(struct arena *a);

/* Run what was deferred, then free all. The arena is empty and usable again. */
void arena_fini(struct arena *a);

/* Like arena_fini, but keeps one chunk for the next use. */
void arena_reset(struct arena *a);

/* Uninitialised, aligned for any type. n may be 0. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull));

/*
 * Make the allocation p of `old` bytes `n` bytes long, in place when it is the newest one.
 * The content moves along; p may be NULL when old is 0.
 */
void *arena_grow(struct arena *a, void *p, size_t old, size_t n) __attribute__((returns_nonnull));

/* A copy that is valid as long as the arena. Always NUL-terminated after its n bytes. */
struct str arena_str(struct arena *a, struct str s);

/* The same, where STR_NONE stays what it is. */
static inline struct str arena_maybe(struct arena *a, struct str s)
{
    return s.p ? arena_str(a, s) : STR_NONE;
}

/* The same as a C string. */
char *arena_cstr(struct arena *a, struct str s) __attribute__((returns_nonnull));

/* A formatted string. */
struct str arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

/* Call fn(ptr) when the arena ends. */
void arena_defer(struct arena *a, void (*fn)(void *ptr), void *ptr);

/* ---- spare arenas ----------------------------------------------------------------------- */

enum { ARENA_SPARES = 64 };

/* Emptied arenas with a chunk each, so that small work needs no malloc. {0} holds none. */
struct arena_pool {
    struct arena spare[ARENA_SPARES];
    size_t count;
};

/* An empty arena, and back; what it held ends as by arena_fini. */
struct arena arena_pool_take(struct arena_pool *p);
void arena_pool_give(struct arena_pool *p, struct arena *a);
void arena_pool_fini(struct arena_pool *p);

/* A zeroed object, or array of n, of a type. */
#define ARENA_NEW(a, type) ((type *)memset(arena_alloc(a, sizeof(type)), 0, sizeof(type)))
#define ARENA_ARRAY(a, type, n)                                                                    \
    ((type *)memset(arena_alloc(a, (n) * sizeof(type)), 0, (n) * sizeof(type)))

#endif
