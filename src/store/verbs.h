/*
 * verbs.h - the functions that perform one step of a request on the database.
 *
 * A verb runs on the store's thread, inside the transaction of its batch if it writes. It checks
 * before it writes: a verb that rejects a step changes nothing.
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
    int64_t lease_now; /* by the lease clock (lease.h) */
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

/* ---- helpers -------------------------------------------------------------------------------- */

/* How a session grows by a write. */
struct session_growth {
    int64_t events, bytes;
};

/*
 * Begin a write to a session: check the token, and raise version and lease. Sets its row number and
 * its last sequence number after the growth.
 */
bool session_touch(struct run *r, struct str id, int64_t fence, struct session_growth by,
                   int64_t *n, int64_t *last_seq, struct err *e);

/* Fails with ERR_NOT_FOUND: the store has no session of that id. */
bool session_missing(struct str id, struct err *e);

/* Find the row number of a session. ERR_NOT_FOUND. */
bool session_find(struct run *r, struct str id, int64_t *n, struct err *e);

/* Delete a session and everything that belongs to it. */
bool session_erase(struct run *r, int64_t n, struct err *e);

/* The same for a task. */
bool task_erase(struct run *r, int64_t n, struct err *e);

/* Part of a SELECT: a session with a live task is kept, even when no process holds it. */
#define SESSIONS_WITHOUT_LIVE_TASK                                                                 \
    " WHERE NOT EXISTS (SELECT 1 FROM tasks INDEXED BY tasks_live"                                 \
    " WHERE final = 0 AND tasks.session = sessions.id)"

/* The approximate number of bytes that a step adds. */
int64_t room_needed(const struct store_step *step);

/*
 * Delete the oldest data until limits.store_bytes has space for `needed` bytes and a reserve.
 * *free: the rest of the limit after that; negative: they do not fit, because all remaining data is
 * in use.
 */
bool room_make(struct run *r, int64_t needed, int64_t *free, struct err *e);

/* The bytes that limits.store_bytes leaves after `needed` more; negative: they do not fit. */
bool room_left(struct run *r, int64_t needed, int64_t *free, struct err *e);

/* Fails with ERR_LIMIT: "<what>: the store is full ...". */
bool room_refuse(const struct run *r, const char *what, struct err *e);

/* Is there space for the step if so many bytes are free? ERR_LIMIT. */
bool room_admits(const struct run *r, const struct store_step *step, int64_t free, struct err *e);

/*
 * Is this holder alive, or might it be? Checks the process if it runs on this machine; otherwise
 * the lease decides.
 */
bool is_held(struct run *r, struct str holder, int64_t lease);

/* The end of a lease that is granted, or extended, now. */
int64_t lease_end(const struct run *r);

/*
 * Insert events with a statement that takes place, time, kind and body. A place is a number made of
 * n, the row number of the session or task, and the seq of the event. last_seq: seq of the last
 * event; at: their time.
 */
bool events_insert(struct run *r, const char *statement, int64_t n, int64_t last_seq, int64_t at,
                   const struct store_event *v, size_t count, struct err *e);

/* Add the events of a task to the feed of all tasks, if they are marked for it; old entries are
 * removed. */
bool feed_append(struct run *r, const struct store_task *t, int64_t n, struct err *e);
bool feed_trim(struct run *r, struct err *e);

/*
 * Read a page of events with a statement that selects seq, time, kind and body between two places,
 * with a limit and a kind.
 */
bool events_page(struct run *r, const char *statement, int64_t n, struct store_event_page *p,
                 struct err *e);

/* Delete the answers to questions of the task with this row number. */
bool answers_drop(struct run *r, int64_t n, struct err *e);

/* Delete the locks that other processes hold for this task. */
bool locks_drop_others(struct run *r, struct str task, struct err *e);

/* The number of rows of a page; most 0: the default. */
size_t page_most(const struct run *r, int64_t most);

#endif
