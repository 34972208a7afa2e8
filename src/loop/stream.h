/*
 * stream.h - non-blocking byte streams.
 *
 * One interface for sockets, pipes and the fake streams of tests. A stream collects the bytes that
 * are written in a turn of the loop. It sends them at the end of the turn, or as soon as there are
 * a few KB, so that the other side can begin to work. Bytes that the other side does not accept yet
 * are sent later.
 *
 *   OPEN -> ENDED (nothing more will be read; writing still works) -> CLOSED
 *
 * Back-pressure: stream_write always accepts the bytes. If it returns false, more than the
 * high-water mark is waiting: write no more until on_room. If the backlog exceeds its hard maximum,
 * because the peer does not read, the stream fails with ERR_LIMIT instead of using more memory.
 *
 * An idle stream holds no buffers.
 */
#ifndef LOOP_STREAM_H
#define LOOP_STREAM_H

#include "base/buf.h"
#include "base/err.h"
#include "loop/loop.h"

#include <sys/uio.h>

struct stream;

/* Callbacks to the owner. Never called inside a call that the owner makes. */
struct stream_events {
    /* Bytes arrived; they are valid during this call, which may close the stream. */
    void (*on_bytes)(struct stream *s, struct str bytes);

    /*
     * The other side will send nothing more (e == NULL), or the stream failed. Called once; nothing
     * is read after it, and after a failure nothing is written either. If writing failed, bytes
     * that have already arrived are delivered first, unless the stream is paused.
     */
    void (*on_end)(struct stream *s, const struct err *e);

    /*
     * The backlog is empty. Called after stream_write returned false, or after stream_tell_room.
     * The bytes were written, or were dropped because writing failed after on_end.
     */
    void (*on_room)(struct stream *s);

    /* stream_close is complete: *s may be freed. */
    void (*on_closed)(struct stream *s);
};

/* How the bytes are transported. Errors are negative errno; after -EAGAIN, wait for WATCH_WRITE. */
struct stream_kind {
    const char *name;
    ssize_t (*read)(struct stream *s, char *to, size_t room); /* 0: the other side has ended */
    ssize_t (*write)(struct stream *s, const struct iovec *iov, int n);
    void (*want)(struct stream *s, unsigned events); /* WATCH_* */
    void (*shut)(struct stream *s);                  /* shut down the sending side */
    void (*close)(struct stream *s);                 /* must call stream_closed later */
};

struct stream {
    const struct stream_kind *kind;
    const struct stream_events *events;
    void *owner; /* the receiver of the events */
    struct loop *loop;
    struct buf out;     /* bytes to write; the first `sent` of them were written */
    size_t sent;        /* number of bytes of out already written */
    struct post flush;  /* write before the loop sleeps */
    struct post failed; /* call on_end later: writing failed */
    struct post room;   /* call on_room later: the backlog is empty */
    int64_t moved_at;   /* loop_now() when bytes were last written, or began to wait */
    int error;          /* negative errno after a failure; 0: none */
    bool reading, paused, ended, closing;
    bool blocked;    /* the transport returned EAGAIN: wait until it accepts bytes */
    bool owes_room;  /* on_room must be called */
    bool over_limit; /* failed because of the backlog, not in the transport */
    bool shutting;   /* stream_shut was called: shut down when the backlog is empty */
    bool shut;
};

/* Prepare a stream; `backlog` is the hard maximum of bytes waiting to be written. */
void stream_init(struct stream *s, const struct stream_kind *kind, struct loop *loop,
                 const struct stream_events *events, void *owner, size_t backlog);

/* Begin to read. */
void stream_start(struct stream *s);

/*
 * stream_pause stops reading; stream_resume starts it again. A paused socket still notices when its
 * peer disconnects; it then delivers the unread bytes and ends. A paused pipe does not, so that no
 * output of a child is lost.
 */
void stream_pause(struct stream *s);
void stream_resume(struct stream *s);

/* Queue the pieces, in order. False: write no more until on_room. */
bool stream_write(struct stream *s, const struct str *piece, size_t n);

static inline bool stream_put(struct stream *s, struct str bytes)
{
    return stream_write(s, &bytes, 1);
}

/* The number of bytes that wait to be written. */
static inline size_t stream_backlog(const struct stream *s)
{
    return s->out.n - s->sent;
}

/* Call on_room when the backlog is empty, even if it is empty already. */
void stream_tell_room(struct stream *s);

/* Write the pending bytes now, as far as possible. For a last message before stream_close. */
void stream_flush(struct stream *s);

/* Write the queued output, then shut down the sending side. Reading continues. */
void stream_shut(struct stream *s);

/* Fail the stream as if the other side had disconnected. For a peer that does not read. */
void stream_break(struct stream *s);

/* Close the stream: unwritten bytes are lost. on_closed follows, and no other event. */
void stream_close(struct stream *s);

/* Read everything that has arrived from a peer that has disconnected. */
void stream_read_rest(struct stream *s);

/* ---- for kinds -------------------------------------------------------------------------- */

/* Report to the stream that its transport is ready for these events (WATCH_*). */
void stream_ready(struct stream *s, unsigned events);

/* Report to the stream that its transport is closed. */
void stream_closed(struct stream *s);

#endif
