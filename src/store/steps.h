/*
 * steps.h - the functions that perform one step of a request on the database.
 *
 * A verb is a function that performs one kind of step. It runs on the thread of the store, inside
 * the transaction of its batch if it writes. The verb first checks the step. If it rejects the
 * step, it changes nothing.
 */
#ifndef STORE_STEPS_H
#define STORE_STEPS_H

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
    int64_t lease_now; /* the time of the lease clock (lease.h) */
    struct arena *mem; /* memory for answers */
    struct str looked; /* the last holder that was looked up, and whether it is alive */
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
    db_tasks, db_tasks_lost, db_tasks_expire; /* db_: core has a task_create, too */
verb_fn db_task_feed;
verb_fn db_task_answer, db_task_answers;
verb_fn db_lock_put, db_lock_drop, db_locks;
verb_fn db_push_put, db_push_sent, db_push_delete, db_pushes;

/* ---- helpers -------------------------------------------------------------------------------- */

/* How much a write adds to a session. */
struct session_growth {
    int64_t events, bytes;
};

/*
 * Begin a write to a session: check the token, increment the version, extend the lease. *n is set
 * to the row number of the session, *last_seq to its last sequence number after the write.
 */
bool session_touch(struct run *r, struct str id, int64_t fence, struct session_growth by,
                   int64_t *n, int64_t *last_seq, struct err *e);

/* Fails with ERR_NOT_FOUND: the store has no session of that id. */
bool session_missing(struct str id, struct err *e);

/* Find the row number of a session. ERR_NOT_FOUND: there is no such session. */
bool session_find(struct run *r, struct str id, int64_t *n, struct err *e);

/* Delete a session and everything that belongs to it. */
bool session_erase(struct run *r, int64_t n, struct err *e);

/* The same for a task. */
bool task_erase(struct run *r, int64_t n, struct err *e);

/*
 * Part of a SELECT for deletion: a session with a live task is kept, even if no process holds it.
 */
#define SESSIONS_WITHOUT_LIVE_TASK                                                                 \
    " WHERE NOT EXISTS (SELECT 1 FROM tasks INDEXED BY tasks_live"                                 \
    " WHERE final = 0 AND tasks.session = sessions.id)"

/* The approximate number of bytes that a step adds. */
int64_t room_needed(const struct store_step *step);

/*
 * Delete the oldest data until limits.store_bytes has space for `needed` bytes and a reserve. *free
 * is set to the space that remains after `needed` bytes were added. It is negative if they do not
 * fit, because all remaining data is in use.
 */
bool room_make(struct run *r, int64_t needed, int64_t *free, struct err *e);

/*
 * Set *free to the bytes that remain of limits.store_bytes after `needed` more; it may be negative.
 */
bool room_left(struct run *r, int64_t needed, int64_t *free, struct err *e);

/* Fails with ERR_LIMIT: "<what>: the store is full ...". */
bool room_refuse(const struct run *r, const char *what, struct err *e);

/* Is there space for the step if `free` bytes are free? ERR_LIMIT: no. */
bool room_admits(const struct run *r, const struct store_step *step, int64_t free, struct err *e);

/*
 * Is this holder alive? If the holder is a process that this process can check, its state decides;
 * otherwise the lease does.
 */
bool is_held(struct run *r, struct str holder, int64_t lease);

/* The end of a lease that begins, or is extended, now. */
int64_t lease_end(const struct run *r);

/*
 * Insert events. The parameters of the statement are place, time, kind and body. A place is a
 * number that combines n, the row number of the session or task, with the seq of the event.
 * `last_seq` is the seq of the last event, `at` the time of all events.
 */
bool events_insert(struct run *r, const char *statement, int64_t n, int64_t last_seq, int64_t at,
                   const struct store_event *v, size_t count, struct err *e);

/*
 * Add the events of a task that are marked for the feed to the feed of all tasks, and remove old
 * entries.
 */
bool feed_append(struct run *r, const struct store_task *t, int64_t n, struct err *e);
bool feed_trim(struct run *r, struct err *e);

/*
 * Read a page of events. The statement selects seq, time, kind and body; its parameters are the
 * first and the last place, a limit and a kind.
 */
bool events_page(struct run *r, const char *statement, int64_t n, struct store_event_page *p,
                 struct err *e);

/* Delete the answers to questions of the task with this row number. */
bool answers_drop(struct run *r, int64_t n, struct err *e);

/* Delete the locks that other processes hold for this task. */
bool locks_drop_others(struct run *r, struct str task, struct err *e);

/* The number of rows of a page of at most `most` rows (0: the default). */
size_t page_most(const struct run *r, int64_t most);

#endif
