/* Streams: over a scripted carrier where exactness matters, over real descriptors else. */
#include "loop/fd_stream.h"

#include "tap.h"
#include "until.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 4 << 20, HIGH_WATER = 256 << 10 };

/* ---- an owner that writes down what it is told -------------------------------------------- */

struct owner {
    struct stream *s;
    char *got;
    size_t n, room;
    int ends, rooms, closes;
    enum err_code end_code;
    bool inside; /* a call of ours is on the stack: nothing may be told now */
    bool closes_on_bytes, closes_on_end, closes_on_room, pauses_on_bytes;
    bool ended; /* for until() */
    bool closed;
};

static void on_bytes(struct stream *s, struct str bytes)
{
    struct owner *o = s->owner;

    OK(!o->inside && !o->closes && !o->ends);
    if (o->room < o->n + bytes.n) {
        o->room = (o->n + bytes.n) * 2;
        o->got = realloc(o->got, o->room);
    }
    memcpy(o->got + o->n, bytes.p, bytes.n);
    o->n += bytes.n;
    if (o->pauses_on_bytes)
        stream_pause(s);
    if (o->closes_on_bytes)
        stream_close(s);
}

static void on_end(struct stream *s, const struct err *e)
{
    struct owner *o = s->owner;

    OK(!o->inside && !o->closes);
    o->ends++;
    o->ended = true;
    o->end_code = e ? e->code : ERR_NONE;
    if (o->closes_on_end)
        stream_close(s);
}

static void on_room(struct stream *s)
{
    struct owner *o = s->owner;

    OK(!o->inside && !o->closes);
    o->rooms++;
    if (o->closes_on_room)
        stream_close(s);
}

static void on_closed(struct stream *s)
{
    struct owner *o = s->owner;

    OK(!o->inside);
    o->closes++;
    o->closed = true;
}

static const struct stream_events events = { on_bytes, on_end, on_room, on_closed };

static bool owner_has(const struct owner *o, const char *text)
{
    return o->n == strlen(text) && (o->n == 0 || memcmp(o->got, text, o->n) == 0);
}

static void owner_forget(struct owner *o)
{
    o->n = 0;
}

/* ---- a carrier that does as it is told ---------------------------------------------------- */

struct wire {
    struct stream s; /* first */
    struct owner owner;
    struct buf wrote;
    size_t budget;      /* bytes it takes before EAGAIN */
    size_t most;        /* bytes it takes per call; 0: any */
    int write_error;    /* negative errno to answer instead */
    struct str to_read; /* what read() yields; then read_end */
    ssize_t read_end;
    int writes, shuts;
    unsigned wanted;
    struct post closed;
};

static struct wire *wire_of(struct stream *s)
{
    return CONTAINER_OF(s, struct wire, s);
}

static ssize_t wire_read(struct stream *s, char *to, size_t room)
{
    struct wire *w = wire_of(s);
    size_t n = w->to_read.n < room ? w->to_read.n : room;

    if (!n)
        return w->read_end;
    memcpy(to, w->to_read.p, n);
    w->to_read = str_skip(w->to_read, n);
    return (ssize_t)n;
}

static ssize_t wire_write(struct stream *s, const struct iovec *iov, int n)
{
    struct wire *w = wire_of(s);
    size_t took = 0, most = w->most && w->most < w->budget ? w->most : w->budget;

    w->writes++;
    if (w->write_error)
        return w->write_error;
    for (int i = 0; i < n && took < most; i++) {
        size_t cut = iov[i].iov_len < most - took ? iov[i].iov_len : most - took;

        buf_put(&w->wrote, (struct str){ iov[i].iov_base, cut });
        took += cut;
    }
    w->budget -= took;
    return took ? (ssize_t)took : -EAGAIN;
}

static void wire_want(struct stream *s, unsigned wanted)
{
    wire_of(s)->wanted = wanted;
}

static void wire_shut(struct stream *s)
{
    wire_of(s)->shuts++;
}

static void on_wire_closed(struct post *p)
{
    stream_closed(&CONTAINER_OF(p, struct wire, closed)->s);
}

static void wire_close(struct stream *s)
{
    wire_of(s)->closed.fn = on_wire_closed;
    loop_post(s->loop, &wire_of(s)->closed);
}

static const struct stream_kind wire_kind = {
    "wire", wire_read, wire_write, wire_want, wire_shut, wire_close,
};

static struct wire *wire_new(struct loop *loop, size_t budget, size_t backlog)
{
    struct wire *w = calloc(1, sizeof(*w));

    buf_init(&w->wrote, 64 << 20);
    w->budget = budget;
    w->read_end = -EAGAIN;
    stream_init(&w->s, &wire_kind, loop, &events, &w->owner, backlog);
    stream_start(&w->s);
    return w;
}

static void wire_end(struct wire *w)
{
    struct loop *loop = w->s.loop;

    stream_close(&w->s);
    while (loop_run_once(loop))
        ;
    EQ(w->owner.closes, 1);
    buf_fini(&w->wrote);
    free(w->owner.got);
    free(w);
    loop_free(loop);
}

/* Write from "inside a call of the owner". */
static bool put(struct wire *w, struct str bytes)
{
    bool more;

    w->owner.inside = true;
    more = stream_put(&w->s, bytes);
    w->owner.inside = false;
    return more;
}

static struct str blob(size_t n)
{
    static char bytes[8 << 20];

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(i * 31 + (i >> 8) * 7);
    return (struct str){ bytes, n };
}

/* Let the carrier take n bytes more and say so. */
static void give_room(struct wire *w, size_t n)
{
    w->budget = n;
    if (w->wanted & WATCH_WRITE)
        stream_ready(&w->s, WATCH_WRITE);
}

TEST(what_a_turn_writes_goes_out_in_one_call)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 1000, BACKLOG);
    struct str pieces[] = { STR("three "), STR("pieces"), STR("\n") };

    OK(put(w, STR("one ")));
    OK(put(w, STR("two ")));
    OK(stream_write(&w->s, pieces, 3));
    EQ(w->writes, 0);
    loop_run_once(w->s.loop);
    EQ(w->writes, 1);
    EQ_S(buf_str(&w->wrote), "one two three pieces\n");
    OK(!w->s.out.p); /* idle: no buffer */
    wire_end(w);
}

TEST(short_writes_keep_the_order)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 3, BACKLOG);

    put(w, STR("abcdefgh"));
    loop_run_once(w->s.loop);
    EQ_S(buf_str(&w->wrote), "abc");
    EQ(stream_backlog(&w->s), 5);
    EQ(w->wanted, WATCH_READ | WATCH_WRITE);
    put(w, STR("ijkl")); /* waits behind */
    loop_run_once(w->s.loop);
    give_room(w, 4);
    EQ_S(buf_str(&w->wrote), "abcdefg");
    w->most = 1;
    give_room(w, 100);
    EQ_S(buf_str(&w->wrote), "abcdefghijkl");
    EQ(w->wanted, WATCH_READ);
    OK(!w->s.out.p);
    wire_end(w);
}

TEST(a_large_piece_goes_out_at_once_and_only_the_rest_waits)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 50000, BACKLOG);
    struct str big = blob(100000);

    put(w, STR("head"));
    put(w, big);
    EQ(w->wrote.n, 50000); /* head first, then as much as fits */
    EQ(stream_backlog(&w->s), 50004);
    loop_run_once(w->s.loop);
    give_room(w, 1 << 20);
    EQ(w->wrote.n, 100004);
    OK(memcmp(w->wrote.p, "head", 4) == 0 && memcmp(w->wrote.p + 4, big.p, big.n) == 0);
    wire_end(w);
}

TEST(random_writes_through_a_random_carrier_arrive_whole)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);
    struct str all = blob(1 << 20);
    size_t at = 0;
    uint32_t seed = 99;

    while (at < all.n) {
        size_t n;

        seed = seed * 1664525u + 1013904223u;
        n = (seed >> 8) % (seed & 64 ? 60000 : 300);
        n = n < all.n - at ? n : all.n - at;
        put(w, (struct str){ all.p + at, n });
        at += n;
        if (seed & 128)
            loop_run_once(w->s.loop);
        give_room(w, (seed >> 4) % 40000);
    }
    loop_run_once(w->s.loop);
    give_room(w, all.n);
    loop_run_once(w->s.loop);
    OK(w->wrote.n == all.n && memcmp(w->wrote.p, all.p, all.n) == 0);
    wire_end(w);
}

TEST(back_pressure_is_asked_for_and_lifted_once)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    OK(put(w, blob(HIGH_WATER)));
    OK(!put(w, STR("x")));
    OK(!put(w, STR("y")));
    give_room(w, HIGH_WATER);
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 0); /* two bytes still wait */
    give_room(w, 100);
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 1);
    OK(put(w, STR("z")));
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 1);
    wire_end(w);
}

/* The backlog goes while the owner is inside a call of its own: on_room must wait. */
TEST(room_is_never_told_from_inside_a_call)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    put(w, blob(HIGH_WATER + 1));
    OK(w->s.owes_room);
    w->budget = 64 << 20; /* and nobody has said so */
    w->owner.inside = true;
    stream_flush(&w->s);
    w->owner.inside = false;
    EQ(stream_backlog(&w->s), 0);
    EQ(w->owner.rooms, 0);
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 1);
    wire_end(w);
}

/* The other side can begin with the first answers while we work on the next. */
TEST(a_few_kilobytes_do_not_wait_for_the_end_of_the_turn)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 64 << 20, BACKLOG);

    put(w, blob(1000));
    put(w, blob(1000));
    EQ(w->writes, 0);
    put(w, blob(1000));
    EQ(w->writes, 1);
    EQ(w->wrote.n, 3000);
    put(w, blob(10));
    loop_run_once(w->s.loop);
    EQ(w->writes, 2);
    wire_end(w);
}

TEST(the_owner_may_close_inside_on_room)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->owner.closes_on_room = true;
    put(w, blob(HIGH_WATER + 1));
    give_room(w, BACKLOG);
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 1);
    EQ(w->owner.closes, 1);
    wire_end(w);
}

TEST(a_reader_that_never_reads_ends_the_stream)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, 100000);

    OK(put(w, blob(60000)));
    OK(put(w, blob(40000)));
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 0); /* exactly the limit is fine */
    put(w, STR("x"));
    EQ(w->owner.ends, 0);
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_LIMIT);
    put(w, blob(60000)); /* taken and forgotten */
    EQ(stream_backlog(&w->s), 0);
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 1);
    wire_end(w);
}

TEST(only_what_waits_counts_against_the_backlog)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, 100000);

    put(w, blob(90000));
    loop_run_once(w->s.loop);
    give_room(w, 40000); /* 50000 wait; less than half of the buffer is sent */
    put(w, blob(50000));
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 0);
    EQ(stream_backlog(&w->s), 100000);
    give_room(w, 100000);
    EQ(w->wrote.n, 140000);
    wire_end(w);
}

TEST(a_broken_carrier_is_told_once_from_the_loop)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->write_error = -EPIPE;
    put(w, blob(100000)); /* direct */
    EQ(w->owner.ends, 0);
    put(w, STR("more"));
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_CLOSED);
    EQ(w->writes, 1);
    wire_end(w);
}

TEST(the_last_words_of_a_reader_that_left_are_heard)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->write_error = -EPIPE;
    w->to_read = STR("an answer, sent before it left");
    put(w, STR("a question too many"));
    loop_run_once(w->s.loop);
    EQ_S(((struct str){ w->owner.got, w->owner.n }), "an answer, sent before it left");
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_CLOSED);
    wire_end(w);
}

/* Both directions end at once: the owner must know that its words were lost. */
TEST(a_broken_write_is_told_though_reading_has_ended_too)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->write_error = -EPIPE;
    w->read_end = 0;
    put(w, blob(100000));            /* breaks at once */
    stream_ready(&w->s, WATCH_READ); /* and the end is seen before that is told */
    loop_run_once(w->s.loop);
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_CLOSED);
    wire_end(w);
}

TEST(who_waits_for_room_is_told_though_writing_breaks_after_the_end)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    OK(!put(w, blob(HIGH_WATER + 1)));
    w->read_end = 0;
    stream_ready(&w->s, WATCH_READ);
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_NONE);
    w->write_error = -EPIPE;
    stream_ready(&w->s, WATCH_WRITE);
    EQ(w->owner.rooms, 0);
    loop_run_once(w->s.loop);
    EQ(w->owner.rooms, 1);
    EQ(w->owner.ends, 1);
    wire_end(w);
}

TEST(the_owner_may_close_while_hearing_last_words)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->write_error = -EPIPE;
    w->to_read = STR("bye");
    w->owner.closes_on_bytes = true;
    put(w, STR("x"));
    while (loop_run_once(w->s.loop))
        ;
    EQ(w->owner.ends, 0);
    EQ(w->owner.closes, 1);
    wire_end(w);
}

TEST(shut_waits_for_the_backlog_and_refuses_what_follows)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 2, BACKLOG);

    put(w, STR("abcd"));
    loop_run_once(w->s.loop);
    w->owner.inside = true;
    stream_shut(&w->s);
    stream_shut(&w->s);
    w->owner.inside = false;
    EQ(w->shuts, 0);
    put(w, STR("not any more"));
    give_room(w, 100);
    EQ(w->shuts, 1);
    EQ_S(buf_str(&w->wrote), "abcd");
    w->to_read = STR("still read");
    stream_ready(&w->s, WATCH_READ);
    OK(owner_has(&w->owner, "still read"));
    wire_end(w);
}

TEST(a_read_error_ends_the_stream_with_its_reason)
{
    struct wire *w = wire_new(loop_new(LOOP_FAKE_CLOCK), 0, BACKLOG);

    w->read_end = -ECONNRESET;
    stream_ready(&w->s, WATCH_READ);
    EQ(w->owner.ends, 1);
    EQ(w->owner.end_code, ERR_CLOSED);
    EQ(w->wanted & WATCH_READ, 0);
    wire_end(w);
}

/* ---- real descriptors --------------------------------------------------------------------- */

/* Two streams that face each other, over a socket pair or two pipes. */
struct pairing {
    struct loop *loop;
    union {
        struct sock_stream sock;
        struct pipe_stream pipe;
    } a, b;
    struct stream *as, *bs;
    struct owner ao, bo;
};

static void pairing_socks(struct pairing *p)
{
    int fd[2];

    EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fd), 0);
    sock_stream_open(&p->a.sock, p->loop, fd[0], &events, &p->ao, BACKLOG);
    sock_stream_open(&p->b.sock, p->loop, fd[1], &events, &p->bo, BACKLOG);
}

static void pairing_pipes(struct pairing *p)
{
    int ab[2], ba[2];

    EQ(pipe2(ab, O_NONBLOCK | O_CLOEXEC), 0);
    EQ(pipe2(ba, O_NONBLOCK | O_CLOEXEC), 0);
    pipe_stream_open(&p->a.pipe, p->loop, ba[0], ab[1], &events, &p->ao, BACKLOG);
    pipe_stream_open(&p->b.pipe, p->loop, ab[0], ba[1], &events, &p->bo, BACKLOG);
}

static struct pairing *pairing_new(bool pipes)
{
    struct pairing *p = calloc(1, sizeof(*p));

    p->loop = loop_new(LOOP_REAL_CLOCK);
    (pipes ? pairing_pipes : pairing_socks)(p);
    p->as = &p->a.sock.s;
    p->bs = &p->b.sock.s;
    stream_start(p->as);
    stream_start(p->bs);
    return p;
}

static void pairing_end(struct pairing *p)
{
    stream_close(p->as);
    stream_close(p->bs);
    loop_run(p->loop);
    EQ(p->ao.closes, 1);
    EQ(p->bo.closes, 1);
    loop_free(p->loop);
    free(p->ao.got);
    free(p->bo.got);
    free(p);
}

struct count {
    const struct owner *o;
    size_t n;
};

static bool has_count(void *ctx)
{
    struct count *c = ctx;

    return c->o->n >= c->n;
}

static bool until_bytes(struct pairing *p, const struct owner *o, size_t n)
{
    return until(p->loop, has_count, &(struct count){ o, n });
}

static void some_turns(struct pairing *p)
{
    for (int i = 0; i < 20; i++)
        loop_run_once(p->loop);
}

static void check_both_ways(bool pipes)
{
    struct pairing *p = pairing_new(pipes);

    stream_put(p->as, STR("to b"));
    stream_put(p->bs, STR("to a, longer"));
    OK(until_bytes(p, &p->bo, 4) && until_bytes(p, &p->ao, 12));
    OK(owner_has(&p->bo, "to b"));
    OK(owner_has(&p->ao, "to a, longer"));
    pairing_end(p);
}

TEST(bytes_travel_both_ways)
{
    check_both_ways(false);
    check_both_ways(true);
}

static void check_flood(bool pipes)
{
    struct pairing *p = pairing_new(pipes);
    struct str all = blob(3 << 20);
    int sent = 0;

    stream_pause(p->bs); /* so that it backs up */
    for (size_t at = 0; at < all.n; at += 48 << 10)
        sent += !stream_put(p->as, str_head(str_skip(all, at), 48 << 10));
    OK(sent > 0);
    some_turns(p);
    EQ(p->bo.n, 0);
    stream_resume(p->bs);
    OK(until_bytes(p, &p->bo, all.n));
    some_turns(p);
    EQ(p->ao.rooms, 1);
    OK(p->bo.n == all.n && memcmp(p->bo.got, all.p, all.n) == 0);
    pairing_end(p);
}

TEST(a_flood_waits_for_a_paused_reader_and_arrives_whole)
{
    check_flood(false);
    check_flood(true);
}

static void check_shut(bool pipes)
{
    struct pairing *p = pairing_new(pipes);

    stream_put(p->as, STR("the end"));
    stream_shut(p->as);
    OK(until(p->loop, until_true, &p->bo.ended));
    OK(owner_has(&p->bo, "the end"));
    EQ(p->bo.end_code, ERR_NONE);
    stream_put(p->bs, STR("an answer")); /* ended, but writing still works */
    OK(until_bytes(p, &p->ao, 9));
    EQ(p->ao.ends, 0);
    pairing_end(p);
}

TEST(shut_ends_one_direction_only)
{
    check_shut(false);
    check_shut(true);
}

static void check_close_inside(bool pipes)
{
    struct pairing *p = pairing_new(pipes);

    p->bo.closes_on_bytes = true;
    p->ao.closes_on_end = true;
    stream_put(p->as, blob(40000));
    OK(until(p->loop, until_true, &p->bo.closed));
    OK(p->bo.n > 0);
    EQ(p->bo.ends, 0);
    OK(until(p->loop, until_true, &p->ao.closed)); /* it learns, and closes inside on_end */
    EQ(p->ao.ends, 1);
    pairing_end(p);
}

TEST(a_stream_may_be_closed_inside_its_events)
{
    check_close_inside(false);
    check_close_inside(true);
}

TEST(a_paused_reader_may_pause_in_the_middle_and_go_on)
{
    struct pairing *p = pairing_new(true);

    p->bo.pauses_on_bytes = true;
    stream_put(p->as, STR("first"));
    OK(until_bytes(p, &p->bo, 5));
    stream_put(p->as, STR("second"));
    some_turns(p);
    OK(owner_has(&p->bo, "first"));
    owner_forget(&p->bo);
    stream_resume(p->bs);
    OK(until_bytes(p, &p->bo, 6));
    OK(owner_has(&p->bo, "second"));
    pairing_end(p);
}

TEST(a_socket_notices_a_hang_up_while_paused)
{
    struct pairing *p = pairing_new(false);

    stream_pause(p->bs);
    stream_close(p->as);
    OK(until(p->loop, until_true, &p->bo.ended));
    EQ(p->bo.end_code, ERR_NONE);
    pairing_end(p);
}

/* The writer of a pipe may leave with words still in it: a child's last answer. */
TEST(a_paused_pipe_loses_nothing_when_the_writer_leaves)
{
    struct pairing *p = pairing_new(true);

    stream_pause(p->bs);
    stream_put(p->as, STR("last words"));
    some_turns(p);
    stream_close(p->as);
    OK(until(p->loop, until_true, &p->ao.closed));
    some_turns(p);
    EQ(p->bo.ends, 0);
    stream_resume(p->bs);
    OK(until(p->loop, until_true, &p->bo.ended));
    OK(owner_has(&p->bo, "last words"));
    EQ(p->bo.end_code, ERR_NONE);
    pairing_end(p);
}

TEST(writing_to_a_reader_that_left_breaks_after_its_last_words)
{
    struct pairing *p = pairing_new(true);

    EQ(write(p->b.pipe.out, "answer", 6), 6);
    stream_close(p->bs);
    stream_put(p->as, STR("question"));
    OK(until(p->loop, until_true, &p->ao.ended));
    OK(owner_has(&p->ao, "answer"));
    EQ(p->ao.ends, 1);
    EQ(p->ao.end_code, ERR_CLOSED);
    pairing_end(p);
}

static void check_bad_descriptor(bool pipes)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct sock_stream sock;
    struct pipe_stream pair;
    struct owner o = { 0 };

    o.s = pipes ? &pair.s : &sock.s;
    if (pipes)
        pipe_stream_open(&pair, loop, 1000000, 1000001, &events, &o, BACKLOG);
    else
        sock_stream_open(&sock, loop, 1000000, &events, &o, BACKLOG);
    stream_start(o.s);
    stream_put(o.s, STR("x"));
    OK(until(loop, until_true, &o.ended));
    EQ(o.ends, 1);
    OK(o.end_code != ERR_NONE);
    stream_close(o.s);
    OK(until(loop, until_true, &o.closed));
    loop_free(loop);
}

TEST(a_descriptor_that_cannot_be_watched_ends_the_stream)
{
    check_bad_descriptor(false);
    check_bad_descriptor(true);
}

static void check_file(const char *path, const char *text)
{
    struct loop *loop = loop_new(LOOP_REAL_CLOCK);
    struct sock_stream s;
    struct owner o = { 0 };

    sock_stream_open(&s, loop, open(path, O_RDONLY | O_CLOEXEC), &events, &o, BACKLOG);
    stream_start(&s.s);
    OK(until(loop, until_true, &o.ended));
    EQ(o.end_code, ERR_NONE);
    OK(owner_has(&o, text));
    stream_close(&s.s);
    loop_run(loop);
    EQ(o.closes, 1);
    free(o.got);
    loop_free(loop);
}

TEST(a_regular_file_and_dev_null_are_read_to_their_end)
{
    char path[] = "/tmp/test_stream.XXXXXX";
    int fd = mkstemp(path);

    EQ(write(fd, "in a file", 9), 9);
    close(fd);
    check_file(path, "in a file");
    check_file("/dev/null", "");
    unlink(path);
}

/* ---- descriptors we share ----------------------------------------------------------------- */

static bool blocks(int fd)
{
    return !(fcntl(fd, F_GETFL) & O_NONBLOCK);
}

TEST(our_own_end_of_a_pipe_does_not_block_while_the_shared_one_does)
{
    int fd[2], own_in, own_out;
    struct err e;

    EQ(pipe2(fd, O_CLOEXEC), 0);
    OK(fd_own_nonblocking(fd[0], &own_in, &e));
    OK(fd_own_nonblocking(fd[1], &own_out, &e));
    OK(!blocks(own_in) && !blocks(own_out));
    OK(blocks(fd[0]) && blocks(fd[1]));
    OK(fcntl(own_in, F_GETFD) & FD_CLOEXEC);
    for (int i = 0; i < 2; i++)
        close(fd[i]);
    close(own_in);
    close(own_out);
}

TEST(a_socket_cannot_be_opened_again_and_is_made_non_blocking)
{
    int fd[2], own;
    struct err e = { 0 };

    EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
    OK(fd_own_nonblocking(fd[0], &own, &e));
    OK(!blocks(own));
    close(own);
    close(fd[0]);
    close(fd[1]);
    own = -5;
    OK(!fd_own_nonblocking(1000000, &own, &e));
    EQ(e.code, ERR_SYSTEM);
    EQ(own, -5);
}

TEST_MAIN()
