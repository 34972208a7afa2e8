/*
 * lock_parts.h - the internals of the lock table, shared by lock.c, lock_claim.c and lock_list.c.
 */
#ifndef CORE_LOCK_LOCK_PARTS_H
#define CORE_LOCK_LOCK_PARTS_H

#include "core/lock/lock.h"

/* A claim is either the locks of a holder or the turn of a call. The store has a row for each. */
struct lock_claim {
    struct str task; /* id of the task; for a turn: "turn/" and an id */
    struct pick_strs paths;
    bool exclusive, turn;
};

/* Claims of other processes, in the order they were made. */
struct lock_others {
    struct lock_claim *v;
    size_t n;
    /* number of claims in `v` that were made before the claim of `me` (lock_others_read) */
    size_t before;
};

enum lock_state {
    LOCK_LOOKS,  /* for a turn only: check whether a path that the call writes is locked */
    LOCK_PUTS,   /* the claim is being stored */
    LOCK_WAITS,  /* the claim waits for earlier claims */
    LOCK_HAS,    /* the paths are held */
    LOCK_LEAVES, /* released; the claim is being deleted from the store */
};

/* A claim of this process. It has its own arena, because it lives until its row is deleted. */
struct lock_entry {
    struct lock_entry *next;
    struct lock_table *table;
    struct arena mem;
    struct lock_claim claim;
    struct str agent;
    enum lock_state state;
    struct op *op;          /* the op that waits for the claim; NULL: it is done */
    struct lock_hold *hold; /* NULL: the claim is a turn, or is released */
    int64_t acquired;
    bool stored;
    bool asking; /* a store request is in flight */
    struct store_ask ask;
    struct store_step step[2];
    struct timer timer;
    int64_t until; /* when the wait for another process ends; 0: it has not started */
};

struct lock_table {
    struct loop *loop;
    const struct limits *limits;
    struct store_port *store;
    enum lock_conflict conflict;
    /* all entries, in the order in which the claims were made, as in the store */
    struct lock_entry *first;
    bool closing;             /* the table is freed when the last entry is freed */
    lock_changed_fn *changed; /* may be NULL */
    void *changed_ctx;
};

extern const struct str lock_turn_prefix;

/*
 * Write paths as a JSON array, and read them. Text that cannot be parsed is read as the root, which
 * overlaps everything.
 */
struct str lock_paths_write(struct arena *mem, const struct pick_strs *paths);
struct pick_strs lock_paths_read(struct arena *mem, struct str json);

/* Return the claims in `page` that belong to other processes. `me` may be NULL. */
struct lock_others lock_others_read(struct arena *mem, const struct lock_table *t,
                                    const struct store_lock_page *page,
                                    const struct lock_entry *me);

/* Do two claims conflict, so that they cannot be held at the same time? */
bool lock_clash(const struct lock_claim *a, const struct lock_claim *b);

/*
 * Does another claim block an entry? *by (unless `by` is NULL) is the task that has this claim. If
 * `others` is NULL, only entries of this process are considered.
 */
enum lock_block { LOCK_FREE, LOCK_BY_US, LOCK_BY_OTHERS };
enum lock_block lock_blocked(const struct lock_entry *e, const struct lock_others *others,
                             struct str *by);

/* Does any task hold a lock on a path that the turn writes? */
bool lock_is_locked(const struct lock_entry *e, const struct lock_others *others);

/* Does the entry, which must be a hold, conflict with any earlier or later claim? */
bool lock_has_rival(const struct lock_entry *e, const struct lock_others *others);

/* Notify the watcher that a hold was taken or released. */
void lock_tell(const struct lock_entry *e, bool held);

struct lock_entry *lock_entry_of(const struct lock_table *t, struct str task);

#endif
