/*
 * http1_parse.h - parse an HTTP/1.1 request. No I/O, no allocation.
 *
 * A request is read in three steps, which accept bytes in pieces of any size:
 *
 *   http1_head_end    finds the empty line that ends the head; called whenever bytes arrive
 *   http1_head_read   parses the whole head, in place
 *   http1_body_read   returns the body piece by piece (Content-Length or chunked)
 *
 * Strict (RFC 9110, 9112): input that two parsers could understand differently is refused, because
 * the other parser may be a proxy in front of us. All refusals are in the table below. Where the
 * RFC leaves a choice, we chose:
 *
 *   - one empty line (CRLF) before the request line is skipped, not two;
 *   - lines end with CRLF, never with LF alone; folded header lines are refused;
 *   - a target follows RFC 3986: no raw UTF-8, no '#', '%' only before two hexadecimal digits;
 *   - absolute-form needs a Host header with the same host;
 *   - the accepted methods are PATCH and the methods of RFC 9110, without CONNECT and TRACE;
 *   - header values may hold bytes from 0x80 on, uninterpreted;
 *   - "chunked", in upper or lower case, is the only accepted Transfer-Encoding, and must occur
 *     only once;
 *   - chunk extensions are skipped, as RFC 9112 requires; trailer fields are read and dropped;
 *     both together may be as long as a head. A chunk size has no space around it;
 *   - HTTP/1.0 is served, without chunked bodies and with Host optional.
 */
#ifndef WIRE_HTTP1_PARSE_H
#define WIRE_HTTP1_PARSE_H

#include "base/limits.h"
#include "wire/http.h"

/* clang-format off */
#define HTTP1_REASONS(X)                                                                           \
    X(METHOD,        400, "the request does not begin with a method")                              \
    X(METHOD_OTHER,  501, "this method is not supported")                            \
    X(LINE,          400, "the request line is not: method, space, target, space, HTTP/1.1, CRLF") \
    X(VERSION,       505, "only HTTP/1.1 and HTTP/1.0 are supported")               \
    X(TARGET,        400, "the target is neither a path that begins with / nor an http URL")       \
    X(TARGET_CHAR,   400, "the target contains a character that must be percent-encoded")             \
    X(TARGET_LONG,   414, "the target is too long")                                                \
    X(BARE_LF,       400, "a line ends with LF alone; lines end with CRLF")                        \
    X(HEAD_LONG,     431, "the head is too large")                                                 \
    X(HEADER_COUNT,  431, "there are too many header fields")                                      \
    X(HEADER_NAME,   400, "a header name is not a token followed directly by a colon")             \
    X(HEADER_FOLDED, 400, "a header line begins with a space; folded lines are not accepted")      \
    X(HEADER_VALUE,  400, "a header value contains a control character")                              \
    X(HOST_MISSING,  400, "missing Host header")                                               \
    X(HOST_TWICE,    400, "there is more than one Host header")                                    \
    X(HOST_BAD,      400, "the Host is not a name or an address with an optional port")            \
    X(HOST_DIFFERS,  400, "the Host header and the target name different hosts")                   \
    X(ORIGIN_TWICE,  400, "there is more than one Origin header")                                  \
    X(LENGTH_BAD,    400, "Content-Length is not a decimal number")                                \
    X(LENGTH_TWICE,  400, "there is more than one Content-Length header")                          \
    X(LENGTH_CODED,  400, "Content-Length and Transfer-Encoding cannot be combined")               \
    X(CODING,        501, "the only supported transfer coding is chunked")                  \
    X(CODING_TWICE,  400, "there is more than one Transfer-Encoding header")                       \
    X(CODING_OLD,    400, "HTTP/1.0 does not support Transfer-Encoding")                                     \
    X(EXPECT,        417, "the only supported expectation is 100-continue")                 \
    X(BODY_LONG,     413, "the body is too large")                                                 \
    X(CHUNK_SIZE,    400, "a chunk size is not a hexadecimal number followed by CRLF")             \
    X(CHUNK_END,     400, "chunk data is not followed by CRLF")                          \
    X(CHUNK_EXTRA,   400, "a chunk extension contains a control character")                           \
    X(TRAILER,       400, "a trailer line is not: name, colon, value, CRLF")                       \
    X(TRAILER_LONG,  431, "the chunk extensions and trailer fields are too long")
/* clang-format on */

/* Why a request is refused. */
enum http1_reason {
    HTTP1_FINE,
#define HTTP1_REASON_ENUM(name, status, text) HTTP1_##name,
    HTTP1_REASONS(HTTP1_REASON_ENUM)
#undef HTTP1_REASON_ENUM
        HTTP1_REASON_COUNT,
};

/* The status to respond with. HTTP1_FINE has status 200. */
int http1_status(enum http1_reason why);
const char *http1_text(enum http1_reason why);

enum http1_step {
    HTTP1_MORE,    /* no error so far; more bytes are needed */
    HTTP1_DATA,    /* a piece of the body */
    HTTP1_DONE,    /* complete */
    HTTP1_REFUSED, /* *why is the reason; the rest of the connection cannot be parsed */
};

/* ---- head ------------------------------------------------------------------------------- */

/* The progress of the search for the end of a head. {0} at the start of a request. */
struct http1_scan {
    size_t at;      /* bytes searched */
    uint32_t lines; /* line ends among them */
};

/*
 * Search for the end of the head in `bytes`, all bytes of the request received so far. HTTP1_DONE:
 * the first scan->at bytes are the head, and have scan->lines lines. The result does not depend on
 * how the bytes were split.
 */
enum http1_step http1_head_end(struct http1_scan *scan, struct str bytes, const struct limits *l,
                               enum http1_reason *why);

struct http1_head {
    struct str method, target;
    struct str path, query; /* the parts of the target; query is STR_NONE without a '?' */
    struct str authority;   /* host:port of the target, else of the Host header; or STR_NONE */
    struct str host;        /* the authority without its port; an IPv6 address keeps its brackets */
    struct str origin;      /* value of Origin; STR_NONE when absent */
    struct http_header *header;
    size_t headers;
    uint64_t length; /* the length of the body, if has_length */
    uint8_t minor;   /* HTTP/1.minor: 0 or 1 */
    bool has_length, chunked;
    bool keep_alive;      /* the client would send another request on this connection */
    bool expect_continue; /* the client waits for 100 before it sends the body */
};

/*
 * Parse a head that http1_head_end found. `header` has room for scan->lines fields. All strings
 * point into `bytes`; names keep their case, and values have no spaces around them.
 */
bool http1_head_read(struct str bytes, const struct limits *l, struct http_header *header,
                     struct http1_head *out, enum http1_reason *why);

/*
 * Split "name:port", "1.2.3.4" or "[::1]:80". False when it is none of these. The port may be
 * missing (STR_NONE) but not empty.
 */
bool http1_authority(struct str authority, struct str *out_host, struct str *out_port);

/* ---- body ------------------------------------------------------------------------------- */

struct http1_body {
    uint64_t left;   /* remaining bytes of the body, or of the chunk */
    uint64_t room;   /* bytes that the body may still have, up to its limit */
    uint64_t extras; /* bytes that chunk extensions and trailers may still have */
    uint8_t state, digits;
    bool chunked;
};

/* Prepare to read the body. False: its declared length is too large. */
bool http1_body_begin(struct http1_body *b, const struct http1_head *head, const struct limits *l,
                      enum http1_reason *why);

/*
 * Consume the front of *in. HTTP1_DATA: *out_data is the next piece, inside *in; call again.
 * HTTP1_DONE: the rest of *in belongs to the next request. HTTP1_MORE: *in is empty.
 */
enum http1_step http1_body_read(struct http1_body *b, struct str *in, struct str *out_data,
                                enum http1_reason *why);

/* ---- classes of characters ---------------------------------------------------------------- */

enum {
    HTTP1_TCHAR = 1, /* tchar of RFC 9110 */
    HTTP1_PCHAR = 2, /* allowed in a path or query; '%' included */
    HTTP1_NCHAR = 4, /* allowed in a registered name or IPv4 address */
    HTTP1_VCHAR = 8, /* allowed in a field value: HTAB, SP, VCHAR, 0x80-0xff */
    HTTP1_XDIGIT = 16,
};

extern const uint8_t http1_class[256];

static inline bool http1_is(char c, unsigned classes)
{
    return http1_class[(unsigned char)c] & classes;
}

#endif
