/*
 * mcp_events.h - what was sent on the event streams of one session, for a client that lost its
 * connection and comes back.
 *
 * Each event has a number, counted through the whole session, and belongs to one stream of it. Its
 * id names session, stream and number, so that an id of another session is noticed. The newest are
 * kept, as many as the limits allow; what goes, goes oldest first, so that what is left of a stream
 * is always its end. All sessions share a pool (limits.mcp_events_bytes): when it is full, the oldest
 * event of any session goes.
 */
#ifndef PROTO_MCP_SERVER_MCP_EVENTS_H
#define PROTO_MCP_SERVER_MCP_EVENTS_H

#include "base/limits.h"
#include "base/str.h"

struct mcp_events;

struct mcp_event {
    struct mcp_event *next;
    struct mcp_event *older, *newer; /* in the pool */
    struct mcp_events *of;
    uint64_t number, before; /* before: the number of what the stream said before this */
    uint32_t stream;
    size_t n;
    char text[];
};

/* The events of all sessions. */
struct mcp_event_pool {
    struct mcp_event *oldest, *newest;
    size_t bytes, most_bytes; /* with what each event costs beside its text */
};

struct mcp_events {
    struct mcp_event_pool *pool;
    struct mcp_event *first, **end;
    size_t count, most; /* events */
    size_t bytes, most_bytes;
    uint64_t number;  /* the newest */
    uint32_t session; /* what ids begin with */
};

/* One stream: its number, and its newest event. Also names one event, by stream and newest. */
struct mcp_event_stream {
    uint32_t stream;
    uint64_t newest; /* 0: none yet */
    uint64_t told;   /* the newest that said something; 0: none yet */
};

enum { MCP_EVENT_ID = 48 };

void mcp_event_pool_init(struct mcp_event_pool *pool, const struct limits *limits);

/* The pool outlives it. *e stays where it is. */
void mcp_events_init(struct mcp_events *e, const struct limits *limits,
                     struct mcp_event_pool *pool);
void mcp_events_fini(struct mcp_events *e);

/* Number an event of the stream that says nothing, and so is not missed; writes its id. */
struct str mcp_events_number(struct mcp_events *e, struct mcp_event_stream *s,
                             char id[MCP_EVENT_ID]);

/* The same, and keep its text, which is given in pieces. */
struct str mcp_events_keep(struct mcp_events *e, struct mcp_event_stream *s,
                           const struct str *piece, size_t n, char id[MCP_EVENT_ID]);

/* Take an id apart. False when it is none of this session. */
bool mcp_events_named(const struct mcp_events *e, struct str id, struct mcp_event_stream *out);

/*
 * The first event of a stream after the one that `from` names; NULL: none is kept. *lost is set
 * when one in between has gone.
 */
const struct mcp_event *mcp_events_after(const struct mcp_events *e, struct mcp_event_stream from,
                                         bool *lost);

/* The next of the same stream. */
const struct mcp_event *mcp_events_next(const struct mcp_event *ev);

struct str mcp_event_id(const struct mcp_events *e, const struct mcp_event *ev,
                        char id[MCP_EVENT_ID]);

/* The client has everything of the stream up to here. */
void mcp_events_forget(struct mcp_events *e, struct mcp_event_stream upto);

#endif
