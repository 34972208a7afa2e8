/*
 * store_memory.h - the notes that agents keep (tool `memory`), as the store keeps them.
 */
#ifndef CORE_STORE_MEMORY_H
#define CORE_STORE_MEMORY_H

#include "base/str.h"

struct store_memory {
    struct str scope, key, value;
    int64_t updated, version; /* out; PUT: version in too, 0 for any */
};

struct store_memory_page { /* by key */
    struct str scope;
    struct str after; /* key; STR_NONE: from the first */
    struct str text;  /* key or value contains it, ignoring ASCII case; STR_NONE: all */
    int64_t most;
    struct store_memory *v;
    size_t n;
    bool more;
};

#endif
