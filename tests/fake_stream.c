#include "fake_stream.h"

#include "base/container.h"

#include <assert.h>
#include <errno.h>

enum { MOST = 1 << 30, PATIENCE = 1000000 };

static struct fake_stream *fake(struct stream *s)
{
    return CONTAINER_OF(s, struct fake_stream, s);
}

/* ---- being ready ------------------------------------------------------------------------- */

static unsigned ready_for(const struct fake_stream *f)
{
    unsigned events = 0;

    if (f->sent.n || f->ended)
        events |= WATCH_READ;
    if (f->room || f->gone)
        events |= WATCH_WRITE;
    if (f->ended)
        events |= WATCH_HANGUP;
    return events & f->wanted;
}

static void look(struct fake_stream *f)
{
    if (ready_for(f) && !f->s.closing)
        loop_post(f->s.loop, &f->ready);
}

static void on_ready(struct post *p)
{
    struct fake_stream *f = CONTAINER_OF(p, struct fake_stream, ready);

    stream_ready(&f->s, ready_for(f));
    look(f);
}

/* ---- what a stream asks of its carrier --------------------------------------------------- */

static size_t at_most(size_t n, size_t most)
{
    return most && n > most ? most : n;
}

static bool hiccups(struct fake_stream *f)
{
    return f->hiccup && ++f->calls % f->hiccup == 0;
}

static ssize_t fake_read(struct stream *s, char *to, size_t room)
{
    struct fake_stream *f = fake(s);
    size_t n = at_most(f->sent.n < room ? f->sent.n : room, f->read_most);

    if (hiccups(f))
        return -EAGAIN;
    if (!n)
        return f->ended ? 0 : -EAGAIN;
    memcpy(to, f->sent.p, n);
    buf_consume(&f->sent, n);
    return (ssize_t)n;
}

static ssize_t fake_write(struct stream *s, const struct iovec *iov, int n)
{
    struct fake_stream *f = fake(s);
    size_t left = at_most(f->room, f->write_most), took = 0;

    if (f->gone)
        return -EPIPE;
    if (!left || hiccups(f))
        return -EAGAIN;
    assert(!f->shut);
    for (int i = 0; i < n && left; i++) {
        size_t part = iov[i].iov_len < left ? iov[i].iov_len : left;

        buf_put(&f->written, (struct str){ iov[i].iov_base, part });
        took += part;
        left -= part;
    }
    if (f->room != SIZE_MAX)
        f->room -= took;
    f->writes++;
    return (ssize_t)took;
}

static void fake_want(struct stream *s, unsigned events)
{
    fake(s)->wanted = events;
    look(fake(s));
}

static void fake_shut(struct stream *s)
{
    fake(s)->shut = true;
}

static void on_closing(struct post *p)
{
    struct fake_stream *f = CONTAINER_OF(p, struct fake_stream, closing);

    f->closed = true;
    stream_closed(&f->s);
}

static void fake_close(struct stream *s)
{
    loop_unpost(s->loop, &fake(s)->ready);
    loop_post(s->loop, &fake(s)->closing);
}

static const struct stream_kind fake_kind = {
    "fake", fake_read, fake_write, fake_want, fake_shut, fake_close,
};

void fake_stream_open(struct fake_stream *f, struct loop *loop, const struct stream_events *events,
                      void *owner, size_t backlog)
{
    *f = (struct fake_stream){ .room = SIZE_MAX };
    stream_init(&f->s, &fake_kind, loop, events, owner, backlog);
    buf_init(&f->sent, MOST);
    buf_init(&f->written, MOST);
    f->ready.fn = on_ready;
    f->closing.fn = on_closing;
}

void fake_stream_fini(struct fake_stream *f)
{
    buf_fini(&f->sent);
    buf_fini(&f->written);
    buf_fini(&f->s.out);
}

/* ---- the other side ---------------------------------------------------------------------- */

void fake_stream_send(struct fake_stream *f, struct str bytes)
{
    assert(!f->ended);
    buf_put(&f->sent, bytes);
    look(f);
}

void fake_stream_end(struct fake_stream *f)
{
    f->ended = true;
    look(f);
}

void fake_stream_hang_up(struct fake_stream *f)
{
    f->gone = true;
    fake_stream_end(f);
}

void fake_stream_take(struct fake_stream *f, size_t n)
{
    f->room += n;
    look(f);
}

void fake_stream_clear(struct fake_stream *f)
{
    buf_clear(&f->written);
}

/* ---- the loop ---------------------------------------------------------------------------- */

void fake_settle(struct loop *loop)
{
    for (int i = 0; loop_run_once(loop); i++)
        assert(i < PATIENCE); /* something is ready for ever and nobody deals with it */
}
