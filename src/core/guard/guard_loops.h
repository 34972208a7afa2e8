/*
 * guard_loops.h - the recent calls of a model, to detect that it repeats itself. Pure.
 *
 * A history belongs to one running model. If a person calls tools, there is no history. There is
 * also none for an endpoint that serves the models of other programs. {0} is empty.
 */
#ifndef CORE_GUARD_GUARD_LOOPS_H
#define CORE_GUARD_GUARD_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { GUARD_HISTORY = 128 }; /* number of calls that are remembered; must be a power of two */

struct guard_history {
    uint32_t calls; /* number of calls so far */
    struct {
        uint64_t call, outcome; /* digests; `outcome` 0: not known yet */
    } seen[GUARD_HISTORY];
};

/* How often a model has repeated itself, including the call that is being judged. */
struct guard_repeats {
    int same_call;    /* how often the same call was made */
    int same_outcome; /* how many of its last results in a row are equal */
    int ping_pong;    /* how often two or three calls have alternated */
};

struct guard_repeats guard_history_look(const struct guard_history *h, uint64_t call);

/* Record a call that is made. Returns its number, for guard_history_outcome. */
uint32_t guard_history_add(struct guard_history *h, uint64_t call);

/*
 * Record the outcome of a call. The outcome is ignored if the history has dropped the call because
 * of newer calls.
 */
void guard_history_outcome(struct guard_history *h, uint32_t turn, uint64_t outcome);

#endif
