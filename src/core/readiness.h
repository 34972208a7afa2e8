/*
 * readiness.h - a gate at which list requests wait until servers and agents are ready.
 *
 * Servers connect in the background. A client that lists tools immediately would miss the tools of
 * these servers, and not every client reacts to a list_changed notification. A list request
 * therefore waits, for a limited time, until each server has connected or failed. The owner of the
 * gate then calls readiness_end.
 */
#ifndef CORE_READINESS_H
#define CORE_READINESS_H

#include "base/limits.h"
#include "loop/op.h"

struct readiness_wait;

/* The gate. It lives as long as the program. */
struct readiness {
    /* true: requests have to wait. In a zeroed gate they do not */
    bool open;
    void (*wanted)(struct readiness *g); /* called when a request starts to wait; may be NULL */
    struct readiness_wait *waits;
};

struct readiness_wait {
    struct op op; /* first */
    struct readiness *readiness;
    struct timer timer;
    struct readiness_wait *next;
};

/* An op that succeeds when readiness_end is called, or after limits.gather_ms. */
void readiness_wait(struct readiness *g, struct readiness_wait *w, struct loop *loop,
                    const struct limits *limits, struct op *parent, op_done_fn *done, void *ctx);

/* End all waits, because the servers and agents are ready. */
void readiness_end(struct readiness *g);

#endif
