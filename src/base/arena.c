#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

enum { ALIGN = 16, FIRST_CHUNK = 4096 - 64, LARGEST_CHUNK = 1 << 20 };

struct arena_chunk {
    struct arena_chunk *older;
    size_t size; /* of the room behind this head */
} __attribute__((aligned(ALIGN)));

struct arena_defer {
    struct arena_defer *older;
    void (*fn)(void *ptr);
    void *ptr;
};

void arena_init(struct arena *a)
{
    *a = (struct arena){ 0 };
}

static void run_deferred(struct arena *a)
{
    while (a->defer) {
        struct arena_defer *d = a->defer;

        a->defer = d->older;
        d->fn(d->ptr);
    }
}

void arena_fini(struct arena *a)
{
    run_deferred(a);
    while (a->chunk) {
        struct arena_chunk *older = a->chunk->older;

        mem_free(a->chunk);
        a->chunk = older;
    }
    a->at = a->end = NULL;
}

void arena_reset(struct arena *a)
{
    struct arena_chunk *keep;

    run_deferred(a);
    keep = a->chunk;
    if (!keep)
        return;
    if (keep->older || keep->size > FIRST_CHUNK) {
        arena_fini(a);
        return;
    }
    a->at = (char *)(keep + 1);
}

/* Chunks double, so a large message takes few of them and a small one stays small. */
static void add_chunk(struct arena *a, size_t need)
{
    size_t size = a->chunk ? a->chunk->size * 2 : FIRST_CHUNK;
    struct arena_chunk *c;

    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    if (size < need)
        size = need;
    c = mem_alloc(sizeof(*c) + size);
    c->older = a->chunk;
    c->size = size;
    a->chunk = c;
    a->at = (char *)(c + 1);
    a->end = a->at + size;
}

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

void *arena_alloc(struct arena *a, size_t n)
{
    void *p;

    n = aligned(n);
    if ((size_t)(a->end - a->at) < n || !a->chunk)
        add_chunk(a, n);
    p = a->at;
    a->at += n;
    return p;
}

void *arena_grow(struct arena *a, void *p, size_t old, size_t n)
{
    bool newest = p && (char *)p + aligned(old) == a->at;
    void *q;

    if (newest && (size_t)(a->end - (char *)p) >= aligned(n)) {
        a->at = (char *)p + aligned(n);
        return p;
    }
    q = arena_alloc(a, n);
    if (old)
        memcpy(q, p, old < n ? old : n);
    return q;
}

char *arena_cstr(struct arena *a, struct str s)
{
    char *p = arena_alloc(a, s.n + 1);

    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return p;
}

struct str arena_str(struct arena *a, struct str s)
{
    return (struct str){ arena_cstr(a, s), s.n };
}

struct str arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap, again;
    int n;
    char *p;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return (struct str){ p, (size_t)n };
}

void arena_defer(struct arena *a, void (*fn)(void *ptr), void *ptr)
{
    struct arena_defer *d = arena_alloc(a, sizeof(*d));

    *d = (struct arena_defer){ a->defer, fn, ptr };
    a->defer = d;
}

struct arena arena_pool_take(struct arena_pool *p)
{
    return p->count ? p->spare[--p->count] : (struct arena){ 0 };
}

void arena_pool_give(struct arena_pool *p, struct arena *a)
{
    arena_reset(a);
    if (a->chunk && p->count < ARENA_SPARES)
        p->spare[p->count++] = *a;
    else
        arena_fini(a);
    *a = (struct arena){ 0 };
}

void arena_pool_fini(struct arena_pool *p)
{
    while (p->count)
        arena_fini(&p->spare[--p->count]);
}
