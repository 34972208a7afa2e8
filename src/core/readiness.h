/*
 * readiness.h - requests for a list wait until the servers and agents behind it are ready.
 *
 * Servers connect in the background. A client that lists tools at once would miss theirs, and not
 * every client reacts to a list_changed notification. A list request therefore waits until all
 * servers have been tried, up to a limit. The owner of the gate decides when it opens.
 */
#ifndef CORE_READINESS_H
#define CORE_READINESS_H

#include "base/limits.h"
#include "loop/op.h"

struct readiness_wait;

/* The gate. Program lifetime; {0} is a gate that nothing waits for. */
struct readiness {
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

/* An op that succeeds when readiness_end is called, at the latest after limits.gather_ms. */
void readiness_wait(struct readiness *g, struct readiness_wait *w, struct loop *loop,
                    const struct limits *limits, struct op *parent, op_done_fn *done, void *ctx);

/* The servers and agents are ready: end all waits. */
void readiness_end(struct readiness *g);

#endif
