/*
 * output.h - the beginning and the end of what a child says, however much that is.
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include "base/buf.h"

struct output {
    struct buf head, tail;
    size_t head_most, tail_most;
    uint64_t behind; /* bytes that came after the head */
    uint64_t taken;  /* of these, those that output_take gave or passed over */
};

void output_init(struct output *o, size_t head_most, size_t tail_most);
void output_fini(struct output *o);
void output_put(struct output *o, struct str bytes);

/* The last bytes behind the head, and how many are left out between. */
struct str output_tail(const struct output *o);
uint64_t output_lost(const struct output *o);

/* Of an output without a head: what came since the last time; *lost says how much was missed. */
struct str output_take(struct output *o, uint64_t *lost);

#endif
