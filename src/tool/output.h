/*
 * output.h - keeps the beginning and the end of a program's output, within fixed limits.
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include "base/buf.h"

struct output {
    struct buf head, tail;
    size_t head_most, tail_most;
    uint64_t behind; /* number of bytes after the head, including dropped ones */
    uint64_t taken;  /* how many of these bytes output_take has returned or skipped */
};

void output_init(struct output *o, size_t head_most, size_t tail_most);
void output_fini(struct output *o);
void output_put(struct output *o, struct str bytes);

/*
 * Return the first bytes, the last bytes, and the number of dropped bytes between them. If bytes
 * were dropped, the head and the tail are cut between characters.
 */
struct str output_head(const struct output *o);
struct str output_tail(const struct output *o);
uint64_t output_lost(const struct output *o);

/*
 * For an output without a head: returns the bytes since the last call. *lost is the number of
 * dropped bytes.
 */
struct str output_take(struct output *o, uint64_t *lost);

#endif
