/*
 * rate.h - limit the rate of each client: GCRA, a bucket that needs one number per client.
 *
 * A client with a rate of N per minute may spend N at once and regains them evenly over a minute. A
 * request costs one or more. Clients are identified by a keyed hash. The table has a fixed size;
 * when it is full, the entry that owes least is dropped.
 */
#ifndef CORE_GUARD_RATE_H
#define CORE_GUARD_RATE_H

#include "base/str.h"

/* One client. paid_us: the time in us at which all its spending is regained. */
struct rate_cell {
    uint64_t principal; /* 0: the entry is free */
    int64_t paid_us;
};

/* Spend `cost` of `per_min` at now_ms. Returns 0, or the ms to wait; then nothing was spent. */
int64_t rate_spend(int64_t *paid_us, int64_t per_min, int64_t cost, int64_t now_ms);

struct rate_table {
    struct rate_cell *cell; /* allocated for the first client that has a rate */
    size_t cells;
    uint64_t secret;
};

/* Prepare a table for about `clients` clients. */
void rate_table_init(struct rate_table *t, size_t clients);
void rate_table_fini(struct rate_table *t);

/* Like rate_spend, for a client of the table. per_min 0: no limit. peek: spend nothing. */
int64_t rate_table_spend(struct rate_table *t, struct str principal, int64_t per_min, int64_t cost,
                         int64_t now_ms, bool peek);

#endif
