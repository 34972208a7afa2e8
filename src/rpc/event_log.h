/*
 * event_log.h - keep recently sent SSE events, so that a client that reconnects gets the lost ones.
 *
 * One log serves one client session. A session has any number of event streams. Events are
 * numbered across the whole session, and each event belongs to one stream. An event id contains
 * the session, the stream and the number, so an id of another session is detected.
 *
 * The log keeps the newest events, within its limits, and drops the oldest first. So the kept
 * events of a stream are always its last ones. All logs share a pool: when the pool is full, the
 * oldest event of all sessions is dropped.
 */
#ifndef RPC_EVENT_LOG_H
#define RPC_EVENT_LOG_H

#include "base/str.h"

struct event_log;

struct logged_event {
    struct logged_event *next;
    struct logged_event *older, *newer; /* the list of the pool */
    struct event_log *log;
    uint64_t number;
    uint64_t before; /* the number of the previous event of the same stream */
    uint32_t stream;
    size_t n;
    char text[];
};

/* The events of all logs. */
struct event_pool {
    struct logged_event *oldest, *newest;
    size_t bytes, max_bytes; /* including the overhead of each event */
};

struct event_log {
    struct event_pool *pool;
    struct logged_event *first, **end;
    size_t count, max_count; /* events */
    size_t bytes, max_bytes;
    uint64_t number;  /* the number of the newest event */
    uint32_t streams; /* the newest stream number; stream 0 always exists */
    uint32_t session; /* the first part of every event id */
};

/* A position in one stream. As a parameter `from` or `upto`, it means the event `newest`. */
struct event_stream {
    uint32_t stream;
    uint64_t newest; /* event number; 0: none yet */
    uint64_t sent;   /* the number of the newest event with content; 0: none yet */
};

enum { EVENT_ID = 48 };

/* The pool must outlive the log, and *log must not move. */
void event_log_init(struct event_log *log, struct event_pool *pool, size_t max_count,
                    size_t max_bytes);
void event_log_fini(struct event_log *log);

/* Begin a new stream of this session. */
struct event_stream event_log_open(struct event_log *log);

/* Give a number to an event without content, which is not kept; returns its id, in `id`. */
struct str event_log_number(struct event_log *log, struct event_stream *s, char id[EVENT_ID]);

/* Give a number to an event, and keep its text, given in pieces; returns its id, in `id`. */
struct str event_log_keep(struct event_log *log, struct event_stream *s, const struct str *piece,
                          size_t n, char id[EVENT_ID]);

/*
 * Parse an event id. *out is set to the stream of the event, and out->newest to the event. False:
 * it is not an id of this session.
 */
bool event_log_find(const struct event_log *log, struct str id, struct event_stream *out);

/*
 * The first kept event of a stream after the event `from`; NULL if there is none. *lost becomes
 * true if an event between them was dropped.
 */
const struct logged_event *event_log_after(const struct event_log *log, struct event_stream from,
                                           bool *lost);

/* The next kept event of the same stream; NULL: none. */
const struct logged_event *event_log_next(const struct logged_event *ev);

struct str event_log_id(const struct logged_event *ev, char id[EVENT_ID]);

/* The client has received everything of the stream up to this event: drop it. */
void event_log_forget(struct event_log *log, struct event_stream upto);

#endif
