/*
 * store_memory.h - the stored form of the notes that agents keep with the tool `memory`. `out`
 * marks members that the store sets, and `in` marks members that the caller sets.
 */
#ifndef CORE_STORE_MEMORY_H
#define CORE_STORE_MEMORY_H

#include "base/str.h"

struct store_memory {
    struct str scope, key, value;
    /* out. STORE_MEMORY_PUT: `version` is also in: the version that the caller expects, 0: any */
    int64_t updated, version;
};

struct store_memory_page { /* the notes of a scope, sorted by key */
    struct str scope;
    struct str after; /* only notes with keys after this one; STR_NONE: from the first note */
    struct str text;  /* only notes that contain this text, ignoring ASCII case; STR_NONE: all */
    int64_t most;
    struct store_memory *v;
    size_t n;
    bool more;
};

#endif
