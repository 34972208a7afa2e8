#include "loop/stream.h"

#include "base/container.h"

#include <assert.h>
#include <errno.h>

enum {
    HIGH_WATER = 256 << 10, /* more than this waiting: ask the owner to pause */
    DIRECT = 32 << 10,      /* a write this large is not gathered but sent at once */
    EARLY = 2 << 10,        /* this much goes out before the turn ends: the other side can begin */
    MAX_PIECES = 16,
    LAST_READS = 64, /* a pipe holds 1 MB at most */
};

static void update_interest(struct stream *s)
{
    unsigned want = 0;

    if (s->closing)
        return;
    if (s->reading && !s->ended)
        want |= s->paused ? WATCH_HANGUP : WATCH_READ;
    if (s->blocked)
        want |= WATCH_WRITE;
    s->kind->want(s, want);
}

static void on_flush(struct post *p)
{
    stream_flush(CONTAINER_OF(p, struct stream, flush));
}

static void end(struct stream *s, const struct err *e)
{
    if (s->ended)
        return;
    s->ended = true;
    update_interest(s);
    s->events->on_end(s, e);
}

static void pay_room(struct stream *s)
{
    if (!s->owes_room || s->closing || stream_backlog(s)) /* written since: told when it is gone */
        return;
    s->owes_room = false;
    s->events->on_room(s);
}

/* The peer may have answered before it disconnected: a child that gets one more request while it
 * exits. */
static void on_failed(struct post *p)
{
    struct stream *s = CONTAINER_OF(p, struct stream, failed);
    struct err e;

    if (s->over_limit)
        fail(&e, ERR_LIMIT, "the peer does not read: %zu bytes are waiting", stream_backlog(s));
    else
        fail(&e, ERR_CLOSED, "write: %s", strerror(-s->error));
    buf_fini(&s->out);
    s->sent = 0;
    if (!s->over_limit)
        stream_read_rest(s);
    if (s->ended)
        pay_room(s); /* the end was reported before: at least no writer waits in vain */
    else if (!s->closing)
        end(s, &e);
}

static void on_room(struct post *p)
{
    pay_room(CONTAINER_OF(p, struct stream, room));
}

void stream_init(struct stream *s, const struct stream_kind *kind, struct loop *loop,
                 const struct stream_events *events, void *owner, size_t backlog)
{
    *s = (struct stream){ .kind = kind, .events = events, .owner = owner, .loop = loop };
    buf_init(&s->out, backlog);
    s->flush.fn = on_flush;
    s->failed.fn = on_failed;
    s->room.fn = on_room;
}

void stream_start(struct stream *s)
{
    s->reading = true;
    update_interest(s);
}

void stream_pause(struct stream *s)
{
    s->paused = true;
    update_interest(s);
}

void stream_resume(struct stream *s)
{
    s->paused = false;
    update_interest(s);
}

/* ---- writing ---------------------------------------------------------------------------- */

/* The owner learns it from the loop, not from inside its own call. */
static void broken(struct stream *s, int error)
{
    s->error = error;
    s->blocked = false;
    loop_unpost(s->loop, &s->flush);
    loop_post(s->loop, &s->failed);
    update_interest(s);
}

static void wait_for_room(struct stream *s)
{
    s->blocked = true;
    update_interest(s);
}

static void emptied(struct stream *s)
{
    buf_fini(&s->out); /* an idle stream holds no buffers */
    s->sent = 0;
    s->blocked = false;
    if (s->shutting && !s->shut) {
        s->shut = true;
        s->kind->shut(s);
    }
    update_interest(s);
    if (s->owes_room)
        loop_post(s->loop, &s->room); /* not now: the owner may be writing */
}

void stream_flush(struct stream *s)
{
    if (s->error || s->closing)
        return;
    while (stream_backlog(s)) {
        struct iovec iov = { s->out.p + s->sent, stream_backlog(s) };
        ssize_t n = s->kind->write(s, &iov, 1);

        if (n == -EAGAIN || n == -EINTR) {
            wait_for_room(s);
            return;
        }
        if (n < 0) {
            broken(s, (int)n);
            return;
        }
        s->sent += (size_t)n;
        s->moved_at = loop_now(s->loop);
    }
    emptied(s);
}

/* Try to send large pieces without copying them. Returns how many bytes went out. */
static size_t write_direct(struct stream *s, const struct str *piece, size_t n)
{
    struct iovec iov[MAX_PIECES];
    ssize_t wrote;

    for (size_t i = 0; i < n; i++)
        iov[i] = (struct iovec){ (void *)piece[i].p, piece[i].n };
    wrote = s->kind->write(s, iov, (int)n);
    if (wrote >= 0)
        return (size_t)wrote;
    if (wrote == -EAGAIN || wrote == -EINTR)
        wait_for_room(s);
    else
        broken(s, (int)wrote);
    return 0;
}

/* Gather `total` bytes of pieces behind what waits, leaving out the first `skip` of them. */
static void gather(struct stream *s, const struct str *piece, size_t n, size_t total, size_t skip)
{
    bool tight = total - skip > s->out.max - s->out.n;

    if (s->sent && (tight || s->sent >= s->out.n / 2)) {
        buf_consume(&s->out, s->sent);
        s->sent = 0;
    }
    if (!stream_backlog(s))
        s->moved_at = loop_now(s->loop);
    buf_reserve(&s->out, total - skip); /* once, not piece by piece */
    for (size_t i = 0; i < n; i++) {
        size_t cut = skip < piece[i].n ? skip : piece[i].n;

        skip -= cut;
        if (!buf_put(&s->out, str_skip(piece[i], cut))) {
            s->over_limit = true;
            broken(s, -ENOBUFS);
            return;
        }
    }
}

bool stream_write(struct stream *s, const struct str *piece, size_t n)
{
    size_t total = 0, went = 0;

    assert(n <= MAX_PIECES);
    if (s->error || s->closing || s->shutting)
        return true; /* the peer will not read it; on_end reports why */
    for (size_t i = 0; i < n; i++)
        total += piece[i].n;
    if (total >= DIRECT && !s->blocked) {
        stream_flush(s);
        if (!s->blocked && !s->error)
            went = write_direct(s, piece, n);
    }
    if (went < total && !s->error)
        gather(s, piece, n, total, went);
    if (stream_backlog(s) >= EARLY && !s->blocked && !s->error)
        stream_flush(s);
    if (stream_backlog(s) && !s->blocked && !s->error)
        loop_post_flush(s->loop, &s->flush);
    if (stream_backlog(s) <= HIGH_WATER || s->error)
        return true;
    s->owes_room = true;
    return false;
}

void stream_tell_room(struct stream *s)
{
    s->owes_room = true;
    if (!stream_backlog(s) && !s->closing)
        loop_post(s->loop, &s->room);
}

/* ---- reading ---------------------------------------------------------------------------- */

/*
 * One read, so that what a peer sends without pause is worked off between two reads and others
 * get their turn. True when there may be more.
 */
static bool read_once(struct stream *s)
{
    struct loop_scratch to = loop_scratch(s->loop);
    ssize_t n;
    struct err e;

    if (s->closing || s->paused || s->ended)
        return false;
    n = s->kind->read(s, to.p, to.n);
    if (n == -EAGAIN || n == -EINTR || (n <= 0 && s->error)) /* on_failed will tell more */
        return false;
    if (n > 0) {
        s->events->on_bytes(s, (struct str){ to.p, (size_t)n });
        return true;
    }
    if (n < 0)
        fail(&e, ERR_CLOSED, "read: %s", strerror((int)-n));
    end(s, n < 0 ? &e : NULL);
    return false;
}

void stream_read_rest(struct stream *s)
{
    for (int i = 0; i < LAST_READS && s->reading && read_once(s); i++)
        ;
}

void stream_ready(struct stream *s, unsigned events)
{
    if ((events & WATCH_WRITE) && s->blocked && !s->closing) {
        s->blocked = false;
        stream_flush(s);
    }
    if ((events & WATCH_HANGUP) && s->paused && !s->closing && !s->error)
        end(s, NULL);
    if ((events & WATCH_READ) && s->reading)
        read_once(s);
}

/* ---- the end ---------------------------------------------------------------------------- */

void stream_shut(struct stream *s)
{
    if (s->shutting)
        return;
    s->shutting = true;
    if (!s->blocked)
        stream_flush(s);
}

void stream_break(struct stream *s)
{
    if (!s->error && !s->closing)
        broken(s, -EPIPE);
}

void stream_close(struct stream *s)
{
    if (s->closing)
        return;
    loop_unpost(s->loop, &s->flush);
    loop_unpost(s->loop, &s->failed);
    loop_unpost(s->loop, &s->room);
    buf_fini(&s->out);
    s->sent = 0;
    s->closing = true;
    s->kind->close(s);
}

void stream_closed(struct stream *s)
{
    s->events->on_closed(s);
}
