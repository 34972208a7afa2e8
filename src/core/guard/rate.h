/*
 * rate.h - limits the request rate of each client. The algorithm is GCRA, a leaky bucket that
 * stores one number per client.
 *
 * A client with a rate of N per minute may spend N points at once, and regains N points evenly over
 * a minute. A request costs one or more points. Clients are identified by a keyed hash. The table
 * has a fixed size; when it is full, the client that will be the first to regain all its points is
 * dropped.
 */
#ifndef CORE_GUARD_RATE_H
#define CORE_GUARD_RATE_H

#include "base/str.h"

/* The entry of one client in the table. */
struct rate_cell {
    uint64_t principal; /* hash that identifies the client; 0: the entry is free */
    int64_t paid_us;    /* the time, in microseconds, at which the client has all its points back */
};

/*
 * Spend `cost` points at the time now_ms; the rate is per_min. Returns 0 on success. Otherwise
 * spends nothing and returns the number of ms to wait.
 */
int64_t rate_spend(int64_t *paid_us, int64_t per_min, int64_t cost, int64_t now_ms);

struct rate_table {
    struct rate_cell *cell; /* allocated for the first client that has a rate */
    size_t cells;
    uint64_t secret;
};

/* Prepare a table for about `clients` clients. */
void rate_table_init(struct rate_table *t, size_t clients);
void rate_table_fini(struct rate_table *t);

/*
 * Like rate_spend, for a client of the table. per_min 0: no limit. If `peek` is true, the function
 * only checks and spends nothing.
 */
int64_t rate_table_spend(struct rate_table *t, struct str principal, int64_t per_min, int64_t cost,
                         int64_t now_ms, bool peek);

#endif
