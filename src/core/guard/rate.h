/*
 * rate.h - how often somebody may come: GCRA, the bucket that needs one number per client.
 *
 * Who has a rate of N per minute may spend N at once and gets them back evenly over a minute. What
 * is done costs one or more. Clients are known by a keyed hash; the table has a fixed size, and
 * when it is full whoever owes least is forgotten.
 */
#ifndef CORE_GUARD_RATE_H
#define CORE_GUARD_RATE_H

#include "base/str.h"

/* One client: the time, in us, at which all it spent is paid back. */
struct rate_cell {
    uint64_t principal; /* 0: nobody */
    int64_t paid_us;
};

/* Spend `cost` of `per_min` at now_ms. Answers 0, or the ms to wait, and then nothing is spent. */
int64_t rate_spend(int64_t *paid_us, int64_t per_min, int64_t cost, int64_t now_ms);

struct rate_table {
    struct rate_cell *cell; /* made with the first client that has a rate */
    size_t cells;
    uint64_t secret;
};

/* For about `clients` of them. */
void rate_table_init(struct rate_table *t, size_t clients);
void rate_table_fini(struct rate_table *t);

/* The same for a client. per_min 0: no limit. peek: only look. */
int64_t rate_table_spend(struct rate_table *t, struct str principal, int64_t per_min, int64_t cost,
                         int64_t now_ms, bool peek);

#endif
