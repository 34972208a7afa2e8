/*
 * store_sessions.h - the stored form of sessions, their turns, and file images (the contents that
 * files had before a turn changed them).
 *
 * In a page, `most` limits the number of rows (0: limits.store_page_items), and `more` is set if
 * further rows exist. CREATE, UPDATE, TAKE, LEAVE and DELETE are steps of store.h. `in` and `out`
 * are explained in store_events.h.
 */
#ifndef CORE_STORE_SESSIONS_H
#define CORE_STORE_SESSIONS_H

#include "core/store_events.h"

struct store_session {
    struct str id;
    struct str agent, cwd, model, mode, title; /* UPDATE: STR_NONE keeps the value */
    /* JSON: further options of the session; UPDATE: STR_NONE keeps them */
    struct str settings;
    struct str owner;         /* the principal that created the session; CREATE: in */
    int64_t created, updated; /* out */
    int64_t last_seq;         /* out: seq of the last event; 0: no events */
    int64_t bytes;            /* out: size of the events and file images */
    /* out: grows with each change. UPDATE: also in: the expected version, 0: any */
    int64_t version;
    /* CREATE, TAKE: out. UPDATE, LEAVE: in. DELETE: in; 0: delete only if no process holds it */
    int64_t fence;
    bool in_use; /* out: held by a process that is running, or that may be running */
};

/*
 * Copy a session up to its last finished turn. No process holds the new session. Another process
 * may hold the source. ERR_NOT_FOUND: the source does not exist, or has another owner.
 */
struct store_fork {
    struct str from, owner; /* id of the session to copy; its owner */
    struct str id;          /* id of the new session */
    int64_t last_seq;       /* out: seq of the last copied event; 0: no turn was finished */
};

struct store_append {
    struct str session;
    int64_t fence;
    const struct store_event *event;
    size_t events;
    int64_t last_seq; /* out: seq of the last event */
};

/* The state of a turn. Each write replaces the whole state. */
struct store_turn {
    struct str session, turn;
    int64_t fence; /* in: token of the session; out: the token with which the state was written */
    struct str state;
    struct str calls;   /* JSON: tool calls that were started */
    struct str results; /* JSON: tool calls that returned */
    bool finished;
    int64_t updated, version; /* out */
    bool in_use; /* out: the session is held by a process that is running, or that may be running */
};

/*
 * A file as it was before a turn changed it. If a turn stores several images of one path, the first
 * is kept.
 */
struct store_image {
    struct str session, turn;
    int64_t fence;
    struct str path;
    int64_t mode;
    struct str content;
    bool absent; /* the file did not exist */
};

/*
 * The session that was changed last comes first. A session that changes while a client reads the
 * pages moves to the front; no other session is skipped or repeated.
 */
struct store_session_page {
    struct str owner, agent, cwd; /* filters; STR_NONE: any */
    struct store_cursor cursor;   /* in and out */
    int64_t most;
    struct store_session *v;
    size_t n;
    bool more;
};

struct store_turn_page { /* the unfinished turns of all sessions */
    int64_t after;       /* in and out: position in the list; 0: from the first */
    int64_t most;
    struct store_turn *v;
    size_t n;
    bool more;
};

/* file images of a turn, in the order in which they were stored, or in reverse order */
struct store_image_page {
    struct str session;
    /*
     * in: STR_NONE selects the last turn that has images. out: that turn; STR_NONE: there is none
     */
    struct str turn;
    bool newest_first;
    int64_t after; /* in and out: position in the list; 0: from the first */
    int64_t most;
    struct store_image *v;
    size_t n;
    bool more;
};

/*
 * Deletion of old data. STORE_GC deletes sessions that no process holds: first those that have not
 * changed for keep_ms, then the oldest until the rest fits into keep_bytes. STORE_TASKS_EXPIRE
 * deletes final tasks that have expired.
 */
struct store_gc {
    int64_t keep_ms, keep_bytes; /* the limits for STORE_GC; 0: the values of [limits] */
    int64_t deleted, freed;      /* out: number of deleted rows; freed bytes */
    bool more;                   /* out: there is more to delete; repeat the request */
};

#endif
