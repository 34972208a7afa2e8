/*
 * store_locks.h - the stored form of locks on paths. The locks are stored so that other processes
 * see them. `out` marks a member that the store sets.
 */
#ifndef CORE_STORE_LOCKS_H
#define CORE_STORE_LOCKS_H

#include "base/str.h"

struct store_lock {
    struct str task, agent;
    struct str paths; /* the locked paths as a JSON array */
    bool exclusive;
    int64_t acquired; /* STORE_LOCK_PUT: out */
};

struct store_lock_page { /* all locks, in the order in which they were stored */
    struct store_lock *v;
    size_t n;
};

#endif
