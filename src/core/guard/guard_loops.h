/*
 * guard_loops.h - the recent calls of a model, to detect that it repeats itself. Pure.
 *
 * A history belongs to one running model. A person who calls tools, and an endpoint that serves
 * other models, have none. {0} is empty.
 */
#ifndef CORE_GUARD_GUARD_LOOPS_H
#define CORE_GUARD_GUARD_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { GUARD_HISTORY = 128 }; /* calls remembered; a power of two */

struct guard_history {
    uint32_t calls; /* number of calls so far */
    struct {
        uint64_t call, outcome; /* digests; outcome 0: not known yet */
    } seen[GUARD_HISTORY];
};

/* Repetitions, including the call that is being judged. */
struct guard_repeats {
    int same_call;
    int same_outcome; /* results of that call in a row that equal its last one */
    int ping_pong;    /* how often two or three calls have alternated */
};

struct guard_repeats guard_history_look(const struct guard_history *h, uint64_t call);

/* Record a call that is made. Returns its number, for guard_history_outcome. */
uint32_t guard_history_add(struct guard_history *h, uint64_t call);

/* Record the outcome of a call. A call that has been forgotten meanwhile is ignored. */
void guard_history_outcome(struct guard_history *h, uint32_t turn, uint64_t outcome);

#endif
