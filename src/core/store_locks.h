/*
 * store_locks.h - locks on paths that other processes must see, as the store keeps them.
 */
#ifndef CORE_STORE_LOCKS_H
#define CORE_STORE_LOCKS_H

#include "base/str.h"

struct store_lock {
    struct str task, agent;
    struct str paths; /* JSON array */
    bool exclusive;
    int64_t acquired; /* PUT: out */
};

struct store_lock_page { /* in the order they were stored */
    struct store_lock *v;
    size_t n;
};

#endif
