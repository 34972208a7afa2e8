/*
 * readiness.h - while what is offered is still being gathered, who asks for the list waits.
 *
 * Servers connect in the background. A client that lists tools at once would miss theirs, and not
 * every client listens when it is told that the list has changed. So a list waits until all
 * servers have been tried, but not for long. The owner of a gathering decides when it ends.
 */
#ifndef CORE_READINESS_H
#define CORE_READINESS_H

#include "base/limits.h"
#include "loop/op.h"

struct readiness_wait;

/* Program lifetime; {0} is over. */
struct readiness {
    bool open;
    void (*wanted)(struct readiness *g); /* somebody waits; may be NULL */
    struct readiness_wait *waits;
};

struct readiness_wait {
    struct op op; /* first */
    struct readiness *readiness;
    struct timer timer;
    struct readiness_wait *next;
};

/* An op that succeeds when all is gathered, at the latest after limits.gather_ms. */
void readiness_wait(struct readiness *g, struct readiness_wait *w, struct loop *loop,
                    const struct limits *limits, struct op *parent, op_done_fn *done, void *ctx);

/* Everything is there. */
void readiness_end(struct readiness *g);

#endif
