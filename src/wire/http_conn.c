/*
 * http_conn.c - one connection: its states (see http_server.h), deadlines and end.
 *
 * One timer serves all deadlines. It is set again only if it would fire too late, so a request that
 * is answered at once does not change it.
 */
#include "wire/http_conn.h"

#include "base/container.h"
#include "base/mem.h"

#include <stdio.h>

/*
 * When a client that stopped sending is probed again, in ms after the last probe: a reset arrives
 * at once from this machine, later from others.
 */
static const uint16_t probe_ms[] = { 1, 50, 1000 };

void http_conn_go(struct http_conn *c, enum http_conn_state to)
{
    c->state = to;
    c->since = loop_now(c->server->loop);
}

/* ---- deadlines --------------------------------------------------------------------------- */

/* The answer to HEAD is complete with its head: what the handler still does is of no use. */
static bool is_over(const struct http_exchange *x)
{
    return x->head_only && x->answer != HTTP_ANSWER_NONE;
}

/* The handler wants to know, once, that it has been silent for long. */
static bool wants_quiet(const struct http_exchange *x, const struct limits *l)
{
    return x->answer == HTTP_ANSWER_NONE && x->req.on_quiet && !x->told_quiet &&
           l->sse_keepalive_ms < l->http_request_ms;
}

static int64_t serving_ms(const struct http_exchange *x, const struct limits *l)
{
    if (is_over(x))
        return l->http_linger_ms;
    return x->answer == HTTP_ANSWER_EVENTS || wants_quiet(x, l) ? l->sse_keepalive_ms
                                                                : l->http_request_ms;
}

/* How long the state may last. While something waits to be sent, that comes first. */
static int64_t allowed_ms(const struct http_conn *c)
{
    const struct limits *l = c->server->limits;
    bool sending = stream_backlog(c->io) > 0;

    switch ((enum http_conn_state)c->state) {
    case HTTP_CONN_IDLE: return sending ? l->http_request_ms : l->http_idle_ms;
    case HTTP_CONN_HEAD: return l->http_head_ms;
    case HTTP_CONN_BODY: return l->http_body_ms;
    case HTTP_CONN_SERVING: return serving_ms(c->x, l);
    case HTTP_CONN_LINGER: return sending ? l->http_request_ms : l->http_linger_ms;
    case HTTP_CONN_CLOSED: break;
    }
    return 0;
}

static int64_t stuck_at(const struct http_conn *c)
{
    return c->io->moved_at + c->server->limits->http_write_ms;
}

/* When something must happen if nothing does. */
static int64_t due(const struct http_conn *c)
{
    int64_t at = c->since + allowed_ms(c);

    if (c->probe_at && c->probe_at < at)
        at = c->probe_at;
    return stream_backlog(c->io) && stuck_at(c) < at ? stuck_at(c) : at;
}

static void on_timer(struct timer *t);

void http_conn_arm(struct http_conn *c)
{
    int64_t at = due(c);

    if (!timer_is_set(&c->timer) || c->timer.due > at)
        timer_set(c->server->loop, &c->timer, at - loop_now(c->server->loop), on_timer);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* The client will hear no more about its request. */
static void lose_request(struct http_conn *c)
{
    struct http_exchange *x = c->x;

    if (!x)
        return;
    c->x = NULL;
    http_exchange_detach(x);
    if (!x->served)
        http_exchange_free(x);
    else if (x->req.on_gone)
        x->req.on_gone(&x->req);
}

static void drop_input(struct http_conn *c)
{
    loop_unpost(c->server->loop, &c->again);
    buf_fini(&c->in);
}

void http_conn_close(struct http_conn *c)
{
    if (c->state == HTTP_CONN_CLOSED)
        return;
    http_conn_go(c, HTTP_CONN_CLOSED);
    drop_input(c);
    timer_clear(c->server->loop, &c->timer);
    stream_close(c->io);
    lose_request(c);
}

void http_conn_linger(struct http_conn *c)
{
    http_conn_go(c, HTTP_CONN_LINGER);
    drop_input(c);
    stream_shut(c->io);
    stream_tell_room(c->io);
    stream_resume(c->io);
    http_conn_arm(c);
    lose_request(c);
}

static void leave_server(struct http_conn *c)
{
    struct http_server *s = c->server;

    if (c->prev)
        c->prev->next = c->next;
    else
        s->conns = c->next;
    if (c->next)
        c->next->prev = c->prev;
    s->count--;
    mem_free(c);
    http_server_one_less(s);
}

static void on_conn_closed(struct stream *io)
{
    struct http_conn *c = io->owner;

    if (c->release)
        c->release(io);
    leave_server(c);
}

/* ---- a client that sends no more --------------------------------------------------------- */

/* Is there a complete request without a response? */
static bool owes_answer(const struct http_conn *c)
{
    if (c->state == HTTP_CONN_SERVING)
        return !is_over(c->x);
    return c->state == HTTP_CONN_IDLE && c->in.n > 0;
}

/* Send bytes without meaning: a client that has disconnected rejects them, which the next write
 * reports. */
static void probe(struct http_conn *c)
{
    const struct http_exchange *x = c->x;

    if (x && x->answer == HTTP_ANSWER_NONE && !x->old)
        http_answer_continue(c);
    else if (x && x->answer == HTTP_ANSWER_EVENTS)
        http_answer_comment(c->x);
    stream_tell_room(c->io);
    c->probe_at = 0;
    if (c->probes < ARRAY_LEN(probe_ms))
        c->probe_at = loop_now(c->server->loop) + probe_ms[c->probes++];
    http_conn_arm(c);
}

/*
 * A client that shuts one direction waits for answers; one that closes the connection looks the
 * same to us. So the request is still served, and probes tell them apart.
 */
static void half_close(struct http_conn *c)
{
    c->half_closed = true;
    probe(c);
}

static void on_conn_end(struct stream *io, const struct err *e)
{
    struct http_conn *c = io->owner;
    bool sending = !e && stream_backlog(io);

    if (!e && owes_answer(c))
        half_close(c);
    else if (!sending)
        http_conn_close(c);
    else if (c->state != HTTP_CONN_LINGER) /* it may still read what we owe it */
        http_conn_linger(c);
}

/* ---- what is sent ------------------------------------------------------------------------ */

void http_conn_wrote(struct http_conn *c, bool room)
{
    if (!room)
        c->choked = true;
    if (c->state == HTTP_CONN_SERVING && c->x && c->x->answer == HTTP_ANSWER_EVENTS)
        c->since = loop_now(c->server->loop);
    if (!c->busy)
        http_conn_arm(c);
}

void http_conn_answered(struct http_conn *c, bool keep)
{
    c->x = NULL;
    if (!keep || (c->half_closed && !c->in.n)) {
        http_conn_linger(c);
        return;
    }
    http_conn_go(c, HTTP_CONN_IDLE);
    if (c->busy)
        return;
    if (c->in.n && !c->choked)
        loop_post(c->server->loop, &c->again);
    http_conn_arm(c);
}

static void on_room(struct stream *io)
{
    struct http_conn *c = io->owner;
    struct http_exchange *x = c->x;

    if (c->state == HTTP_CONN_LINGER) {
        c->since = loop_now(c->server->loop);
        if (io->ended)
            http_conn_close(c);
        else
            http_conn_arm(c);
        return;
    }
    if (c->half_closed && io->error) {
        http_conn_close(c);
        return;
    }
    c->choked = false;
    if (c->in.n && http_intake_may_go_on(c))
        loop_post(c->server->loop, &c->again);
    if (!x || !x->owes_room)
        return;
    x->owes_room = false;
    if (x->req.on_room)
        x->req.on_room(&x->req);
}

/* ---- time passes ------------------------------------------------------------------------- */

static void too_late(struct http_conn *c, int status, const char *what)
{
    struct http_refusal no = { .status = status };
    struct http_exchange *x = c->x;

    snprintf(no.text, sizeof(no.text), "%s", what);
    http_answer_refusal(c, x, &no, false);
    http_conn_linger(c);
}

static void serving_late(struct http_conn *c)
{
    if (is_over(c->x)) {
        http_conn_close(c);
        return;
    }
    if (wants_quiet(c->x, c->server->limits)) {
        c->x->told_quiet = true;
        c->x->req.on_quiet(&c->x->req);
        if (c->state == HTTP_CONN_SERVING)
            http_conn_arm(c);
        return;
    }
    switch ((enum http_answer_state)c->x->answer) {
    case HTTP_ANSWER_NONE: too_late(c, 504, "the response took too long"); break;
    case HTTP_ANSWER_WHOLE: http_conn_close(c); break;
    case HTTP_ANSWER_EVENTS:
        if (!stream_backlog(c->io))
            http_answer_comment(c->x);
        c->since = loop_now(c->server->loop);
        http_conn_arm(c);
        break;
    }
}

static void on_timer(struct timer *t)
{
    struct http_conn *c = CONTAINER_OF(t, struct http_conn, timer);
    int64_t now = loop_now(c->server->loop);

    if (now < due(c)) {
        http_conn_arm(c);
        return;
    }
    if (c->probe_at && now >= c->probe_at) {
        probe(c);
        return;
    }
    if (stream_backlog(c->io) && now >= stuck_at(c)) {
        http_conn_close(c);
        return;
    }
    switch ((enum http_conn_state)c->state) {
    case HTTP_CONN_IDLE:
    case HTTP_CONN_LINGER: http_conn_close(c); break;
    case HTTP_CONN_HEAD: too_late(c, 408, "the head of the request took too long"); break;
    case HTTP_CONN_BODY: too_late(c, 408, "the body of the request took too long"); break;
    case HTTP_CONN_SERVING: serving_late(c); break;
    case HTTP_CONN_CLOSED: break;
    }
}

/* ---- for the server ---------------------------------------------------------------------- */

static const struct stream_events conn_events = { http_intake_bytes, on_conn_end, on_room,
                                                  on_conn_closed };

static void join_server(struct http_conn *c)
{
    struct http_server *s = c->server;

    c->next = s->conns;
    if (c->next)
        c->next->prev = c;
    s->conns = c;
    s->count++;
}

/* With the names in its tail. */
static struct http_conn *new_conn(const struct http_peer *peer)
{
    struct str remote = str_head(peer->remote, 63), local = str_head(peer->local, 63);
    struct http_conn *c = mem_zero(sizeof(*c) + remote.n + local.n);

    c->loopback = peer->loopback;
    c->any_host = peer->any_host;
    c->has_uid = peer->has_uid;
    c->uid = peer->uid;
    c->remote_n = (uint8_t)remote.n;
    c->local_n = (uint8_t)local.n;
    if (remote.n)
        memcpy(c->names, remote.p, remote.n);
    if (local.n)
        memcpy(c->names + remote.n, local.p, local.n);
    return c;
}

void http_conn_open(struct http_server *s, struct stream *io, const struct http_peer *peer,
                    void (*release)(struct stream *io), bool one_too_many)
{
    static const struct http_refusal full = { .status = 503,
                                              .text = "there are too many connections; try again" };
    struct http_conn *c = new_conn(peer);

    c->server = s;
    c->io = io;
    c->release = release;
    c->again.fn = http_intake_again;
    http_intake_init(c);
    io->events = &conn_events;
    io->owner = c;
    join_server(c);
    http_conn_go(c, HTTP_CONN_IDLE);
    stream_start(io);
    if (one_too_many)
        http_intake_turn_down(c, NULL, &full, false);
    else
        http_conn_arm(c);
}

void http_conn_drain(struct http_conn *c)
{
    switch ((enum http_conn_state)c->state) {
    case HTTP_CONN_IDLE:
        if (stream_backlog(c->io))
            http_conn_linger(c);
        else
            http_conn_close(c);
        break;
    case HTTP_CONN_SERVING:
        if (c->x->answer == HTTP_ANSWER_EVENTS && !c->x->req.ends) {
            http_answer_last(c->x);
            http_conn_linger(c);
        }
        break;
    case HTTP_CONN_HEAD:
    case HTTP_CONN_BODY:
    case HTTP_CONN_LINGER:
    case HTTP_CONN_CLOSED: break;
    }
}
