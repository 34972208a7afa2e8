/*
 * store_sessions.h - sessions, their turns and pre-images, as the store keeps them.
 *
 * In a page, `most` 0 asks for limits.store_page_items rows; `more` says that further rows exist.
 */
#ifndef CORE_STORE_SESSIONS_H
#define CORE_STORE_SESSIONS_H

#include "core/store_events.h"

struct store_session {
    struct str id;
    struct str agent, cwd, model, mode, title; /* UPDATE: STR_NONE keeps the value */
    struct str settings;                       /* JSON: further options of session_new; likewise */
    struct str owner;         /* the principal that created it; CREATE: in, never changed */
    int64_t created, updated; /* out */
    int64_t last_seq;         /* out: of its events; 0: none */
    int64_t bytes;            /* out: of its events and pre-images */
    int64_t version;          /* out: grows with each change; UPDATE: in too, 0 for any */
    int64_t fence; /* CREATE, TAKE: out. UPDATE, LEAVE: in. DELETE: in, 0: if no process holds it */
    bool in_use;   /* out: a process that runs, or may run, holds it */
};

/*
 * A copy of a session up to its last finished turn, as a new session that no process holds.
 * ERR_NOT_FOUND also when the source has another owner. Another process may hold the source.
 */
struct store_fork {
    struct str from, owner; /* the session to copy; its owner */
    struct str id;          /* of the new session */
    int64_t last_seq;       /* out: of the copied events; 0: the source has no finished turn */
};

struct store_append {
    struct str session;
    int64_t fence;
    const struct store_event *event;
    size_t events;
    int64_t last_seq; /* out: of the last event */
};

/* The state of a turn. A second write replaces all of it. */
struct store_turn {
    struct str session, turn;
    int64_t fence; /* of the session; out: under which it was written */
    struct str state;
    struct str calls;   /* JSON: tool calls that were started */
    struct str results; /* JSON: tool calls that returned */
    bool finished;
    int64_t updated, version; /* out */
    bool in_use;              /* out: a process that runs, or may run, holds its session */
};

/* A file as it was before a turn changed it. The first image of a turn and path is kept. */
struct store_image {
    struct str session, turn;
    int64_t fence;
    struct str path;
    int64_t mode;
    struct str content;
    bool absent; /* the file did not exist */
};

/*
 * The last changed session first. A session that changes while a client reads pages moves to the
 * front; no other session is skipped or repeated.
 */
struct store_session_page {
    struct str owner, agent, cwd; /* filters; STR_NONE: any */
    struct store_cursor cursor;   /* in and out */
    int64_t most;
    struct store_session *v;
    size_t n;
    bool more;
};

struct store_turn_page { /* unfinished turns of all sessions */
    int64_t after;       /* in and out; 0: from the first */
    int64_t most;
    struct store_turn *v;
    size_t n;
    bool more;
};

struct store_image_page { /* in the order they were stored, or reversed */
    struct str session;
    struct str turn; /* STR_NONE: the last turn that has images; then out, STR_NONE if none has */
    bool newest_first;
    int64_t after; /* in and out; 0: from the first */
    int64_t most;
    struct store_image *v;
    size_t n;
    bool more;
};

/*
 * Retention. SESSIONS: deletes sessions that no process holds: those unchanged for keep_ms, then the
 * oldest beyond keep_bytes. TASKS_EXPIRE: deletes final tasks that have expired.
 */
struct store_gc {
    int64_t keep_ms, keep_bytes; /* 0: the limits of the configuration */
    int64_t deleted, freed;      /* out: rows, bytes */
    bool more;                   /* out: another request is needed */
};

#endif
