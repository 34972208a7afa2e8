/*
 * sse_read.h - parse an event stream as its bytes arrive.
 *
 * Follows the event stream format of the HTML standard:
 *   - lines end with CR, LF or CRLF; a byte order mark at the start is dropped;
 *   - `data` lines are joined by newlines; an id applies until the next id;
 *   - a blank line ends an event; an event without data is ignored;
 *   - an incomplete event at the end of the stream is dropped.
 *
 * The bytes are passed on unchanged: the code that uses the text checks its UTF-8. The stream may
 * be split into pieces anywhere. Between events a reader keeps at most a few KB.
 */
#ifndef WIRE_SSE_READ_H
#define WIRE_SSE_READ_H

#include "base/buf.h"
#include "base/err.h"

struct sse_event {
    struct str event; /* "message" when the stream named none */
    struct str data;  /* may be empty */
    struct buf *own;  /* the buffer of the data; the callback may take it */
    struct str id;    /* the last id so far, of this event or an earlier one; empty: none */
    int64_t retry_ms; /* the last value so far; -1: none */
};

/* The strings are valid during the callback. It may call sse_read_stop, but not sse_read_fini. */
typedef void sse_event_fn(const struct sse_event *ev, void *ctx);

enum sse_state { SSE_START, SSE_NAME, SSE_SPACE, SSE_VALUE };
enum sse_field { SSE_UNKNOWN, SSE_DATA, SSE_EVENT, SSE_ID, SSE_RETRY };

struct sse_reader {
    sse_event_fn *on_event;
    void *ctx;
    size_t max;         /* bytes that one event may have */
    struct buf data;    /* the data lines so far, each with its newline */
    struct buf event;   /* the type of the event */
    struct buf value;   /* the value of the event, id or retry line being read */
    struct buf next_id; /* the id of the unfinished event */
    struct buf last_id;
    int64_t retry_ms;
    enum sse_state state;
    enum sse_field field; /* the current field, in SSE_SPACE and SSE_VALUE */
    char name[8];         /* in SSE_NAME: the part of the field name so far */
    uint8_t name_n;       /* in SSE_START: bytes of the byte order mark seen */
    bool has_next_id;
    bool after_cr; /* an LF now is part of the previous line end */
    bool stopped, failed;
};

/* `max`: the maximum size of one event, the sum of its lines. */
void sse_read_init(struct sse_reader *r, size_t max, sse_event_fn *on_event, void *ctx);
void sse_read_fini(struct sse_reader *r);

/*
 * Parse the next piece of the stream; on_event is called for its events before this returns.
 * ERR_LIMIT: an event exceeds the maximum; the reader cannot be used any more.
 */
bool sse_read_feed(struct sse_reader *r, struct str bytes, struct err *e);

/* Report no more events, and ignore further pieces. */
void sse_read_stop(struct sse_reader *r);

/* The Last-Event-ID to send when reconnecting: the id of the last complete event. */
static inline struct str sse_read_last_id(const struct sse_reader *r)
{
    return buf_str(&r->last_id);
}

#endif
