/* json_bench.h - what the contestants of json_bench share. */
#ifndef BENCH_JSON_BENCH_H
#define BENCH_JSON_BENCH_H

#include "base/arena.h"
#include "base/buf.h"

struct work {
    const char *name;
    struct str text;
    const char *outer, *inner; /* the piece that the answer carries: message.outer.inner */
    unsigned turns;            /* per round and contestant */
};

/* What a contestant keeps from one message to the next. */
struct agent_registry {
    struct arena mem;
    struct buf out;
};

void die(const char *what) __attribute__((noreturn));

/* One message; returns the bytes of the answer. */
size_t with_jansson(struct agent_registry *d, const struct work *w);

#endif
