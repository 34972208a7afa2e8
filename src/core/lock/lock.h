/*
 * lock.h - paths that tasks hold, so that several agents do not trample on each other.
 *
 * A lock names a folder or file below the root and all below it. Shared ones go together, an
 * exclusive one with nothing that overlaps. Who waits is served in the order it came. Locks are in
 * the store, so that all processes of a root see them; those of a process that died count no more.
 *
 * What a conflict means is [tasks] lock_conflict:
 *
 *   turns   (default) tasks run at once; a tool that writes into a locked path takes its turn, one
 *           call at a time
 *   wait    the whole task waits until it has its locks
 *   fail    it fails at once
 *   warn    it goes on, and says so
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
 * Before the store is closed. Nothing is taken any more; what is held still, or asked of the store,
 * is waited for, and who waits for another process fails with ERR_CLOSED. NULL is fine.
 */
void lock_table_free(struct lock_table *t);

/* Another configuration is in force; for what is asked from now on. */
void lock_table_use(struct lock_table *t, enum lock_conflict conflict);

/* Do two paths (below the root, "" for the root itself) overlap? By their letters. */
bool lock_overlaps(struct str a, struct str b);

/*
 * One holder's locks: an op that is done when they are held (or reserved, with LOCK_TURNS). A task
 * has one hold at a time; its paths are read as tools read them ("a/./b/" is "a/b").
 */
struct lock_hold {
    struct op op; /* first */
    struct str task, agent;
    struct pick_strs paths;
    enum lock_mode mode;
    int64_t acquired; /* out: ms */
    bool conflicts;   /* out: with LOCK_WARN, another holder has some of it */
    void *state;
};

/*
 * Everything borrowed lives until lock_release, which does nothing after a failure. ERR_DENIED: held
 * by another (fail); ERR_TIMEOUT: by another process for limits.lock_wait_ms; ERR_INVALID: a path that
 * leads out of the root; ERR_LIMIT: more than limits.lock_paths.
 */
void lock_take(struct lock_table *t, struct lock_hold *h, struct op *parent, op_done_fn *done,
               void *ctx);
void lock_release(struct lock_table *t, struct lock_hold *h);

/*
 * The turn of one call that writes `paths` (as path_below says them): an op that is done when no
 * other call writes into a locked path that overlaps them. Nothing is waited for where nobody holds a
 * lock on one of them, nor with LOCK_WARN. All of a call's paths at once: two calls that wait for
 * each other's would wait for ever.
 */
struct lock_turn {
    struct op op; /* first */
    struct pick_strs paths;
    void *state;
};

void lock_turn_take(struct lock_table *t, struct lock_turn *w, struct op *parent, op_done_fn *done,
                    void *ctx);
void lock_turn_end(struct lock_table *t, struct lock_turn *w); /* also of one that still waits */

struct lock_info;

/* From now on `changed` is told of what holders of this process take and leave. */
typedef void lock_changed_fn(void *ctx, const struct lock_info *lock, bool held);
void lock_table_watch(struct lock_table *t, lock_changed_fn *changed, void *ctx);

/* All that are held, of all processes: an op. */
struct lock_info {
    struct str task, agent;
    struct str paths; /* JSON array */
    const char *mode; /* "shared", "exclusive" */
    int64_t acquired;
};

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
