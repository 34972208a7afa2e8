/* sse_write.h - write the events of an event stream (text/event-stream). */
#ifndef WIRE_SSE_WRITE_H
#define WIRE_SSE_WRITE_H

#include "base/buf.h"

/* One event; a field with p == NULL is omitted. */
struct sse_out {
    struct str event, id;
    struct str data;   /* any text, which is sent line by line; "" is one empty line */
    uint32_t retry_ms; /* how long the client waits before it reconnects; 0: not sent */
};

enum { SSE_PIECES = 10, SSE_RETRY_TEXT = 24 };

/* The text of an event, in pieces. */
struct sse_pieces {
    struct str at[SSE_PIECES];
    size_t n;
    char retry[SSE_RETRY_TEXT];
    struct buf lines; /* data that has several lines, with its field names; else empty */
};

/*
 * Write *ev as pieces. The pieces point into *ev and *out, so neither may be moved. The fields
 * `event` and `id` cannot have a line break: their text is truncated at the first one.
 */
void sse_write(const struct sse_out *ev, struct sse_pieces *out);
void sse_pieces_fini(struct sse_pieces *p);

#endif
