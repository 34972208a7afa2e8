/*
 * What a request may look like, row by row: what is refused and why, what is accepted and how
 * it is understood. Every row is fed whole, cut in two at every place, and byte by byte.
 */
#include "wire/http1_parse.h"

#include "base/buf.h"
#include "tap.h"

#include <stdlib.h>

/* What came out of one request. */
struct outcome {
    enum http1_step step; /* MORE, DONE or REFUSED */
    enum http1_reason why;
    struct http1_head head;
    struct buf head_bytes; /* the head points into it */
    struct http_header header[128];
    struct buf body;
    size_t used; /* bytes of the input that belong to the request */
};

static struct limits limits;

__attribute__((constructor)) static void set_limits(void)
{
    limits_preset(&limits);
    limits.http_head_bytes = 1024;
    limits.http_target_bytes = 256;
    limits.http_headers = 8;
    limits.message_bytes = 1024;
}

static void outcome_fini(struct outcome *o)
{
    buf_fini(&o->head_bytes);
    buf_fini(&o->body);
}

/* A copy that ends where its block ends, so that a sanitizer sees one byte too far. */
static char *exact(const char *p, size_t n)
{
    char *copy = malloc(n ? n : 1);

    memcpy(copy, p, n);
    return copy;
}

static void feed_body(struct outcome *o, struct http1_body *body, struct str in)
{
    struct str data;

    while ((o->step = http1_body_read(body, &in, &data, &o->why)) == HTTP1_DATA)
        buf_put(&o->body, data);
    o->used -= in.n;
}

static bool begin(struct outcome *o, struct http1_body *body, struct str head)
{
    buf_put(&o->head_bytes, head);
    if (http1_head_read(buf_str(&o->head_bytes), &limits, o->header, &o->head, &o->why) &&
        http1_body_begin(body, &o->head, &limits, &o->why))
        return true;
    o->step = HTTP1_REFUSED;
    return false;
}

/* Read one request from `in`, which arrives in portions of first, then step, bytes. */
static void read_request(struct outcome *o, struct str in, size_t first, size_t step)
{
    struct http1_scan scan = { 0 };
    struct http1_body body;
    size_t have = 0, head = 0;

    *o = (struct outcome){ .head_bytes.max = 4096, .body.max = 4096 };
    for (size_t n = first; have < in.n && o->step == HTTP1_MORE; n = step) {
        size_t from = head ? have : 0;
        size_t to = have + n < in.n ? have + n : in.n;
        char *copy = exact(in.p + from, to - from);

        o->used = have = to;
        if (!head) {
            o->step = http1_head_end(&scan, (struct str){ copy, to }, &limits, &o->why);
            if (o->step == HTTP1_DONE) {
                head = scan.at;
                if (begin(o, &body, (struct str){ copy, head }))
                    feed_body(o, &body, (struct str){ copy + head, to - head });
            }
        } else {
            feed_body(o, &body, (struct str){ copy, to - from });
        }
        free(copy);
    }
}

/* ---- refused ----------------------------------------------------------------------------- */

#define HOST "Host: a\r\n"
#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define X16 "xxxxxxxxxxxxxxxx"
#define X64 X16 X16 X16 X16
#define X256 X64 X64 X64 X64

static const struct {
    struct str in;
    int status;
    enum http1_reason why;
} refused[] = {
    /* the request line */
    { STR("\x16\x03\x01\x02"), 400, HTTP1_METHOD },
    { STR(" GET / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("\r\n\r\n"), 400, HTTP1_METHOD },
    { STR("\r\n\r\n" GET HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("\rGET / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("GE(T / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("G\0T / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("GET\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_METHOD },
    { STR("get / HTTP/1.1\r\n" HOST "\r\n"), 501, HTTP1_METHOD_OTHER },
    { STR("BREW / HTTP/1.1\r\n" HOST "\r\n"), 501, HTTP1_METHOD_OTHER },
    { STR("TRACE / HTTP/1.1\r\n" HOST "\r\n"), 501, HTTP1_METHOD_OTHER },
    { STR("CONNECT a:80 HTTP/1.1\r\n" HOST "\r\n"), 501, HTTP1_METHOD_OTHER },
    { STR("GET /\r\n\r\n"), 400, HTTP1_LINE },
    { STR("GET / \r\n\r\n"), 400, HTTP1_LINE },
    { STR("G \r\n\r\n"), 400, HTTP1_LINE },
    { STR("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / x HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / http/1.1\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / HTTP/1.\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / HTTP/11.1\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / HTTP/1.10\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET / HTTP/2.0\r\n" HOST "\r\n"), 505, HTTP1_VERSION },
    { STR("GET / HTTP/1.2\r\n" HOST "\r\n"), 505, HTTP1_VERSION },
    { STR("GET / HTTP/0.9\r\n\r\n"), 505, HTTP1_VERSION },
    { STR("PRI * HTTP/2.0\r\n\r\n"), 505, HTTP1_VERSION },

    /* the target */
    { STR("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET a HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET * HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("OPTIONS *a HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET ftp://a/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET http:///x HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET http://u@a/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET http://a:x/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET },
    { STR("GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\0b HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\x7f HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\tb HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\rb HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_LINE },
    { STR("GET /a#b HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\"b HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /a\\b HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /% HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /%4 HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /?%zz HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_TARGET_CHAR },
    { STR("GET /" X256 " HTTP/1.1\r\n" HOST "\r\n"), 414, HTTP1_TARGET_LONG },
    { STR("GET /" X256 X256 X256 X256), 414, HTTP1_TARGET_LONG },

    /* lines and header fields */
    { STR("GET / HTTP/1.1\n" HOST "\r\n"), 400, HTTP1_BARE_LF },
    { STR("\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_BARE_LF },
    { STR(GET "Host: a\n\r\n"), 400, HTTP1_BARE_LF },
    { STR(GET HOST "\n"), 400, HTTP1_BARE_LF },
    { STR(GET HOST "\r\rX: y\n\r\n"), 400, HTTP1_BARE_LF },
    { STR(GET HOST "\rX: y\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "X: " X256 X256 X256 X256 "\r\n\r\n"), 431, HTTP1_HEAD_LONG },
    { STR(GET HOST "a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\n\r\n"), 431,
      HTTP1_HEADER_COUNT },
    { STR(GET HOST "a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\ni:\r\nj:\r\nk"), 431,
      HTTP1_HEADER_COUNT },
    { STR(GET "Host : a\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "X\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST ": x\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "X@: y\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "X\0: y\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "\xc3\xa4: y\r\n\r\n"), 400, HTTP1_HEADER_NAME },
    { STR(GET HOST "X: y\r\n z\r\n\r\n"), 400, HTTP1_HEADER_FOLDED },
    { STR(GET HOST "Transfer-Encoding:\r\n\tchunked\r\n\r\n"), 501, HTTP1_CODING },
    { STR(GET " Host: a\r\n\r\n"), 400, HTTP1_HEADER_FOLDED },
    { STR(GET HOST "X: a\0b\r\n\r\n"), 400, HTTP1_HEADER_VALUE },
    { STR(GET HOST "X: a\x01\r\n\r\n"), 400, HTTP1_HEADER_VALUE },
    { STR(GET HOST "X: 0123456789abcdef0123456789\x1f and more of it\r\n\r\n"), 400,
      HTTP1_HEADER_VALUE },
    { STR(GET HOST "X: a\x7f\r\n\r\n"), 400, HTTP1_HEADER_VALUE },
    { STR(GET HOST "X: a\rb\r\n\r\n"), 400, HTTP1_HEADER_VALUE },

    /* Host and Origin */
    { STR(GET "\r\n"), 400, HTTP1_HOST_MISSING },
    { STR(GET HOST HOST "\r\n"), 400, HTTP1_HOST_TWICE },
    { STR(GET HOST "hOST: b\r\n\r\n"), 400, HTTP1_HOST_TWICE },
    { STR("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400, HTTP1_HOST_TWICE },
    { STR(GET "Host:\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a b\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a, b\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: u@a\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a/b\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a:\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a:65536\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: a:+1\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: :80\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: ::1\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: [::1\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: []\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR(GET "Host: [::1]x\r\n\r\n"), 400, HTTP1_HOST_BAD },
    { STR("GET http://b/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_HOST_DIFFERS },
    { STR("GET http://a:80/ HTTP/1.1\r\n" HOST "\r\n"), 400, HTTP1_HOST_DIFFERS },
    { STR("GET http://a/ HTTP/1.1\r\n\r\n"), 400, HTTP1_HOST_MISSING },
    { STR(GET HOST "Origin: x\r\nOrigin: x\r\n\r\n"), 400, HTTP1_ORIGIN_TWICE },

    /* the length of the body */
    { STR(POST "Content-Length:\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: +5\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: -5\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: 5,5\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: 0x5\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: 5 5\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: 5.0\r\n\r\n"), 400, HTTP1_LENGTH_BAD },
    { STR(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"), 400, HTTP1_LENGTH_TWICE },
    { STR(POST "Content-Length: 5\r\ncontent-length: 6\r\n\r\n"), 400, HTTP1_LENGTH_TWICE },
    { STR(POST "Content-Length: 1025\r\n\r\n"), 413, HTTP1_BODY_LONG },
    { STR(POST "Content-Length: 18446744073709551615\r\n\r\n"), 413, HTTP1_BODY_LONG },
    { STR(POST "Content-Length: 18446744073709551616\r\n\r\n"), 413, HTTP1_BODY_LONG },
    { STR(POST "Content-Length: 99999999999999999999999999\r\n\r\n"), 413, HTTP1_BODY_LONG },
    { STR(POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
      HTTP1_LENGTH_CODED },
    { STR(POST "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n"), 400,
      HTTP1_LENGTH_CODED },
    { STR(POST "Transfer-Encoding: gzip\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: chunked, identity\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: identity\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: chunked;q=1\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: xchunked\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: \"chunked\"\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding:\r\n\r\n"), 501, HTTP1_CODING },
    { STR(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
      HTTP1_CODING_TWICE },
    { STR("POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"), 400, HTTP1_CODING_OLD },
    { STR(POST "Expect: 200-ok\r\n\r\n"), 417, HTTP1_EXPECT },
    { STR(POST "Expect: 100-continue, x\r\n\r\n"), 417, HTTP1_EXPECT },
    { STR(POST "Expect:\r\n\r\n"), 417, HTTP1_EXPECT },

    /* chunks */
    { STR(CHUNKED "\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "g\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "+5\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "-1\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "0x5\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED " 5\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "5 \r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "5\t;a\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "5\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "5\rx"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "00000000000000005\r\n"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "401\r\n"), 413, HTTP1_BODY_LONG },
    { STR(CHUNKED "ffffffffffffffff\r\n"), 413, HTTP1_BODY_LONG },
    { STR(CHUNKED "1\r\nx\r\n400\r\n"), 413, HTTP1_BODY_LONG },
    { STR(CHUNKED "1\r\nxy"), 400, HTTP1_CHUNK_END },
    { STR(CHUNKED "1\r\nx\n"), 400, HTTP1_CHUNK_END },
    { STR(CHUNKED "1\r\nx\rx"), 400, HTTP1_CHUNK_END },
    { STR(CHUNKED "1;a=\x01\r\n"), 400, HTTP1_CHUNK_EXTRA },
    { STR(CHUNKED "1;a\nx\r\n"), 400, HTTP1_CHUNK_EXTRA },
    { STR(CHUNKED "1;a\rx"), 400, HTTP1_CHUNK_SIZE },
    { STR(CHUNKED "1;" X256 X256 X256 X256 "x"), 431, HTTP1_TRAILER_LONG },
    { STR(CHUNKED "0\r\nA: b\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA : b\r\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA\r\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\n: b\r\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA: b\r\n c\r\n\r\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA: b\0\r\n\r\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA: b\rc"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\n\n"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\n\rx"), 400, HTTP1_TRAILER },
    { STR(CHUNKED "0\r\nA: " X256 X256 X256 X256 "\r\n"), 431, HTTP1_TRAILER_LONG },
};

/* Bytes past a refusal are of no matter, so "is refused" may come early; but never changes. */
static void expect_refused(size_t i, size_t first, size_t step)
{
    struct outcome o;

    read_request(&o, refused[i].in, first, step);
    if (o.step != HTTP1_REFUSED || o.why != refused[i].why)
        TAP_NOT("row %zu in portions of %zu, %zu: step %d, %s; want: %s", i, first, step, o.step,
                http1_text(o.why), http1_text(refused[i].why));
    outcome_fini(&o);
}

TEST(what_is_odd_is_refused_for_the_right_reason)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        EQ(http1_status(refused[i].why), refused[i].status);
        for (size_t first = 1; first <= refused[i].in.n; first++)
            expect_refused(i, first, refused[i].in.n);
        expect_refused(i, 1, 1);
        expect_refused(i, 3, 7);
    }
}

TEST(every_reason_has_a_row)
{
    bool seen[HTTP1_REASON_COUNT] = { [HTTP1_FINE] = true };

    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        seen[refused[i].why] = true;
    for (int r = 0; r < HTTP1_REASON_COUNT; r++)
        if (!seen[r])
            TAP_NOT("no row for: %s", http1_text((enum http1_reason)r));
}

/* ---- accepted ---------------------------------------------------------------------------- */

enum { OLD = 1, CLOSE = 2, CONTINUE = 4 };

static const struct {
    struct str in;
    const char *method, *path, *query, *host, *body;
    unsigned flags;
    size_t after; /* bytes of `in` that belong to the next request */
} accepted[] = {
    { STR(GET HOST "\r\n"), "GET", "/", NULL, "a", "", 0, 0 },
    { STR("\r\n" GET HOST "\r\n"), "GET", "/", NULL, "a", "", 0, 0 },
    { STR(GET HOST "\r\n" GET), "GET", "/", NULL, "a", "", 0, 16 },
    { STR("HEAD /x HTTP/1.1\r\n" HOST "\r\n"), "HEAD", "/x", NULL, "a", "", 0, 0 },
    { STR("PUT /x HTTP/1.1\r\n" HOST "\r\n"), "PUT", "/x", NULL, "a", "", 0, 0 },
    { STR("PATCH /x HTTP/1.1\r\n" HOST "\r\n"), "PATCH", "/x", NULL, "a", "", 0, 0 },
    { STR("DELETE /x HTTP/1.1\r\n" HOST "\r\n"), "DELETE", "/x", NULL, "a", "", 0, 0 },
    { STR("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), "OPTIONS", "*", NULL, "a", "", 0, 0 },
    { STR("OPTIONS /x HTTP/1.1\r\n" HOST "\r\n"), "OPTIONS", "/x", NULL, "a", "", 0, 0 },

    /* targets */
    { STR("GET /a?b HTTP/1.1\r\n" HOST "\r\n"), "GET", "/a", "b", "a", "", 0, 0 },
    { STR("GET /a?b?c HTTP/1.1\r\n" HOST "\r\n"), "GET", "/a", "b?c", "a", "", 0, 0 },
    { STR("GET /a? HTTP/1.1\r\n" HOST "\r\n"), "GET", "/a", "", "a", "", 0, 0 },
    { STR("GET //a/../b HTTP/1.1\r\n" HOST "\r\n"), "GET", "//a/../b", NULL, "a", "", 0, 0 },
    { STR("GET /%C3%a4%00 HTTP/1.1\r\n" HOST "\r\n"), "GET", "/%C3%a4%00", NULL, "a", "", 0, 0 },
    { STR("GET /-._~!$&'()*+,;=:@ HTTP/1.1\r\n" HOST "\r\n"), "GET", "/-._~!$&'()*+,;=:@", NULL,
      "a", "", 0, 0 },
    { STR("GET http://a/b?c HTTP/1.1\r\n" HOST "\r\n"), "GET", "/b", "c", "a", "", 0, 0 },
    { STR("GET HTTP://A HTTP/1.1\r\n" HOST "\r\n"), "GET", "/", NULL, "A", "", 0, 0 },
    { STR("GET https://[::1]:8?q HTTP/1.1\r\nHost: [::1]:8\r\n\r\n"), "GET", "/", "q", "[::1]", "",
      0, 0 },

    /* Host */
    { STR(GET "Host: localhost:8733\r\n\r\n"), "GET", "/", NULL, "localhost", "", 0, 0 },
    { STR(GET "host:\t127.0.0.1:0 \t\r\n\r\n"), "GET", "/", NULL, "127.0.0.1", "", 0, 0 },
    { STR(GET "HOST:[::ffff:1.2.3.4]:65535\r\n\r\n"), "GET", "/", NULL, "[::ffff:1.2.3.4]", "", 0,
      0 },

    /* versions and keep-alive */
    { STR("GET / HTTP/1.0\r\n\r\n"), "GET", "/", NULL, NULL, "", OLD | CLOSE, 0 },
    { STR("GET / HTTP/1.0\r\n" HOST "Connection: Keep-Alive\r\n\r\n"), "GET", "/", NULL, "a", "",
      OLD, 0 },
    { STR("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"), "GET", "/", NULL, NULL, "",
      OLD | CLOSE, 0 },
    { STR("GET http://b/ HTTP/1.0\r\n\r\n"), "GET", "/", NULL, "b", "", OLD | CLOSE, 0 },
    { STR(GET HOST "Connection: close\r\n\r\n"), "GET", "/", NULL, "a", "", CLOSE, 0 },
    { STR(GET HOST "Connection: x ,\tCLOSE,\r\n\r\n"), "GET", "/", NULL, "a", "", CLOSE, 0 },
    { STR(GET HOST "Connection: upgrade\r\nUpgrade: h2c\r\n\r\n"), "GET", "/", NULL, "a", "", 0,
      0 },
    { STR(GET HOST "Connection:\r\nConnection: close\r\n\r\n"), "GET", "/", NULL, "a", "", CLOSE,
      0 },
    { STR(GET HOST "Connection: closed\r\n\r\n"), "GET", "/", NULL, "a", "", 0, 0 },

    /* values that are fine */
    { STR(GET HOST "X:\r\nY: \t \r\nZ: \xff\xc3\xa4\tb\r\n\r\n"), "GET", "/", NULL, "a", "", 0, 0 },
    { STR(GET HOST "!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n"), "GET", "/", NULL, "a", "", 0, 0 },
    { STR(GET HOST "b:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\nh:\r\n\r\n"), "GET", "/", NULL, "a", "", 0,
      0 },

    /* bodies of known length */
    { STR(POST "Content-Length: 5\r\n\r\nhelloGET"), "POST", "/", NULL, "a", "hello", 0, 3 },
    { STR(POST "content-length:005\r\n\r\nhello"), "POST", "/", NULL, "a", "hello", 0, 0 },
    { STR(POST "Content-Length: 0\r\n\r\n"), "POST", "/", NULL, "a", "", 0, 0 },
    { STR(POST "\r\nx"), "POST", "/", NULL, "a", "", 0, 1 },
    { STR(GET HOST "Content-Length: 2\r\n\r\n{}"), "GET", "/", NULL, "a", "{}", 0, 0 },
    { STR(POST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n{}"), "POST", "/", NULL, "a", "{}",
      CONTINUE, 0 },
    { STR("POST / HTTP/1.0\r\nExpect: 200\r\nContent-Length: 2\r\n\r\n{}"), "POST", "/", NULL, NULL,
      "{}", OLD | CLOSE, 0 },

    /* chunked bodies */
    { STR(CHUNKED "0\r\n\r\nG"), "POST", "/", NULL, "a", "", 0, 1 },
    { STR(CHUNKED "5\r\nhello\r\n0\r\n\r\n"), "POST", "/", NULL, "a", "hello", 0, 0 },
    { STR(CHUNKED "1\r\nh\r\n004\r\nello\r\n00\r\n\r\n"), "POST", "/", NULL, "a", "hello", 0, 0 },
    { STR(CHUNKED "A\r\n0123456789\r\nb\r\n0123\r\n56789\r\n0\r\n\r\n"), "POST", "/", NULL, "a",
      "01234567890123\r\n56789", 0, 0 },
    { STR(CHUNKED "2;a=b;c=\"d;\"\r\n{}\r\n0;x\r\n\r\n"), "POST", "/", NULL, "a", "{}", 0, 0 },
    { STR(CHUNKED "2\r\n{}\r\n0\r\nA: b\r\nC:\r\nContent-Length: 9\r\n\r\n"), "POST", "/", NULL,
      "a", "{}", 0, 0 },
    { STR(POST "Transfer-Encoding: \tCHUNKED \r\n\r\n2\r\n{}\r\n0\r\n\r\n"), "POST", "/", NULL, "a",
      "{}", 0, 0 },
};

static void expect_accepted(size_t i, size_t first, size_t step)
{
    struct outcome o;

    read_request(&o, accepted[i].in, first, step);
    EQ(o.step, HTTP1_DONE);
    EQ_S(o.head.method, accepted[i].method);
    EQ_S(o.head.path, accepted[i].path);
    OK(!o.head.query.p == !accepted[i].query);
    EQ_S(o.head.query, accepted[i].query ? accepted[i].query : "");
    EQ_S(o.head.host, accepted[i].host ? accepted[i].host : "");
    EQ_S(buf_str(&o.body), accepted[i].body);
    EQ(o.head.minor, accepted[i].flags & OLD ? 0 : 1);
    EQ(o.head.keep_alive, !(accepted[i].flags & CLOSE));
    EQ(o.head.expect_continue, !!(accepted[i].flags & CONTINUE));
    if (first + step >= accepted[i].in.n)
        EQ(o.used, accepted[i].in.n - accepted[i].after);
    if (tap_failed)
        TAP_NOT("that was row %zu in portions of %zu, %zu: %s", i, first, step, http1_text(o.why));
    outcome_fini(&o);
}

TEST(what_is_accepted_is_understood_however_it_is_cut)
{
    for (size_t i = 0; i < ARRAY_LEN(accepted) && !tap_failed; i++) {
        for (size_t first = 1; first <= accepted[i].in.n && !tap_failed; first++)
            expect_accepted(i, first, accepted[i].in.n);
        expect_accepted(i, 1, 1);
        expect_accepted(i, 2, 5);
    }
}

/* A request that ends anywhere before its end is neither refused nor taken for complete. */
TEST(a_part_of_a_request_waits_for_the_rest)
{
    for (size_t i = 0; i < ARRAY_LEN(accepted); i++) {
        for (size_t n = 1; n < accepted[i].in.n - accepted[i].after; n++) {
            struct outcome o;

            read_request(&o, str_head(accepted[i].in, n), n, n);
            if (o.step != HTTP1_MORE)
                TAP_NOT("row %zu cut at %zu: step %d, %s", i, n, o.step, http1_text(o.why));
            outcome_fini(&o);
        }
    }
}

TEST(header_fields_keep_their_order_case_and_text)
{
    struct outcome o;

    read_request(&o, STR(GET HOST "X-One:  1 \r\nx-two: a  b\r\nx-two:\r\nOrigin: null\r\n\r\n"),
                 999, 1);
    EQ(o.step, HTTP1_DONE);
    EQ(o.head.headers, 5);
    EQ_S(o.header[1].name, "X-One");
    EQ_S(o.header[1].value, "1");
    EQ_S(o.header[2].value, "a  b");
    EQ_S(o.header[3].name, "x-two");
    EQ_S(o.header[3].value, "");
    EQ_S(o.head.origin, "null");
    EQ_S(http_header_get(o.header, o.head.headers, "X-TWO"), "a  b");
    outcome_fini(&o);
}

TEST(limits_hold_exactly)
{
    char text[1200];
    struct outcome o;

    for (int spare = -1; spare <= 1; spare++) {
        /* a head of 1024 - spare bytes, a target of 256 - spare bytes, a body of 1024 - spare */
        int head = snprintf(text, sizeof(text), GET HOST "X: %0*d\r\n\r\n", 1024 - 32 - spare, 0);

        EQ(head, 1024 - spare);
        read_request(&o, str_of(text), sizeof(text), 1);
        EQ(o.why, spare < 0 ? HTTP1_HEAD_LONG : HTTP1_FINE);
        outcome_fini(&o);
        snprintf(text, sizeof(text), "GET /%0*d HTTP/1.1\r\n" HOST "\r\n", 255 - spare, 0);
        read_request(&o, str_of(text), sizeof(text), 1);
        EQ(o.why, spare < 0 ? HTTP1_TARGET_LONG : HTTP1_FINE);
        outcome_fini(&o);
        snprintf(text, sizeof(text), POST "Content-Length: %d\r\n\r\n", 1024 - spare);
        read_request(&o, str_of(text), sizeof(text), 1);
        EQ(o.why, spare < 0 ? HTTP1_BODY_LONG : HTTP1_FINE);
        outcome_fini(&o);
        snprintf(text, sizeof(text), CHUNKED "%x\r\n", 1024 - spare);
        read_request(&o, str_of(text), sizeof(text), 1);
        EQ(o.why, spare < 0 ? HTTP1_BODY_LONG : HTTP1_FINE);
        outcome_fini(&o);
    }
}

TEST(every_byte_is_judged_in_every_place)
{
    for (int c = 0; c < 256; c++) {
        bool alnum = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool token = alnum || (c && strchr("!#$%&'*+-.^_`|~", c));
        bool path = alnum || (c && strchr("-._~!$&'()*+,;=:@/?%", c));

        EQ(http1_is((char)c, HTTP1_TCHAR), token);
        EQ(http1_is((char)c, HTTP1_PCHAR), path);
        EQ(http1_is((char)c, HTTP1_NCHAR), alnum || (c && strchr("-._~", c)));
        EQ(http1_is((char)c, HTTP1_VCHAR), c == '\t' || (c >= ' ' && c != 0x7f));
        EQ(http1_is((char)c, HTTP1_XDIGIT), c && strchr("0123456789abcdefABCDEF", c));
    }
}

TEST_MAIN()
