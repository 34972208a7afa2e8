/* timer_heap.h - timers ordered by due time. Timers due at the same time are in no order. */
#ifndef LOOP_TIMER_HEAP_H
#define LOOP_TIMER_HEAP_H

#include "loop/loop.h"

struct timer_heap {
    struct timer **at; /* at[0] is the earliest; at[i]->slot == i + 1 */
    uint32_t count, room;
};

void timer_heap_fini(struct timer_heap *h);

/* timer_heap_put adds a timer, whose t->due must be set; timer_heap_drop removes it. */
void timer_heap_put(struct timer_heap *h, struct timer *t);
void timer_heap_drop(struct timer_heap *h, struct timer *t);

static inline struct timer *timer_heap_first(const struct timer_heap *h)
{
    return h->count ? h->at[0] : NULL;
}

#endif
