/* sse_write.h - events of an event stream (text/event-stream) as bytes. */
#ifndef WIRE_SSE_WRITE_H
#define WIRE_SSE_WRITE_H

#include "base/buf.h"

/* One event; what is absent (p == NULL) is left out. */
struct sse_out {
    struct str event, id;
    struct str data;   /* any text; a line each. Empty but not absent: one empty line */
    uint32_t retry_ms; /* how long to wait before connecting again; 0: not said */
};

enum { SSE_PIECES = 10, SSE_RETRY = 24 };

/* The event in pieces that can be written one behind the other. */
struct sse_pieces {
    struct str at[SSE_PIECES];
    size_t n;
    char retry[SSE_RETRY];
    struct buf lines; /* data of several lines; empty otherwise */
};

/*
 * event and id end at their first line break (they cannot hold one). The pieces point into
 * *ev and into *out, which must not move.
 */
void sse_write(const struct sse_out *ev, struct sse_pieces *out);
void sse_pieces_fini(struct sse_pieces *p);

#endif
