/*
 * lease.h - the clock of leases.
 *
 * The wall clock can be changed: if leases used it, a jump would end all of them while their
 * holders still work, and a process that cannot see these holders would take their sessions. So
 * leases use the time since the machine was started, which cannot be changed and is the same for
 * all its processes, plus the wall-clock time at which the store was first used in this boot (table
 * `meta`), so that leases of an earlier boot also expire in time.
 */
#ifndef STORE_LEASE_H
#define STORE_LEASE_H

#include "store/holder.h"
#include "store/sql.h"

/*
 * Read the lead of the lease clock for a process of this name (holder.h). False: the store is
 * unreadable.
 */
bool lease_clock_open(struct sql *s, const char *holder, int64_t *lead, struct err *e);

/* Now, in ms. */
int64_t lease_clock(int64_t lead);

#endif
