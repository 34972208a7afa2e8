/*
 * output.h - keep the beginning and the end of a program's output, within fixed limits.
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include "base/buf.h"

struct output {
    struct buf head, tail;
    size_t head_most, tail_most;
    uint64_t behind; /* bytes that came after the head */
    uint64_t taken;  /* of these, the bytes that output_take has returned or skipped */
};

void output_init(struct output *o, size_t head_most, size_t tail_most);
void output_fini(struct output *o);
void output_put(struct output *o, struct str bytes);

/*
 * The first bytes, the last bytes after them, and how many bytes between the two were dropped. If
 * any were dropped, head and tail are cut between characters.
 */
struct str output_head(const struct output *o);
struct str output_tail(const struct output *o);
uint64_t output_lost(const struct output *o);

/* For an output without a head: the bytes since the last call; *lost: how many were dropped. */
struct str output_take(struct output *o, uint64_t *lost);

#endif
