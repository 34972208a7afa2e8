#include "loop/timer_heap.h"

#include "base/mem.h"

#include <assert.h>

void timer_heap_fini(struct timer_heap *h)
{
    mem_free(h->at);
    *h = (struct timer_heap){ 0 };
}

static void place(struct timer_heap *h, uint32_t i, struct timer *t)
{
    h->at[i] = t;
    t->slot = i + 1;
}

static void sift_up(struct timer_heap *h, uint32_t i, struct timer *t)
{
    while (i) {
        uint32_t parent = (i - 1) / 2;

        if (h->at[parent]->due <= t->due)
            break;
        place(h, i, h->at[parent]);
        i = parent;
    }
    place(h, i, t);
}

static void sift_down(struct timer_heap *h, uint32_t i, struct timer *t)
{
    for (;;) {
        uint32_t child = i * 2 + 1;

        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->at[child + 1]->due < h->at[child]->due)
            child++;
        if (t->due <= h->at[child]->due)
            break;
        place(h, i, h->at[child]);
        i = child;
    }
    place(h, i, t);
}

void timer_heap_put(struct timer_heap *h, struct timer *t)
{
    assert(!t->slot);
    if (h->count == h->room) {
        h->room = h->room ? h->room * 2 : 16;
        h->at = mem_resize(h->at, h->room * sizeof(*h->at));
    }
    sift_up(h, h->count++, t);
}

void timer_heap_drop(struct timer_heap *h, struct timer *t)
{
    uint32_t i = t->slot - 1;
    struct timer *last = h->at[--h->count];

    assert(t->slot && h->at[i] == t);
    t->slot = 0;
    if (last == t)
        return;
    if (last->due < t->due)
        sift_up(h, i, last);
    else
        sift_down(h, i, last);
}
