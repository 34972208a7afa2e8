/*
 * verbs.h - what each step of a request does to the database.
 *
 * A verb runs on the store's thread, inside the transaction of its batch when it writes. It checks
 * before it writes: what fails for a reason of its own leaves nothing behind.
 */
#ifndef STORE_VERBS_H
#define STORE_VERBS_H

#include "base/limits.h"
#include "core/store_port.h"
#include "store/sql.h"

/* What a verb works with. */
struct run {
    struct sql *sql;
    const struct limits *limits;
    const char *owner; /* our name */
    int64_t now;
    struct arena *mem; /* for answers */
};

typedef bool verb_fn(struct run *r, struct store_step *step, struct err *e);

verb_fn session_create, session_update, session_delete, session_take, session_leave, session_load,
    session_list;
verb_fn events_append, events_load;
verb_fn turn_write, turn_load, turns_unfinished;
verb_fn image_put, images_delete, images_load;
verb_fn memory_put, memory_delete, memory_get, memory_list;
verb_fn gc_sessions;

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

/* Its number. ERR_NOT_FOUND. */
bool session_find(struct run *r, struct str id, int64_t *n, struct err *e);

/* All that belongs to it, and itself. */
bool session_erase(struct run *r, int64_t n, struct err *e);

/* Does a process that lives, or may, own it? */
bool session_in_use(const struct run *r, struct str owner, int64_t lease);

/* Rows of a page that was asked to have `most`. */
size_t page_most(const struct run *r, int64_t most);

#endif
