/*
 * buf.h - a byte buffer that grows up to a fixed maximum.
 *
 * A put that would exceed the maximum adds nothing, returns false and sets `full`. So a caller can
 * do many puts and check `full` after the last one. A buf owns its memory, or borrows it from an
 * arena. {0} is an empty buf whose maximum is 0.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/arena.h"

struct buf {
    char *p;
    size_t n;    /* bytes held */
    size_t room; /* bytes allocated */
    size_t max;
    struct arena *mem; /* the arena that p is in; NULL: p is on the heap */
    bool full;         /* a put was refused since the last clear */
};

void buf_init(struct buf *b, size_t max);

/* Like buf_init, but the memory is from an arena, which frees it even without buf_fini. */
void buf_init_in(struct buf *b, struct arena *mem, size_t max);
void buf_fini(struct buf *b);

/* Forget the content, keep the memory. */
void buf_clear(struct buf *b);

/* Empty the buffer and free its memory when more than `keep` bytes are allocated. */
void buf_trim(struct buf *b, size_t keep);

/*
 * Reserve room for n more bytes at the end; NULL: they would exceed the maximum. After writing n
 * bytes there, call buf_added.
 */
char *buf_reserve_slowly(struct buf *b, size_t n);
static inline char *buf_reserve(struct buf *b, size_t n)
{
    return b->p && n <= b->room - b->n && n <= b->max - b->n ? b->p + b->n
                                                             : buf_reserve_slowly(b, n);
}
void buf_added(struct buf *b, size_t n);

static inline bool buf_put(struct buf *b, struct str s)
{
    char *to = buf_reserve(b, s.n);

    if (!to)
        return false;
    if (s.n)
        memcpy(to, s.p, s.n);
    b->n += s.n;
    return true;
}

static inline bool buf_putc(struct buf *b, char c)
{
    return buf_put(b, (struct str){ &c, 1 });
}

bool buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drop the first n bytes. */
void buf_consume(struct buf *b, size_t n);

static inline struct str buf_str(const struct buf *b)
{
    return (struct str){ b->p, b->n };
}

#define AUTO_BUF __attribute__((cleanup(buf_fini))) struct buf

#endif
