/*
 * tail.h - keep the last lines of a text of any length.
 *
 * For the stderr of children. Only the last few lines are kept, and long lines are truncated, so
 * the memory is bounded. A kept line can be displayed: it is valid UTF-8, without colours and other
 * control sequences.
 */
#ifndef LOOP_TAIL_H
#define LOOP_TAIL_H

#include "base/buf.h"

struct tail_line {
    char *p;
    size_t n;
};

struct tail {
    struct tail_line *line; /* a ring of `lines`, allocated with the first line */
    size_t lines, first, count;
    size_t line_bytes; /* a longer line is truncated */
    struct buf part;   /* the unfinished last line, unchanged */
    bool cutting;      /* part is full: the rest of its line is dropped */
};

/* Called with each line, which is valid during the callback. */
typedef void tail_fn(struct str line, void *ctx);

/* Keep the last `lines` lines (0: none), each of at most `line_bytes` bytes (at least 1). */
void tail_init(struct tail *t, size_t lines, size_t line_bytes);
void tail_fini(struct tail *t);

/*
 * Add text; fn is called with each whole line. fn NULL: lines that would not be kept are skipped.
 */
void tail_put(struct tail *t, struct str bytes, tail_fn *fn, void *ctx);

/* The text has ended: treat an unfinished last line as a whole line. */
void tail_end(struct tail *t, tail_fn *fn, void *ctx);

/* The i-th kept line, 0 the oldest; i < t->count. Borrowed until the next tail_put. */
struct str tail_line(const struct tail *t, size_t i);

#endif
