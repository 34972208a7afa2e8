/* sse_write.h - events of an event stream (text/event-stream) as bytes. */
#ifndef WIRE_SSE_WRITE_H
#define WIRE_SSE_WRITE_H

#include "base/buf.h"

/* One event; a field with p == NULL is omitted. */
struct sse_out {
    struct str event, id;
    struct str data;   /* any text, sent line by line; "" is one empty line */
    uint32_t retry_ms; /* how long the client waits before it reconnects; 0: not sent */
};

enum { SSE_PIECES = 10, SSE_RETRY_TEXT = 24 };

/* The event in pieces that are written in order. */
struct sse_pieces {
    struct str at[SSE_PIECES];
    size_t n;
    char retry[SSE_RETRY_TEXT];
    struct buf lines; /* data of several lines; empty otherwise */
};

/*
 * event and id end at their first line break (they cannot hold one). The pieces point into
 * *ev and into *out, which must not move.
 */
void sse_write(const struct sse_out *ev, struct sse_pieces *out);
void sse_pieces_fini(struct sse_pieces *p);

#endif
