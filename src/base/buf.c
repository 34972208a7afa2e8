#include "base/buf.h"

#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { FIRST_ROOM = 256 };

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){ .max = max };
}

void buf_init_in(struct buf *b, struct arena *mem, size_t max)
{
    *b = (struct buf){ .max = max, .mem = mem };
}

void buf_fini(struct buf *b)
{
    if (!b->mem)
        mem_free(b->p);
    *b = (struct buf){ .max = b->max, .mem = b->mem };
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->full = false;
}

void buf_trim(struct buf *b, size_t keep)
{
    if (b->room > keep)
        buf_fini(b);
    else
        buf_clear(b);
}

__attribute__((noinline)) static void grow(struct buf *b, size_t n)
{
    size_t room = b->room ? b->room : FIRST_ROOM;

    while (room - b->n < n)
        room *= 2;
    b->p = b->mem ? arena_grow(b->mem, b->p, b->room, room) : mem_resize(b->p, room);
    b->room = room;
}

char *buf_reserve_slowly(struct buf *b, size_t n)
{
    if (n > b->max - b->n) {
        b->full = true;
        return NULL;
    }
    if (!b->p || n > b->room - b->n)
        grow(b, n);
    return b->p + b->n;
}

void buf_added(struct buf *b, size_t n)
{
    assert(n <= b->room - b->n);
    b->n += n;
}

bool buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;
    bool fits;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    fits = n >= 0 && buf_reserve(b, (size_t)n);
    if (fits) {
        if ((size_t)n + 1 > b->room - b->n) /* the NUL, which does not count */
            grow(b, (size_t)n + 1);
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
    return fits;
}

void buf_consume(struct buf *b, size_t n)
{
    assert(n <= b->n);
    b->n -= n;
    if (b->n)
        memmove(b->p, b->p + n, b->n);
}
