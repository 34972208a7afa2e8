/*
 * fake_stream.h - a stream whose other side is the test.
 *
 * Bytes that the other side sends wait until they are read, in pieces of a chosen size; bytes
 * that are written to it are kept for the test to look at, as far as it takes them. Everything
 * is told from the loop and ready is level-triggered, as with a real descriptor. Nothing waits:
 * run the loop (fake_settle) until it has nothing to do.
 *
 *   struct fake_stream f;
 *   fake_stream_open(&f, loop, &events, owner, 1 << 20);
 *   fake_stream_send(&f, STR("hello"));
 *   fake_settle(loop);
 *   EQ_S(fake_stream_got(&f), "answer");
 */
#ifndef TESTS_FAKE_STREAM_H
#define TESTS_FAKE_STREAM_H

#include "loop/stream.h"

struct fake_stream {
    struct stream s; /* first */

    /* How it behaves; may be set at any time after opening. */
    size_t read_most;  /* most bytes one read gives; 0: all there are */
    size_t write_most; /* most bytes one write takes; 0: all */
    size_t room;       /* bytes it takes until it says EAGAIN; SIZE_MAX: no end */
    unsigned hiccup;   /* every n-th read and write says EAGAIN first; 0: none does */

    /* What the stream did to it. */
    bool shut;          /* told that nothing more will be written */
    bool closed;        /* closed, and its owner was told */
    unsigned wanted;    /* WATCH_* */
    unsigned writes;    /* how many writes took something */
    struct buf written; /* see fake_stream_got */

    /* Its own. */
    struct buf sent; /* by the other side, not yet read */
    unsigned calls;
    bool ended, gone;
    struct post ready, closing;
};

/* Like sock_stream_open. Starts with no limits: reads and writes take everything. */
void fake_stream_open(struct fake_stream *f, struct loop *loop, const struct stream_events *events,
                      void *owner, size_t backlog);

/* Free what it holds. Must have been closed, or never started. */
void fake_stream_fini(struct fake_stream *f);

/* ---- the other side ---------------------------------------------------------------------- */

void fake_stream_send(struct fake_stream *f, struct str bytes);

/* It will send nothing more, but still reads. */
void fake_stream_end(struct fake_stream *f);

/* It is gone: what it sent can still be read, writing fails with EPIPE. */
void fake_stream_hang_up(struct fake_stream *f);

/* It takes n bytes more than before. */
void fake_stream_take(struct fake_stream *f, size_t n);

/* All it got since the last fake_stream_clear. */
static inline struct str fake_stream_got(const struct fake_stream *f)
{
    return buf_str(&f->written);
}
void fake_stream_clear(struct fake_stream *f);

/* ---- the loop ---------------------------------------------------------------------------- */

/* Run until nothing is left to do without time passing or the other side moving. */
void fake_settle(struct loop *loop);

#endif
