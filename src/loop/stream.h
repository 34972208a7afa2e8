/*
 * stream.h - non-blocking byte streams.
 *
 * One interface for sockets, pipes and the fake wires of tests. A stream collects the bytes that a
 * turn writes and sends them before the loop sleeps, or as soon as there are a few KB, so that the
 * other side can work at the same time; the rest is sent when there is room.
 *
 *   OPEN -> ENDED (nothing more will be read; writing still works) -> CLOSED
 *
 * Back-pressure: stream_write always accepts the bytes. If it returns false, more than the
 * high-water mark is pending: stop producing until on_room. A peer that never reads makes the
 * backlog pass its hard maximum; then the stream fails with ERR_LIMIT instead of using more memory.
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
    /* Bytes arrived; borrowed for the call. The owner may close the stream in it. */
    void (*on_bytes)(struct stream *s, struct str bytes);

    /*
     * The other side has ended (e == NULL), or the stream broke. Called once; nothing is read after
     * it. After an error nothing is written any more either. Bytes that had arrived before writing
     * broke are delivered first, unless the stream is paused.
     */
    void (*on_end)(struct stream *s, const struct err *e);

    /*
     * After stream_write answered false, or after stream_tell_room: nothing waits any more. It
     * was written, or was dropped because writing broke after on_end.
     */
    void (*on_room)(struct stream *s);

    /* stream_close is complete: *s may be freed. */
    void (*on_closed)(struct stream *s);
};

/* The transport of the bytes. Errors are negative errno; -EAGAIN means "ask for want_write". */
struct stream_kind {
    const char *name;
    ssize_t (*read)(struct stream *s, char *to, size_t room); /* 0: the other side is done */
    ssize_t (*write)(struct stream *s, const struct iovec *iov, int n);
    void (*want)(struct stream *s, unsigned events); /* WATCH_* */
    void (*shut)(struct stream *s);                  /* no more will be written */
    void (*close)(struct stream *s);                 /* must call stream_closed later */
};

struct stream {
    const struct stream_kind *kind;
    const struct stream_events *events;
    void *owner; /* the receiver of the events */
    struct loop *loop;
    struct buf out;     /* waiting to be written, from `sent` on */
    size_t sent;        /* bytes of out already written */
    struct post flush;  /* write before the loop sleeps */
    struct post failed; /* call on_end later: writing broke */
    struct post room;   /* call on_room later: the backlog is gone */
    int64_t moved_at;   /* loop_now() when bytes last went out, or began to wait */
    int error;          /* negative errno, once broken */
    bool reading, paused, ended, closing;
    bool blocked;    /* the transport returned EAGAIN: waiting for it */
    bool owes_room;  /* on_room is waited for */
    bool over_limit; /* broke because of the backlog, not the carrier */
    bool shutting;   /* stream_shut was called; `shut` once the backlog is gone */
    bool shut;
};

/* Prepare a stream; `backlog` is the hard maximum of bytes waiting to be written. */
void stream_init(struct stream *s, const struct stream_kind *kind, struct loop *loop,
                 const struct stream_events *events, void *owner, size_t backlog);

/* Begin to read. */
void stream_start(struct stream *s);

/*
 * Stop reading, and continue. A paused socket still notices a hang-up and ends, after delivering
 * unread bytes; pipes do not, so that no output of a child is lost.
 */
void stream_pause(struct stream *s);
void stream_resume(struct stream *s);

/* Queue the pieces, in order. Answers false when the owner should wait for on_room. */
bool stream_write(struct stream *s, const struct str *piece, size_t n);

static inline bool stream_put(struct stream *s, struct str bytes)
{
    return stream_write(s, &bytes, 1);
}

/* Bytes that wait to be written. */
static inline size_t stream_backlog(const struct stream *s)
{
    return s->out.n - s->sent;
}

/* Call on_room once nothing waits to be written, also when nothing does now. */
void stream_tell_room(struct stream *s);

/* Write the pending bytes now, as far as possible. For a last message before stream_close. */
void stream_flush(struct stream *s);

/* Write the queued output, then shut down the sending side. Reading continues. */
void stream_shut(struct stream *s);

/* Nothing is written any more, as if the other side had disconnected: for a peer that does not
 * read. */
void stream_break(struct stream *s);

/* End it: what was not written is lost. on_closed follows; no other event does. */
void stream_close(struct stream *s);

/* Read everything that has arrived: the other side has disconnected, and its last bytes count. */
void stream_read_rest(struct stream *s);

/* ---- for kinds -------------------------------------------------------------------------- */

/* The carrier is ready. */
void stream_ready(struct stream *s, unsigned events);

/* The carrier has closed. */
void stream_closed(struct stream *s);

#endif
