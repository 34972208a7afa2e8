/*
 * verbs.h - the functions that perform one step of a request on the database.
 *
 * A verb runs on the store's thread, inside the transaction of its batch if it writes. It checks
 * before it writes: a verb that fails for a reason of its own changes nothing.
 */
#ifndef STORE_VERBS_H
#define STORE_VERBS_H

#include "base/limits.h"
#include "core/store.h"
#include "store/holder.h"
#include "store/sql.h"

/* The data that a verb works with. */
struct run {
    struct sql *sql;
    const struct limits *limits;
    const char *holder; /* the name of this process (holder.h) */
    int64_t now;
    int64_t lease_now; /* by the clock of leases (lease.h) */
    struct arena *mem; /* for answers */
    struct str looked; /* the last holder that was looked up, and the result */
    enum holder_life life;
};

typedef bool verb_fn(struct run *r, struct store_step *step, struct err *e);

verb_fn session_create, session_update, session_delete, session_take, session_leave, session_load,
    session_list, session_fork_copy;
verb_fn events_append, events_load;
verb_fn turn_write, turn_load, turns_unfinished;
verb_fn image_put, images_delete, images_load;
verb_fn memory_put, memory_delete, memory_get, memory_list;
verb_fn gc_sessions;
verb_fn db_task_create, db_task_update, db_task_take, db_task_cancel, db_task_load, db_task_events,
    db_tasks, db_tasks_lost, db_tasks_expire; /* core already has a task_create */
verb_fn db_task_feed;
verb_fn db_task_answer, db_task_answers;
verb_fn db_lock_put, db_lock_drop, db_locks;

/* ---- what they share ------------------------------------------------------------------------ */

/* How a session grows by a write. */
struct session_growth {
    int64_t events, bytes;
};

/*
 * Begin a write to a session: the token is checked, version and lease move on. Yields its number
 * and its last sequence number after the growth.
 */
bool session_touch(struct run *r, struct str id, int64_t fence, struct session_growth by,
                   int64_t *n, int64_t *last_seq, struct err *e);

/* Fails with ERR_NOT_FOUND: the store has no session of that id. */
bool session_missing(struct str id, struct err *e);

/* Its number. ERR_NOT_FOUND. */
bool session_find(struct run *r, struct str id, int64_t *n, struct err *e);

/* All that belongs to it, and itself. */
bool session_erase(struct run *r, int64_t n, struct err *e);

/* The same of a task. */
bool task_erase(struct run *r, int64_t n, struct err *e);

/* Part of a SELECT: a session with a live task is kept, even when no process holds it. */
#define SESSIONS_WITHOUT_LIVE_TASK                                                                 \
    " WHERE NOT EXISTS (SELECT 1 FROM tasks INDEXED BY tasks_live"                                 \
    " WHERE final = 0 AND tasks.session = sessions.id)"

/* The bytes that a step adds, about. */
int64_t room_needed(const struct store_step *step);

/*
 * Erase the oldest data until limits.store_bytes has room for so many bytes and some more. *free:
 * the rest of the limit after that; negative: they do not fit, because all remaining data is in
 * use.
 */
bool room_make(struct run *r, int64_t needed, int64_t *free, struct err *e);

/* The bytes that limits.store_bytes leaves after `needed` more; negative: they do not fit. */
bool room_left(struct run *r, int64_t needed, int64_t *free, struct err *e);

/* Fails with ERR_LIMIT: "<what>: the store is full ...". */
bool room_refuse(const struct run *r, const char *what, struct err *e);

/* May the step run while so much is free? ERR_LIMIT. */
bool room_admits(const struct run *r, const struct store_step *step, int64_t free, struct err *e);

/*
 * Is it held by a process that is alive, or may be? Checks the process if it runs on this machine;
 * otherwise the lease decides.
 */
bool is_held(struct run *r, struct str holder, int64_t lease);

/* The end of a lease that is granted, or extended, now. */
int64_t lease_end(const struct run *r);

/*
 * Events of a session or a task, in a table of its kind. The statement inserts place, time, kind
 * and body; n is the number of whose they are, last_seq the number of the last of them, at when.
 */
bool events_insert(struct run *r, const char *statement, int64_t n, int64_t last_seq, int64_t at,
                   const struct store_event *v, size_t count, struct err *e);

/* Add the events of a task to the feed of all tasks, if they are marked for it; old entries are
 * removed. */
bool feed_append(struct run *r, const struct store_task *t, int64_t n, struct err *e);
bool feed_trim(struct run *r, struct err *e);

/* The statement selects seq, time, kind and body, between two places and at most so many. */
bool events_page(struct run *r, const char *statement, int64_t n, struct store_event_page *p,
                 struct err *e);

/* Answers to questions of the task of that number go. */
bool answers_drop(struct run *r, int64_t n, struct err *e);

/* Delete the locks that other processes hold for this task. */
bool locks_drop_others(struct run *r, struct str task, struct err *e);

/* Rows of a page that was asked to have `most`. */
size_t page_most(const struct run *r, int64_t most);

#endif
