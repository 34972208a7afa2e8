/*
 * lease.h - the clock that decides when a lease ends.
 *
 * If other processes cannot check whether the holder of a session is alive, the session stays with
 * its holder until the lease ends. Leases do not use the wall clock, because it can be changed: a
 * jump could end all leases while their holders still work, and other processes would take their
 * sessions. The lease clock is the time since the machine was started, plus a constant of this
 * boot, the "lead". The time since the start cannot be changed and is the same for all processes of
 * the machine. The lead is the wall-clock time of the boot as the first process computed it, stored
 * in the table `meta`, so that leases of an earlier boot also end in time.
 */
#ifndef STORE_LEASE_H
#define STORE_LEASE_H

#include "store/holder.h"
#include "store/sql.h"

/*
 * Get the lead of the lease clock. `holder` is the name of this process (holder.h). False: the
 * store cannot be read.
 */
bool lease_clock_open(struct sql *s, const char *holder, int64_t *lead, struct err *e);

/* The current time of the lease clock, in ms. */
int64_t lease_clock(int64_t lead);

#endif
