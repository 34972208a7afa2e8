/*
 * http_intake.c - parse the bytes of a connection, and pass requests to their handlers.
 *
 * Requests are read in a loop, never by recursion: a handler that answers at once returns into
 * advance(), which continues with the next request; one that answers later posts `again` if the
 * next request has already arrived.
 *
 * While a request is served, reading continues until a part of the next one has arrived. Then it
 * pauses, so that a client cannot make us buffer many requests; the kernel still reports if the
 * client disconnects.
 */
#include "base/container.h"
#include "wire/http_conn.h"

#include <stdio.h>

/* More than one read of the loop can bring, on top of a head. */
enum { READ_AHEAD = 128 << 10 };

void http_intake_init(struct http_conn *c)
{
    buf_init(&c->in, (size_t)c->server->limits->http_head_bytes + READ_AHEAD);
}

/* ---- saying no --------------------------------------------------------------------------- */

bool http_intake_may_go_on(const struct http_conn *c)
{
    return (c->state == HTTP_CONN_IDLE || c->state == HTTP_CONN_HEAD) && !c->choked;
}

bool http_intake_turn_down(struct http_conn *c, struct http_exchange *x,
                           const struct http_refusal *no, bool keep)
{
    keep = keep && !c->server->draining;
    c->x = NULL;
    http_answer_refusal(c, x, no, keep);
    if (x)
        http_exchange_free(x);
    http_conn_answered(c, keep);
    return http_intake_may_go_on(c);
}

/* The bound that was passed, or -1. */
static int64_t passed_limit(const struct limits *l, enum http1_reason why)
{
    if (why == HTTP1_TARGET_LONG)
        return l->http_target_bytes;
    if (why == HTTP1_HEAD_LONG || why == HTTP1_TRAILER_LONG)
        return l->http_head_bytes;
    if (why == HTTP1_HEADER_COUNT)
        return l->http_headers;
    return why == HTTP1_BODY_LONG ? l->message_bytes : -1;
}

/* Where this request ends cannot be known, so the connection ends with it. */
static bool turn_down_for(struct http_conn *c, struct http_exchange *x, enum http1_reason why)
{
    struct http_refusal no = { .status = http1_status(why) };
    int64_t limit = passed_limit(c->server->limits, why);

    if (limit < 0)
        snprintf(no.text, sizeof(no.text), "%s", http1_text(why));
    else
        snprintf(no.text, sizeof(no.text), "%s; the limit is %lld", http1_text(why),
                 (long long)limit);
    return http_intake_turn_down(c, x, &no, false);
}

/* ---- the body, the handler --------------------------------------------------------------- */

static bool serve(struct http_conn *c)
{
    struct http_exchange *x = c->x;

    if (x->long_body.n)
        x->req.body = buf_str(&x->long_body);
    x->served = true;
    http_conn_go(c, HTTP_CONN_SERVING);
    x->handler(&x->req); /* may answer at once: x is not to be used any more */
    return http_intake_may_go_on(c);
}

/* All request bodies together are bounded too: a crowd of large ones is turned away. */
static bool add_body(struct http_conn *c, struct http_exchange *x, struct str data)
{
    if (!x->body.chunked && !x->body.left && !x->long_body.n) {
        x->req.body = arena_str(&x->req.mem, data);
        return true;
    }
    if (c->server->body_bytes + (int64_t)data.n > c->server->limits->http_bodies_bytes)
        return false;
    c->server->body_bytes += (int64_t)data.n;
    return buf_put(&x->long_body, data);
}

static bool read_body(struct http_conn *c, struct str *rest)
{
    static const struct http_refusal crowd = { .status = 503,
                                               .text =
                                                   "too many large requests at once; try again" };
    struct http_exchange *x = c->x;
    enum http1_reason why;
    struct str data;

    for (;;) {
        switch (http1_body_read(&x->body, rest, &data, &why)) {
        case HTTP1_MORE: return false;
        case HTTP1_DATA:
            if (!add_body(c, x, data))
                return http_intake_turn_down(c, x, &crowd, false);
            break;
        case HTTP1_DONE: return serve(c);
        case HTTP1_REFUSED: return turn_down_for(c, x, why);
        }
    }
}

/* ---- the head ---------------------------------------------------------------------------- */

static void describe(struct http_exchange *x, const struct http1_head *head,
                     const struct http_entry *entry)
{
    const struct http_gate_route *route = entry->route;

    x->req.rest = route->more ? str_skip(head->path, route->path.n) : STR_NONE;
    x->handler = route->handler;
    x->req.key = entry->key;
}

static void take_over(struct http_exchange *x, const struct http1_head *head)
{
    x->req.method = head->method;
    x->req.path = head->path;
    x->req.query = head->query;
    x->req.header = head->header;
    x->req.headers = head->headers;
    x->head_only = str_eq(head->method, STR("HEAD"));
    x->old = head->minor == 0;
    x->keep_alive = head->keep_alive;
}

/* A request that is turned away before its body came would leave the body in the way. */
static bool is_bare(const struct http1_head *head)
{
    return !head->chunked && !head->length;
}

/* Nothing is decoded here: a handler that saw packed bytes would take them for the message. */
static bool is_encoded(const struct http1_head *head)
{
    for (size_t i = 0; i < head->headers; i++)
        if (str_eq_nocase(head->header[i].name, STR("content-encoding")) &&
            !str_eq_nocase(str_trim(head->header[i].value), STR("identity")))
            return true;
    return false;
}

static bool admit(struct http_conn *c, struct http_exchange *x, const struct http1_head *head,
                  struct str *rest)
{
    static const struct http_refusal encoded = {
        .status = 415, .text = "Content-Encoding: only identity is accepted; send the body unpacked"
    };
    const struct http_peer peer = { .remote = { c->names, c->remote_n },
                                    .local = { c->names + c->remote_n, c->local_n },
                                    .loopback = c->loopback,
                                    .any_host = c->any_host,
                                    .has_uid = c->has_uid,
                                    .uid = c->uid };
    struct http_entry entry;
    struct http_refusal no;
    enum http1_reason why;

    take_over(x, head);
    if (!http_gate_pass(&c->server->gate, head, &peer, &entry, &no))
        return http_intake_turn_down(c, x, &no, x->keep_alive && is_bare(head));
    if (is_encoded(head))
        return http_intake_turn_down(c, x, &encoded, x->keep_alive && is_bare(head));
    if (!http1_body_begin(&x->body, head, c->server->limits, &why))
        return turn_down_for(c, x, why);
    describe(x, head, &entry);
    c->x = x;
    http_conn_go(c, HTTP_CONN_BODY);
    if (head->expect_continue && !is_bare(head) && !rest->n)
        http_answer_continue(c);
    return read_body(c, rest);
}

/* The head is complete: move it into the request's own memory and take it apart there. */
static bool begin_request(struct http_conn *c, struct str *rest)
{
    struct http_exchange *x = http_exchange_new(c);
    struct str bytes = arena_str(&x->req.mem, str_head(*rest, c->scan.at));
    struct http_header *header =
        arena_alloc(&x->req.mem, c->scan.lines * sizeof(struct http_header));
    struct http1_head head;
    enum http1_reason why;

    *rest = str_skip(*rest, c->scan.at);
    c->scan = (struct http1_scan){ 0 };
    if (!http1_head_read(bytes, c->server->limits, header, &head, &why))
        return turn_down_for(c, x, why);
    return admit(c, x, &head, rest);
}

static bool read_head(struct http_conn *c, struct str *rest)
{
    enum http1_reason why;

    switch (http1_head_end(&c->scan, *rest, c->server->limits, &why)) {
    case HTTP1_REFUSED: return turn_down_for(c, NULL, why);
    case HTTP1_DONE: return begin_request(c, rest);
    case HTTP1_MORE:
    case HTTP1_DATA: break;
    }
    if (c->state == HTTP_CONN_IDLE)
        http_conn_go(c, HTTP_CONN_HEAD);
    return false;
}

/* ---- what arrives ------------------------------------------------------------------------ */

/* Take one step with what is here. False when nothing more can be done with it now. */
static bool step(struct http_conn *c, struct str *rest)
{
    switch ((enum http_conn_state)c->state) {
    case HTTP_CONN_IDLE:
    case HTTP_CONN_HEAD: return http_intake_may_go_on(c) && read_head(c, rest);
    case HTTP_CONN_BODY: return read_body(c, rest);
    case HTTP_CONN_SERVING:
    case HTTP_CONN_LINGER:
    case HTTP_CONN_CLOSED: break;
    }
    return false;
}

static void keep_rest(struct http_conn *c, struct str rest)
{
    if (c->in.n)
        buf_consume(&c->in, c->in.n - rest.n);
    else if (rest.n)
        buf_put(&c->in, rest);
    if (!c->in.n)
        buf_fini(&c->in);
}

static void set_paused(struct http_conn *c, bool paused)
{
    if (paused && !c->io->paused)
        stream_pause(c->io);
    else if (!paused && c->io->paused)
        stream_resume(c->io);
}

static void advance(struct http_conn *c, struct str bytes)
{
    c->busy = true;
    while (bytes.n && step(c, &bytes))
        ;
    c->busy = false;
    if (c->state == HTTP_CONN_LINGER || c->state == HTTP_CONN_CLOSED)
        return;
    keep_rest(c, bytes);
    if (c->half_closed && !c->choked && c->state != HTTP_CONN_SERVING) { /* no more will come */
        http_conn_linger(c);
        return;
    }
    set_paused(c, c->in.n && (c->state == HTTP_CONN_SERVING || c->choked));
    http_conn_arm(c);
}

void http_intake_bytes(struct stream *io, struct str bytes)
{
    struct http_conn *c = io->owner;

    if (c->state == HTTP_CONN_LINGER)
        return;
    if (c->in.n) {
        if (!buf_put(&c->in, bytes)) { /* reading was paused long before */
            http_conn_close(c);
            return;
        }
        bytes = buf_str(&c->in);
    }
    advance(c, bytes);
}

void http_intake_again(struct post *p)
{
    struct http_conn *c = CONTAINER_OF(p, struct http_conn, again);

    advance(c, buf_str(&c->in));
}
