/*
 * http1_body.c - parse the body of a request.
 *
 * The states of a chunked body, which is parsed byte by byte except for its data:
 *
 *   SIZE -> SIZE_MORE -> (EXTRA) -> SIZE_LF -> DATA -> DATA_CR -> DATA_LF -> SIZE ...
 *                                      |
 *                     (size was 0)     +-> FIELD -> (NAME -> VALUE -> VALUE_LF -> FIELD ...)
 *                                            +-> LAST_LF -> DONE
 *
 * A body with Content-Length has the states DATA, then DONE.
 */
#include "wire/http1_parse.h"

enum body_state {
    SIZE,      /* the first digit of a chunk size must come */
    SIZE_MORE, /* more digits, an extension or the end of the line */
    EXTRA,     /* inside a chunk extension */
    SIZE_LF,
    DATA,
    DATA_CR,
    DATA_LF,
    FIELD, /* at the start of a trailer line */
    NAME,
    VALUE,
    VALUE_LF,
    LAST_LF,
    DONE,
};

enum { MOST_DIGITS = 16 };

bool http1_body_begin(struct http1_body *b, const struct http1_head *head, const struct limits *l,
                      enum http1_reason *why)
{
    uint64_t room = (uint64_t)l->message_bytes;

    if (head->length > room) {
        *why = HTTP1_BODY_LONG;
        return false;
    }
    *b = (struct http1_body){ .left = head->length,
                              .room = room - head->length,
                              .extras = (uint64_t)l->http_head_bytes,
                              .chunked = head->chunked };
    if (head->chunked)
        b->state = SIZE;
    else
        b->state = head->length ? DATA : DONE;
    return true;
}

/* The only writer of b->state once begun. */
static enum http1_reason go(struct http1_body *b, enum body_state to)
{
    b->state = to;
    return HTTP1_FINE;
}

static unsigned hex_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

/* A size that would make the body too large is refused before its data come. */
static enum http1_reason add_digit(struct http1_body *b, char c)
{
    if (b->digits++ == MOST_DIGITS)
        return HTTP1_CHUNK_SIZE;
    b->left = b->left << 4 | hex_value(c);
    if (b->left > b->room)
        return HTTP1_BODY_LONG;
    return go(b, SIZE_MORE);
}

static enum http1_reason on_size(struct http1_body *b, char c)
{
    if (http1_is(c, HTTP1_XDIGIT))
        return add_digit(b, c);
    if (b->state == SIZE)
        return HTTP1_CHUNK_SIZE;
    if (c == ';')
        return go(b, EXTRA);
    return c == '\r' ? go(b, SIZE_LF) : HTTP1_CHUNK_SIZE;
}

static enum http1_reason on_size_end(struct http1_body *b, char c)
{
    if (c != '\n')
        return HTTP1_CHUNK_SIZE;
    b->digits = 0;
    b->room -= b->left;
    return go(b, b->left ? DATA : FIELD);
}

static enum http1_reason on_field(struct http1_body *b, char c)
{
    if (c == '\r')
        return go(b, LAST_LF);
    return http1_is(c, HTTP1_TCHAR) ? go(b, NAME) : HTTP1_TRAILER;
}

static enum http1_reason on_name(struct http1_body *b, char c)
{
    if (c == ':')
        return go(b, VALUE);
    return http1_is(c, HTTP1_TCHAR) ? HTTP1_FINE : HTTP1_TRAILER;
}

static enum http1_reason on_text(struct http1_body *b, char c, enum body_state next,
                                 enum http1_reason bad)
{
    if (c == '\r')
        return go(b, next);
    return http1_is(c, HTTP1_VCHAR) ? HTTP1_FINE : bad;
}

static enum http1_reason must_be(struct http1_body *b, char c, char want, enum body_state next,
                                 enum http1_reason bad)
{
    return c == want ? go(b, next) : bad;
}

/* Extensions and trailers are thrown away, so there must be an end to them. */
static bool is_extra(enum body_state s)
{
    return s == EXTRA || s == NAME || s == VALUE || s == VALUE_LF;
}

static enum http1_reason eat(struct http1_body *b, char c)
{
    enum body_state s = b->state;

    if (is_extra(s) && b->extras-- == 0)
        return HTTP1_TRAILER_LONG;
    switch (s) {
    case SIZE:
    case SIZE_MORE: return on_size(b, c);
    case EXTRA: return on_text(b, c, SIZE_LF, HTTP1_CHUNK_EXTRA);
    case SIZE_LF: return on_size_end(b, c);
    case DATA_CR: return must_be(b, c, '\r', DATA_LF, HTTP1_CHUNK_END);
    case DATA_LF: return must_be(b, c, '\n', SIZE, HTTP1_CHUNK_END);
    case FIELD: return on_field(b, c);
    case NAME: return on_name(b, c);
    case VALUE: return on_text(b, c, VALUE_LF, HTTP1_TRAILER);
    case VALUE_LF: return must_be(b, c, '\n', FIELD, HTTP1_TRAILER);
    case LAST_LF: return must_be(b, c, '\n', DONE, HTTP1_TRAILER);
    case DATA:
    case DONE: break; /* not eaten byte by byte */
    }
    return HTTP1_FINE;
}

static enum http1_step take_data(struct http1_body *b, struct str *in, struct str *out_data)
{
    *out_data = str_head(*in, b->left);
    *in = str_skip(*in, out_data->n);
    b->left -= out_data->n;
    if (!b->left)
        go(b, b->chunked ? DATA_CR : DONE);
    return HTTP1_DATA;
}

enum http1_step http1_body_read(struct http1_body *b, struct str *in, struct str *out_data,
                                enum http1_reason *why)
{
    while (in->n && b->state != DONE) {
        enum http1_reason bad;

        if (b->state == DATA)
            return take_data(b, in, out_data);
        bad = eat(b, in->p[0]);
        if (bad) {
            *why = bad;
            return HTTP1_REFUSED;
        }
        *in = str_skip(*in, 1);
    }
    return b->state == DONE ? HTTP1_DONE : HTTP1_MORE;
}
