/*
 * http_answer.c - send responses.
 *
 * A head is written in one piece, on the stack if it fits, and passed to the stream together with
 * the body. So it is copied once, and all responses of a turn of the loop need one system call.
 */
#include "base/digits.h"
#include "base/mem.h"
#include "wire/http_conn.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

enum { PIECES = 14, MOST_DIGITS = 24, SMALL_HEAD = 1024 };

/* What a head says. */
struct response_head {
    int status;
    const char *type;
    const struct http_header *more;
    size_t mores;
    uint64_t length;
    bool has_length, chunked;
    const char *connection; /* NULL: nothing to say */
};

/* ---- requests ---------------------------------------------------------------------------- */

struct http_exchange *http_exchange_new(struct http_conn *c)
{
    struct http_exchange *x = mem_alloc(sizeof(*x) + c->remote_n);

    memset(x, 0, sizeof(*x));
    memcpy(x->remote, c->names, c->remote_n);
    buf_init(&x->long_body, (size_t)c->server->limits->message_bytes);
    x->req.mem = arena_pool_take(&c->server->arenas);
    x->req.remote = (struct str){ x->remote, c->remote_n };
    x->req.loopback = c->loopback;
    x->req.has_uid = c->has_uid;
    x->req.uid = c->uid;
    x->req.ctx = c->server->ctx;
    x->req.conn = c;
    return x;
}

static void free_body(struct http_exchange *x)
{
    if (x->req.conn)
        x->req.conn->server->body_bytes -= (int64_t)x->long_body.n;
    buf_fini(&x->long_body);
}

void http_exchange_detach(struct http_exchange *x)
{
    x->req.conn->server->body_bytes -= (int64_t)x->long_body.n;
    x->req.conn = NULL;
}

void http_exchange_free(struct http_exchange *x)
{
    free_body(x);
    if (x->req.conn)
        arena_pool_give(&x->req.conn->server->arenas, &x->req.mem);
    else
        arena_fini(&x->req.mem);
    mem_free(x);
}

static struct http_exchange *exchange_of(struct http_req *req)
{
    return (struct http_exchange *)req; /* its first member */
}

void http_forget_request(struct http_req *req)
{
    free_body(exchange_of(req));
    arena_fini(&req->mem);
    req->method = req->path = req->query = req->rest = req->body = STR_NONE;
    req->header = NULL;
    req->headers = 0;
}

/* ---- the head ---------------------------------------------------------------------------- */

static char *put_bytes(char *to, struct str s)
{
    if (s.n)
        memcpy(to, s.p, s.n);
    return to + s.n;
}

/* A line break in a value would let its author write our answers. */
static char *put_value(char *to, struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        to[i] = http1_is(s.p[i], HTTP1_VCHAR) ? s.p[i] : ' ';
    return to + s.n;
}

static char *put_field(char *to, struct str name, struct str value)
{
    to = put_bytes(to, name);
    to = put_bytes(to, STR(": "));
    to = put_value(to, value);
    return put_bytes(to, STR("\r\n"));
}

/* A browser must neither guess the type of an answer nor show it as a page of its own. */
#define SAFE_HEADERS                                                                               \
    "X-Content-Type-Options: nosniff\r\n"                                                          \
    "X-Frame-Options: DENY\r\n"                                                                    \
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"

static size_t head_room(const struct response_head *h)
{
    size_t n = 256 + sizeof(SAFE_HEADERS) + (h->type ? strlen(h->type) : 0);

    for (size_t i = 0; i < h->mores; i++)
        n += h->more[i].name.n + h->more[i].value.n + 4;
    return n;
}

static char *put_length(char *to, const struct response_head *h)
{
    if (h->chunked)
        return put_bytes(to, STR("Transfer-Encoding: chunked\r\n"));
    if (!h->has_length)
        return to;
    to = put_bytes(to, STR("Content-Length: "));
    to += digits_put(to, h->length);
    return put_bytes(to, STR("\r\n"));
}

static struct str put_head(char *at, struct http_server *s, const struct response_head *h)
{
    char *to = put_bytes(at, STR("HTTP/1.1 "));

    to += digits_put(to, (uint64_t)h->status);
    to = put_bytes(to, STR(" "));
    to = put_bytes(to, str_of(http_status_text(h->status)));
    to = put_bytes(to, STR("\r\n"));
    to = put_bytes(to, http_server_date(s));
    to = put_bytes(to, STR(SAFE_HEADERS));
    if (h->type)
        to = put_field(to, STR("Content-Type"), str_of(h->type));
    to = put_length(to, h);
    if (h->connection)
        to = put_field(to, STR("Connection"), str_of(h->connection));
    for (size_t i = 0; i < h->mores; i++)
        to = put_field(to, h->more[i].name, h->more[i].value);
    to = put_bytes(to, STR("\r\n"));
    return (struct str){ at, (size_t)(to - at) };
}

/* ---- sending ----------------------------------------------------------------------------- */

/* First the head or the start of a chunk, then the pieces, then its end. */
static bool send_around(struct http_conn *c, struct str first, const struct str *piece, size_t n,
                        struct str last)
{
    struct str all[PIECES + 2];
    bool room;

    assert(n <= PIECES);
    all[0] = first;
    for (size_t i = 0; i < n; i++)
        all[i + 1] = piece[i];
    all[n + 1] = last;
    room = stream_write(c->io, all, n + 2);
    http_conn_wrote(c, room);
    return room;
}

static void send_head(struct http_conn *c, const struct response_head *h, const struct str *body,
                      size_t n)
{
    size_t room = head_room(h), part = n < PIECES ? n : PIECES;
    char small[SMALL_HEAD], *at = room <= sizeof(small) ? small : mem_alloc(room);

    send_around(c, put_head(at, c->server, h), body, part, STR(""));
    if (at != small)
        mem_free(at);
    while ((n -= part)) {
        body += part;
        part = n < PIECES ? n : PIECES;
        send_around(c, STR(""), body, part, STR(""));
    }
}

/* What to say about the connection: HTTP/1.1 stays by default, HTTP/1.0 does not. */
static const char *connection_word(bool old, bool keep)
{
    if (!keep)
        return "close";
    return old ? "keep-alive" : NULL;
}

static bool will_keep(const struct http_exchange *x)
{
    return x->keep_alive && !x->req.conn->server->draining;
}

/* Some answers have no body and no length (RFC 9110 8.6). */
static bool has_no_length(int status)
{
    return status < 200 || status == 204 || status == 304;
}

static void send_whole(struct http_conn *c, bool head_only, struct response_head *h,
                       const struct str *body, size_t pieces)
{
    for (size_t i = 0; i < pieces; i++)
        h->length += body[i].n;
    h->has_length = !has_no_length(h->status);
    send_head(c, h, body, head_only || !h->type || !h->has_length ? 0 : pieces);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void put_error(struct buf *out, int code, struct str text, bool rpc)
{
    struct jw w = jw_to(out);

    jw_object(&w);
    if (rpc) {
        jw_kstr(&w, "jsonrpc", STR("2.0"));
        jw_kraw(&w, "id", STR("null"));
    }
    jw_key(&w, STR("error"));
    jw_object(&w);
    jw_kint(&w, "code", code);
    jw_kstr(&w, "message", text);
    jw_object_end(&w);
    jw_object_end(&w);
}

/* JSON-RPC leaves -32000 and below to servers; the status says the rest. */
enum { RPC_REFUSED = -32000 };

/* The header that belongs to a status; false: none. */
static bool refusal_header(const struct http_refusal *no, char text[24], struct http_header *out)
{
    if (no->status == 401)
        *out = (struct http_header){ STR("WWW-Authenticate"), STR("Bearer realm=\"trefoil\"") };
    if (no->allow[0])
        *out = (struct http_header){ STR("Allow"), str_of(no->allow) };
    if (no->retry_ms) {
        snprintf(text, 24, "%lld", (long long)((no->retry_ms + 999) / 1000));
        *out = (struct http_header){ STR("Retry-After"), str_of(text) };
    }
    return no->status == 401 || no->allow[0] || no->retry_ms;
}

void http_answer_refusal(struct http_conn *c, const struct http_exchange *x,
                         const struct http_refusal *no, bool keep)
{
    char text[24];
    struct http_header more;
    struct response_head h = { .status = no->status,
                               .type = "application/json",
                               .more = &more,
                               .mores = refusal_header(no, text, &more),
                               .connection = connection_word(x && x->old, keep) };
    AUTO_BUF out;
    struct str body;

    buf_init(&out, 4096);
    put_error(&out, no->rpc ? RPC_REFUSED : no->status, str_of(no->text), no->rpc);
    body = buf_str(&out);
    send_whole(c, x && x->head_only, &h, &body, 1);
}

void http_answer_continue(struct http_conn *c)
{
    http_conn_wrote(c, stream_put(c->io, STR("HTTP/1.1 100 Continue\r\n\r\n")));
}

/* ---- whole answers ----------------------------------------------------------------------- */

static void http_exchange_finish(struct http_exchange *x, bool keep)
{
    struct http_conn *c = x->req.conn;

    if (c)
        c->x = NULL;
    http_exchange_free(x);
    if (c)
        http_conn_answered(c, keep);
}

void http_answer(struct http_req *req, int status, const char *type, const struct http_header *more,
                 size_t mores, const struct str *body, size_t pieces)
{
    struct http_exchange *x = exchange_of(req);
    struct response_head h = { .status = status, .type = type, .more = more, .mores = mores };

    assert(x->answer == HTTP_ANSWER_NONE);
    x->answer = HTTP_ANSWER_WHOLE;
    x->keep_alive = req->conn && will_keep(x);
    h.connection = connection_word(x->old, x->keep_alive);
    if (req->conn)
        send_whole(req->conn, x->head_only, &h, body, type ? pieces : 0);
}

void http_finish(struct http_req *req)
{
    struct http_exchange *x = exchange_of(req);

    assert(x->answer == HTTP_ANSWER_WHOLE);
    http_exchange_finish(x, x->keep_alive);
}

void http_part(struct http_req *req)
{
    struct http_exchange *x = exchange_of(req);
    struct http_conn *c = req->conn;
    bool keep = x->keep_alive;

    assert(x->answer != HTTP_ANSWER_NONE);
    if (!c)
        return;
    if (x->answer == HTTP_ANSWER_EVENTS) {
        http_answer_last(x);
        keep = will_keep(x);
    }
    c->x = NULL;
    http_exchange_detach(x);
    http_conn_answered(c, keep);
}

void http_reply(struct http_req *req, int status, const char *type, const struct http_header *more,
                size_t mores, const struct str *body, size_t pieces)
{
    http_answer(req, status, type, more, mores, body, pieces);
    http_finish(req);
}

void http_reply_error(struct http_req *req, int status, const char *fmt, ...)
{
    char text[1024];
    AUTO_BUF out;
    struct str body;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    buf_init(&out, sizeof(text) * 8);
    put_error(&out, status, str_of(text), false);
    body = buf_str(&out);
    http_reply(req, status, "application/json", NULL, 0, &body, 1);
}

/* ---- answers piece by piece -------------------------------------------------------------- */

static bool send_chunk(struct http_exchange *x, const struct str *piece, size_t n)
{
    char size[MOST_DIGITS];
    size_t total = 0;
    int len;

    for (size_t i = 0; i < n; i++)
        total += piece[i].n;
    if (!total) /* an empty chunk would be the last */
        return true;
    if (x->old)
        return send_around(x->req.conn, STR(""), piece, n, STR(""));
    len = snprintf(size, sizeof(size), "%zx\r\n", total);
    return send_around(x->req.conn, (struct str){ size, (size_t)len }, piece, n, STR("\r\n"));
}

bool http_stream_write(struct http_req *req, const struct str *piece, size_t n)
{
    struct http_exchange *x = exchange_of(req);
    bool room = true;

    assert(x->answer != HTTP_ANSWER_NONE);
    while (n && req->conn && !x->head_only) {
        size_t part = n < PIECES ? n : PIECES;

        room = send_chunk(x, piece, part);
        piece += part;
        n -= part;
    }
    if (!room)
        x->owes_room = true;
    return room;
}

void http_answer_last(struct http_exchange *x)
{
    if (!x->old && !x->head_only)
        http_conn_wrote(x->req.conn, stream_put(x->req.conn->io, STR("0\r\n\r\n")));
}

void http_stream_end(struct http_req *req)
{
    struct http_exchange *x = exchange_of(req);

    assert(x->answer != HTTP_ANSWER_NONE);
    if (req->conn)
        http_answer_last(x);
    http_exchange_finish(x, req->conn && will_keep(x));
}

/* ---- event streams ----------------------------------------------------------------------- */

void http_sse_begin(struct http_req *req, const struct http_header *more, size_t mores)
{
    struct http_exchange *x = exchange_of(req);
    struct http_header all[2 + 16] = {
        { STR("Cache-Control"), STR("no-cache, no-transform") },
        { STR("X-Accel-Buffering"), STR("no") },
    };
    struct response_head h = { .status = 200, .type = "text/event-stream", .more = all };

    assert(x->answer == HTTP_ANSWER_NONE && mores <= ARRAY_LEN(all) - 2);
    for (size_t i = 0; i < mores; i++)
        all[i + 2] = more[i];
    x->answer = HTTP_ANSWER_EVENTS;
    if (x->old || x->head_only) /* only the end of the connection ends the answer */
        x->keep_alive = false;
    if (!req->conn)
        return;
    h.mores = mores + 2;
    h.chunked = !x->old;
    h.connection = connection_word(x->old, will_keep(x));
    send_head(req->conn, &h, NULL, 0);
    if (x->head_only)
        stream_shut(req->conn->io);
}

bool http_sse_send(struct http_req *req, const struct sse_out *event)
{
    struct sse_pieces pieces;
    bool room;

    sse_write(event, &pieces);
    room = http_stream_write(req, pieces.at, pieces.n);
    sse_pieces_fini(&pieces);
    return room;
}

void http_answer_comment(struct http_exchange *x)
{
    http_stream_write(&x->req, &STR(": keepalive\n\n"), 1);
}
