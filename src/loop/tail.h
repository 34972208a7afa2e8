/*
 * tail.h - the last lines of an endless text.
 *
 * For the stderr of children: lines pass through and the last few are kept, so that neither a flood
 * nor an endless line needs more memory or time than that. A kept line can be displayed: valid
 * UTF-8, without colours and other control sequences.
 */
#ifndef LOOP_TAIL_H
#define LOOP_TAIL_H

#include "base/buf.h"

struct tail_line {
    char *p;
    size_t n;
};

struct tail {
    struct tail_line *line; /* a ring of `lines`, made with the first line */
    size_t lines, first, count;
    size_t line_bytes; /* a longer line is truncated */
    struct buf part;   /* the line that has not ended yet, unchanged */
    bool cutting;      /* part is full: the rest of its line is dropped */
};

/* Called with each line, borrowed for the call. */
typedef void tail_fn(struct str line, void *ctx);

/* Keep that many lines (0: none) of at most so many bytes (at least 1). */
void tail_init(struct tail *t, size_t lines, size_t line_bytes);
void tail_fini(struct tail *t);

/* More text. Without fn, lines that would be pushed out again at once are skipped. */
void tail_put(struct tail *t, struct str bytes, tail_fn *fn, void *ctx);

/* The text is over: a line that has not ended counts as well. */
void tail_end(struct tail *t, tail_fn *fn, void *ctx);

/* The i-th kept line, 0 the oldest; i < t->count. Borrowed until the next tail_put. */
struct str tail_line(const struct tail *t, size_t i);

#endif
