/*
 * lock.h - locks on paths, so that several tasks do not overwrite each other's files.
 *
 * A lock covers a folder or file below the root, and everything in the folder. Shared locks may
 * overlap each other; an exclusive lock must not overlap any other lock. Waiting tasks get their
 * locks in order of arrival. Locks are stored, so that all processes of a root see them. Locks of a
 * dead process are ignored.
 *
 * [tasks] lock_conflict decides what a conflict means:
 *
 *   turns   (default) all tasks run at the same time; calls that write into the same locked path
 *           take turns, one after the other
 *   wait    the whole task waits until it has its locks
 *   fail    the task fails at once
 *   warn    the task continues, with a warning
 */
#ifndef CORE_LOCK_LOCK_H
#define CORE_LOCK_LOCK_H

#include "base/limits.h"
#include "base/pick.h"
#include "core/store.h"

enum lock_conflict { LOCK_TURNS, LOCK_WAIT, LOCK_FAIL, LOCK_WARN };
bool lock_conflict_named(struct str name, enum lock_conflict *out);

enum lock_mode { LOCK_SHARED, LOCK_EXCLUSIVE };

struct lock_table;

/*
 * Create the table of locks. It lives until lock_table_free is called. If `store` is NULL, only the
 * locks of this process are known.
 */
struct lock_table *lock_table_new(struct loop *loop, const struct limits *limits,
                                  struct store_port *store, enum lock_conflict conflict);

/*
 * Call this before the store is closed. No further locks are taken, and waits for locks of other
 * processes fail with ERR_CLOSED. The table is freed when all held locks are released and all store
 * requests have ended. `t` may be NULL.
 */
void lock_table_free(struct lock_table *t);

/* Use another value of lock_conflict for later requests. */
void lock_table_use(struct lock_table *t, enum lock_conflict conflict);

/* Do two paths (below the root, "" for the root itself) overlap? Compares text only. */
bool lock_overlaps(struct str a, struct str b);

/*
 * An op that takes the locks of one holder. It succeeds when the locks are held (or, with
 * LOCK_TURNS, reserved). A task has one hold at a time. The paths are normalized as in path_below.h
 * ("a/./b/" becomes "a/b").
 */
struct lock_hold {
    struct op op; /* first */
    struct str task, agent;
    struct pick_strs paths;
    enum lock_mode mode;
    int64_t acquired; /* out: when the locks were taken, wall time in ms */
    bool conflicts;   /* out: another holder has an overlapping lock (only with LOCK_WARN) */
    void *state;
};

/*
 * Take the locks. All borrowed data must stay valid until lock_release, which does nothing after a
 * failure. ERR_DENIED: another task holds the path (with LOCK_FAIL); ERR_TIMEOUT: another process
 * held it for limits.lock_wait_ms; ERR_INVALID: a path leads out of the root; ERR_LIMIT: there are
 * more paths than the constant lock_paths (limits.def).
 */
void lock_take(struct lock_table *t, struct lock_hold *h, struct op *parent, op_done_fn *done,
               void *ctx);
void lock_release(struct lock_table *t, struct lock_hold *h);

/*
 * An op with which a call waits for its turn to write `paths` (in the form of path_below.h). The op
 * succeeds when the call may write: when no other call writes into a locked path that overlaps
 * `paths`. If no task holds a lock on any of the paths, or with LOCK_WARN, it succeeds at once.
 * lock_turn_end ends the turn. A call requests all its paths at once, because two calls that waited
 * for each other's paths would deadlock.
 */
struct lock_turn {
    struct op op; /* first */
    struct pick_strs paths;
    void *state;
};

void lock_turn_take(struct lock_table *t, struct lock_turn *w, struct op *parent, op_done_fn *done,
                    void *ctx);
/* End a turn, or stop waiting for it. */
void lock_turn_end(struct lock_table *t, struct lock_turn *w);

struct lock_info;

/* lock_table_watch: call `changed` whenever a holder of this process takes or releases a lock. */
typedef void lock_changed_fn(void *ctx, const struct lock_info *lock, bool held);
void lock_table_watch(struct lock_table *t, lock_changed_fn *changed, void *ctx);

/* A lock that is held in this or another process. */
struct lock_info {
    struct str task, agent;
    struct str paths; /* JSON array */
    const char *mode; /* "shared", "exclusive" */
    int64_t acquired;
};

/* An op that lists all held locks. */
struct lock_list {
    struct op op; /* first */
    struct arena mem;
    struct lock_info *v;
    size_t n;
    void *state;
};

void lock_list(struct lock_table *t, struct lock_list *l, struct op *parent, op_done_fn *done,
               void *ctx);

#endif
