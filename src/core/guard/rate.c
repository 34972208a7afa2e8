#include "core/guard/rate.h"

#include "base/hash.h"
#include "base/mem.h"

enum { WAYS = 8 }; /* a client can be in one of so many cells */

static const int64_t minute_us = 60 * 1000 * 1000;

/* Rounded up, so that a client that waits this long is admitted. */
static int64_t to_ms(int64_t us)
{
    return (us + 999) / 1000;
}

int64_t rate_spend(int64_t *paid_us, int64_t per_min, int64_t cost, int64_t now_ms)
{
    int64_t now = now_ms * 1000, paid = *paid_us > now ? *paid_us : now;
    int64_t price = cost * minute_us / per_min;

    if (price > minute_us) /* cap the price at the budget of a minute */
        price = minute_us;
    if (paid + price - now > minute_us)
        return to_ms(paid + price - now - minute_us);
    *paid_us = paid + price;
    return 0;
}

void rate_table_init(struct rate_table *t, size_t clients)
{
    *t = (struct rate_table){ .cells = WAYS };
    while (t->cells < clients)
        t->cells *= 2;
}

void rate_table_fini(struct rate_table *t)
{
    mem_free(t->cell);
    t->cell = NULL;
}

static void make_room(struct rate_table *t)
{
    t->cell = mem_zero(t->cells * sizeof(*t->cell));
    t->secret = hash_secret();
}

/* The cell of a client, or the cell of its set that owes least, cleared. */
static struct rate_cell *cell_of(struct rate_table *t, uint64_t principal)
{
    struct rate_cell *set = &t->cell[principal % (t->cells / WAYS) * WAYS], *least = set;

    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].principal == principal)
            return &set[i];
        if (set[i].paid_us < least->paid_us)
            least = &set[i];
    }
    *least = (struct rate_cell){ .principal = principal };
    return least;
}

int64_t rate_table_spend(struct rate_table *t, struct str principal, int64_t per_min, int64_t cost,
                         int64_t now_ms, bool peek)
{
    struct rate_cell *cell;
    int64_t paid;

    if (!per_min)
        return 0;
    if (!t->cell)
        make_room(t);
    cell = cell_of(t, (uint64_t)hash_str(t->secret, principal) + 1);
    paid = cell->paid_us;
    return rate_spend(peek ? &paid : &cell->paid_us, per_min, cost, now_ms);
}
