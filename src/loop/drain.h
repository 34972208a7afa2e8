/*
 * drain.h - shut down gracefully, with a deadline.
 *
 * A component that has work in progress joins as a part. drain_begin asks every part to accept no
 * new work and to finish. When the last part has finished, or the deadline has passed, `done` is
 * called, once only. Work that is still in progress then ends when its owner closes it.
 */
#ifndef LOOP_DRAIN_H
#define LOOP_DRAIN_H

#include "loop/loop.h"

struct drain;

struct drain_part {
    const char *name;
    void (*stop)(struct drain_part *part); /* called at most once; accept no new work */
    struct drain *drain;                   /* NULL: the part has finished */
    struct drain_part *next;
    bool asked; /* stop was called */
};

struct drain {
    struct loop *loop;
    struct drain_part *parts;
    struct timer deadline;
    struct post check;
    void (*done)(struct drain *d, bool in_time);
    bool begun, over;
};

void drain_init(struct drain *d, struct loop *loop, void (*done)(struct drain *d, bool in_time));

/* Add a part. If the drain has begun already, the part is stopped immediately. */
void drain_join(struct drain *d, struct drain_part *part);

/* The part has no more work in progress, and may be freed. A second call does nothing. */
void drain_leave(struct drain_part *part);

/* Begin to shut down. A second call ends the wait, as if the deadline had passed. */
void drain_begin(struct drain *d, int64_t deadline_ms);

#endif
