/*
 * lock.h - paths that tasks hold, so that several agents do not overwrite each other's work.
 *
 * A lock covers a folder or file below the root and everything below it. Shared locks may overlap
 * each other; an exclusive lock may overlap none. Waiting tasks are served in order of arrival.
 * Locks are in the store, so that all processes of a root see them; locks of a dead process do not
 * count.
 *
 * [tasks] lock_conflict decides what a conflict means:
 *
 *   turns   (default) tasks run at once; a tool that writes into a locked path takes its turn, one
 *           call at a time
 *   wait    the whole task waits until it has its locks
 *   fail    it fails at once
 *   warn    it continues, with a warning
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

/* Program lifetime. Without a store (NULL) only this process' own locks are known. */
struct lock_table *lock_table_new(struct loop *loop, const struct limits *limits,
                                  struct store_port *store, enum lock_conflict conflict);

/*
 * Before the store is closed. No further lock is taken. Held locks and pending requests to the
 * store are waited for, and waits for another process fail with ERR_CLOSED. NULL is fine.
 */
void lock_table_free(struct lock_table *t);

/* Apply another configuration to later requests. */
void lock_table_use(struct lock_table *t, enum lock_conflict conflict);

/* Do two paths (below the root, "" for the root itself) overlap? Compares text only. */
bool lock_overlaps(struct str a, struct str b);

/*
 * The locks of one holder: an op that is done when they are held (or reserved, with LOCK_TURNS). A
 * task has one hold at a time. Its paths are normalized as tools do ("a/./b/" is "a/b").
 */
struct lock_hold {
    struct op op; /* first */
    struct str task, agent;
    struct pick_strs paths;
    enum lock_mode mode;
    int64_t acquired; /* out: ms */
    bool conflicts;   /* out: with LOCK_WARN, another holder has an overlapping lock */
    void *state;
};

/*
 * All borrowed data must stay valid until lock_release, which does nothing after a failure.
 * ERR_DENIED: another task holds the path (fail); ERR_TIMEOUT: another process held it for
 * limits.lock_wait_ms; ERR_INVALID: a path leads out of the root; ERR_LIMIT: more than
 * limits.lock_paths.
 */
void lock_take(struct lock_table *t, struct lock_hold *h, struct op *parent, op_done_fn *done,
               void *ctx);
void lock_release(struct lock_table *t, struct lock_hold *h);

/*
 * The turn of one call that writes `paths` (in the form of path_below): an op that is done when no
 * other call writes into a locked path that overlaps them. It is done at once if no task holds a
 * lock on any of them, and with LOCK_WARN. A call takes all its paths at once: two calls that wait
 * for each other's paths would deadlock.
 */
struct lock_turn {
    struct op op; /* first */
    struct pick_strs paths;
    void *state;
};

void lock_turn_take(struct lock_table *t, struct lock_turn *w, struct op *parent, op_done_fn *done,
                    void *ctx);
/* also ends a turn that still waits */
void lock_turn_end(struct lock_table *t, struct lock_turn *w);

struct lock_info;

/* Call `changed` whenever a holder of this process takes or releases a lock. */
typedef void lock_changed_fn(void *ctx, const struct lock_info *lock, bool held);
void lock_table_watch(struct lock_table *t, lock_changed_fn *changed, void *ctx);

/* One held lock, of any process. */
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
