#include "core/guard/guard_loops.h"

static uint32_t kept(const struct guard_history *h)
{
    return h->calls < GUARD_HISTORY ? h->calls : GUARD_HISTORY;
}

/* The call `back` turns ago: 1 is the last. */
static uint32_t slot(const struct guard_history *h, uint32_t back)
{
    return (h->calls - back) % GUARD_HISTORY;
}

static int count_same(const struct guard_history *h, uint64_t call)
{
    int n = 1;

    for (uint32_t i = 1; i <= kept(h); i++)
        n += h->seen[slot(h, i)].call == call;
    return n;
}

static int count_outcomes(const struct guard_history *h, uint64_t call)
{
    uint64_t last = 0;
    int n = 0;

    for (uint32_t i = 1; i <= kept(h); i++) {
        uint64_t outcome = h->seen[slot(h, i)].outcome;

        if (h->seen[slot(h, i)].call != call || !outcome)
            continue;
        if (last && outcome != last)
            break;
        last = outcome;
        n++;
    }
    return n;
}

/* The call `back` calls before the one that is being judged, which is 0. */
static uint64_t at(const struct guard_history *h, uint64_t call, uint32_t back)
{
    return back ? h->seen[slot(h, back)].call : call;
}

/* How often the last `period` calls were repeated in a row, if they are not all the same call. */
static int count_rounds(const struct guard_history *h, uint64_t call, uint32_t period)
{
    uint32_t have = kept(h) + 1, n = 0;
    bool differ = false;

    for (uint32_t i = 1; i < period && i < have; i++)
        differ |= at(h, call, i) != call;
    if (!differ)
        return 0;
    while (n + period < have && at(h, call, n) == at(h, call, n + period))
        n++;
    return (int)((n + period) / period);
}

struct guard_repeats guard_history_look(const struct guard_history *h, uint64_t call)
{
    int two = count_rounds(h, call, 2), three = count_rounds(h, call, 3);

    return (struct guard_repeats){
        .same_call = count_same(h, call),
        .same_outcome = count_outcomes(h, call),
        .ping_pong = two > three ? two : three,
    };
}

uint32_t guard_history_add(struct guard_history *h, uint64_t call)
{
    uint32_t turn = h->calls++;

    h->seen[turn % GUARD_HISTORY].call = call;
    h->seen[turn % GUARD_HISTORY].outcome = 0;
    return turn;
}

void guard_history_outcome(struct guard_history *h, uint32_t turn, uint64_t outcome)
{
    if (h->calls - turn <= GUARD_HISTORY)
        h->seen[turn % GUARD_HISTORY].outcome = outcome ? outcome : 1;
}
