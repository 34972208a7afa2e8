/*
 * sse_read.h - parse an event stream as its bytes arrive.
 *
 * Follows the event stream format of the HTML standard: lines end with CR, LF or CRLF; a byte order
 * mark at the start is dropped; `data` lines are joined by newlines; an id applies until the next
 * id; a blank line ends an event; an event without data is ignored; an event that the end of the
 * stream cuts off is dropped. The bytes are passed on unchanged: the code that uses the text checks
 * its UTF-8.
 *
 * Pieces may be split anywhere. Between events a reader keeps at most a few KB.
 */
#ifndef WIRE_SSE_READ_H
#define WIRE_SSE_READ_H

#include "base/buf.h"
#include "base/err.h"

struct sse_event {
    struct str event; /* "message" when the stream named none */
    struct str data;  /* may be empty */
    struct buf *own;  /* what holds the data, which may be taken out of it */
    struct str id;    /* the last one seen, in this event or before; empty when none */
    int64_t retry_ms; /* the last one seen; -1 when none */
};

/* The strings are valid for the call. It must not end the reader; it may call sse_read_stop. */
typedef void sse_event_fn(const struct sse_event *ev, void *ctx);

enum sse_state { SSE_START, SSE_NAME, SSE_SPACE, SSE_VALUE };
enum sse_field { SSE_UNKNOWN, SSE_DATA, SSE_EVENT, SSE_ID, SSE_RETRY };

struct sse_reader {
    sse_event_fn *on_event;
    void *ctx;
    size_t max;         /* bytes one event may hold */
    struct buf data;    /* the data lines so far, each with its newline */
    struct buf event;   /* its type */
    struct buf value;   /* of the event, id or retry line being read */
    struct buf next_id; /* an id whose event has not ended */
    struct buf last_id;
    int64_t retry_ms;
    enum sse_state state;
    enum sse_field field; /* in SSE_SPACE and SSE_VALUE */
    char name[8];         /* in SSE_NAME: the part of the field name so far */
    uint8_t name_n;       /* in SSE_START: bytes of the byte order mark seen */
    bool has_next_id;
    bool after_cr; /* an LF that follows belongs to the line before */
    bool stopped, failed;
};

/* `max`: the most bytes of one event, all its kept lines together. */
void sse_read_init(struct sse_reader *r, size_t max, sse_event_fn *on_event, void *ctx);
void sse_read_fini(struct sse_reader *r);

/*
 * The next piece of the stream; the callback gets its events before this returns. ERR_LIMIT when an
 * event exceeds the maximum: neither the stream nor the reader can be used any further.
 */
bool sse_read_feed(struct sse_reader *r, struct str bytes, struct err *e);

/* Tell no more events, drop whatever is fed. */
void sse_read_stop(struct sse_reader *r);

/* The Last-Event-ID to send when reconnecting: the id of the last complete event. */
static inline struct str sse_read_last_id(const struct sse_reader *r)
{
    return buf_str(&r->last_id);
}

#endif
