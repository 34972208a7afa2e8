/*
 * lease.h - the clock that leases are counted by.
 *
 * The time of day can be set: were leases counted by it, a jump would end them all while their
 * holders work, and whoever cannot see that they live would take what they have. So they go by the
 * time since the machine was started, which nobody sets and which is the same for all its processes;
 * ahead of it by what the time of day was when a store was first used in this boot, as its table
 * `meta` says, so that leases of an earlier boot are over when their time is.
 */
#ifndef STORE_LEASE_H
#define STORE_LEASE_H

#include "store/holder.h"
#include "store/sql.h"

/* By how much it is ahead, for a process of this name (holder.h). False: the store is unreadable. */
bool lease_clock_open(struct sql *s, const char *holder, int64_t *lead, struct err *e);

/* Now, in ms. */
int64_t lease_clock(int64_t lead);

#endif
