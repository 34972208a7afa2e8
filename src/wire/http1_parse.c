/* http1_parse.c - parse the head of a request. http1_body.c parses the body. */
#include "wire/http1_parse.h"

#include <assert.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

int http1_status(enum http1_reason why)
{
    static const int status[] = { 200,
#define ROW(name, code, text) code,
                                  HTTP1_REASONS(ROW)
#undef ROW
    };

    return status[why];
}

const char *http1_text(enum http1_reason why)
{
    static const char *const text[] = { "fine",
#define ROW(name, code, sentence) sentence,
                                        HTTP1_REASONS(ROW)
#undef ROW
    };

    return text[why];
}

/* ---- characters -------------------------------------------------------------------------- */

enum {
    V = HTTP1_VCHAR,
    VT = V | HTTP1_TCHAR,
    VG = V | HTTP1_PCHAR,
    VTG = VT | HTTP1_PCHAR,
    ALNUM = VTG | HTTP1_NCHAR,
    DIGIT = ALNUM | HTTP1_XDIGIT,
};

/* clang-format off */
const uint8_t http1_class[256] = {
    ['\t'] = V, [' '] = V, ['!'] = VTG, ['"'] = V, ['#'] = VT, ['$'] = VTG, ['%'] = VTG,
    ['&'] = VTG, ['\''] = VTG, ['('] = VG, [')'] = VG, ['*'] = VTG, ['+'] = VTG, [','] = VG,
    ['-'] = ALNUM, ['.'] = ALNUM, ['/'] = VG, ['0' ... '9'] = DIGIT, [':'] = VG, [';'] = VG,
    ['<'] = V, ['='] = VG, ['>'] = V, ['?'] = VG, ['@'] = VG, ['A' ... 'F'] = DIGIT,
    ['G' ... 'Z'] = ALNUM, ['['] = V, ['\\'] = V, [']'] = V, ['^'] = VT, ['_'] = ALNUM,
    ['`'] = VT, ['a' ... 'f'] = DIGIT, ['g' ... 'z'] = ALNUM, ['{'] = V, ['|'] = VT, ['}'] = V,
    ['~'] = ALNUM, [0x80 ... 0xff] = V,
};
/* clang-format on */

/* ---- the end of the head ----------------------------------------------------------------- */

enum { OTHER_LINES = 3 }; /* an empty one in front, the request line, the empty one at the end */

static const char *find_lf(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        __m128i c = _mm_loadu_si128((const void *)p);
        int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8('\n')));

        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '\n')
        p++;
    return p;
}

/* Input that is not HTTP at all, such as a TLS greeting, is refused at its first byte. */
static bool could_begin(struct str bytes)
{
    char c = bytes.p[0];

    if (c == '\r')
        return bytes.n == 1 || bytes.p[1] == '\n';
    return http1_is(c, HTTP1_TCHAR) || c == '\n';
}

static enum http1_step refuse(enum http1_reason *out, enum http1_reason why)
{
    *out = why;
    return HTTP1_REFUSED;
}

enum http1_step http1_head_end(struct http1_scan *scan, struct str bytes, const struct limits *l,
                               enum http1_reason *why)
{
    const char *end = bytes.p + bytes.n, *p = bytes.p + scan->at;

    if (bytes.n > (uint64_t)l->http_head_bytes)
        end = bytes.p + l->http_head_bytes;
    if (bytes.n && !could_begin(bytes))
        return refuse(why, HTTP1_METHOD);
    while ((p = find_lf(p, end)) < end) {
        ptrdiff_t i = p++ - bytes.p;

        if (i == 0 || bytes.p[i - 1] != '\r')
            return refuse(why, HTTP1_BARE_LF);
        if (scan->lines++ == l->http_headers + OTHER_LINES)
            return refuse(why, HTTP1_HEADER_COUNT);
        if (i >= 3 && bytes.p[i - 2] == '\n') {
            scan->at = (size_t)i + 1;
            return HTTP1_DONE;
        }
    }
    scan->at = (size_t)(end - bytes.p);
    if (scan->at < (uint64_t)l->http_head_bytes)
        return HTTP1_MORE;
    return refuse(why, scan->lines ? HTTP1_HEAD_LONG : HTTP1_TARGET_LONG);
}

/* ---- the request line -------------------------------------------------------------------- */

/* A head being read. Every line is known to end with CRLF, so p cannot run past the end. */
struct head_reader {
    const char *p, *end;
    const struct limits *l;
    struct http1_head *h;
    struct str host; /* value of the Host header */
    bool close, keep_alive;
    bool coding; /* a Transfer-Encoding was seen */
};

static struct str upto(const char *from, const char *to)
{
    return (struct str){ from, (size_t)(to - from) };
}

static bool known_method(struct str m)
{
    static const struct str method[] = {
        STR("POST"),    STR("GET"), STR("DELETE"), STR("HEAD"),
        STR("OPTIONS"), STR("PUT"), STR("PATCH"),
    };

    for (size_t i = 0; i < ARRAY_LEN(method); i++)
        if (str_eq(m, method[i]))
            return true;
    return false;
}

bool http1_authority(struct str authority, struct str *out_host, struct str *out_port)
{
    const char *p = authority.p, *end = p + authority.n, *host = p;
    struct str port = STR_NONE;
    uint64_t n;

    if (p < end && *p == '[') {
        p++;
        while (p < end && (http1_is(*p, HTTP1_XDIGIT) || *p == ':' || *p == '.'))
            p++;
        if (p - host < 3 || p == end || *p++ != ']')
            return false;
    } else {
        while (p < end && http1_is(*p, HTTP1_NCHAR))
            p++;
    }
    if (p == host || (p < end && *p != ':'))
        return false;
    if (p < end) {
        port = upto(p + 1, end);
        if (!str_uint(port, 0, 65535, &n))
            return false;
    }
    *out_host = upto(host, p);
    *out_port = port;
    return true;
}

/* http://host:port in front of the path. Leaves r->p behind it. */
static enum http1_reason read_absolute(struct head_reader *r)
{
    const char *p = r->p;
    struct str port;

    while (*p != '/' && *p != '?' && http1_is(*p, HTTP1_VCHAR) && *p != ' ')
        p++;
    r->h->authority = upto(r->p, p);
    if (!http1_authority(r->h->authority, &r->h->host, &port))
        return HTTP1_TARGET;
    r->p = p;
    return HTTP1_FINE;
}

/* Path and query, up to the first byte that is not allowed in them. */
static enum http1_reason read_path(struct head_reader *r)
{
    const char *p = r->p, *query = NULL;

    for (; http1_is(*p, HTTP1_PCHAR); p++) {
        if (*p == '?' && !query)
            query = p + 1;
        if (*p == '%' && !(http1_is(p[1], HTTP1_XDIGIT) && http1_is(p[2], HTTP1_XDIGIT)))
            return HTTP1_TARGET_CHAR;
    }
    r->h->path = query ? upto(r->p, query - 1) : upto(r->p, p);
    r->h->query = query ? upto(query, p) : STR_NONE;
    r->p = p;
    return HTTP1_FINE;
}

static bool skip_scheme(struct head_reader *r)
{
    struct str rest = upto(r->p, r->end);

    if (str_eq_nocase(str_head(rest, 7), STR("http://")))
        r->p += 7;
    else if (str_eq_nocase(str_head(rest, 8), STR("https://")))
        r->p += 8;
    else
        return false;
    return true;
}

static enum http1_reason read_target(struct head_reader *r)
{
    const char *start = r->p;
    enum http1_reason why = HTTP1_FINE;

    if (*r->p == '*' && r->p[1] == ' ' && str_eq(r->h->method, STR("OPTIONS"))) {
        r->h->path = upto(start, ++r->p);
    } else {
        if (*r->p != '/')
            why = skip_scheme(r) ? read_absolute(r) : HTTP1_TARGET;
        if (!why)
            why = read_path(r);
    }
    if (why)
        return why;
    r->h->target = upto(start, r->p);
    if (!r->h->path.n)
        r->h->path = STR("/"); /* http://host without a path */
    if (*r->p != ' ')
        return *r->p == '\r' ? HTTP1_LINE : HTTP1_TARGET_CHAR;
    return r->h->target.n > (uint64_t)r->l->http_target_bytes ? HTTP1_TARGET_LONG : HTTP1_FINE;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The version stands at the end of the line, so it is looked at first: other versions may have
 * other rules for what comes before. */
static enum http1_reason read_version(struct head_reader *r, const char *eol)
{
    const char *v = eol - 8;

    if (eol - r->p < 9 || v[-1] != ' ' || memcmp(v, "HTTP/", 5) || !is_digit(v[5]) || v[6] != '.' ||
        !is_digit(v[7]))
        return HTTP1_LINE;
    if (v[5] != '1' || v[7] > '1')
        return HTTP1_VERSION;
    r->h->minor = (uint8_t)(v[7] - '0');
    return HTTP1_FINE;
}

static enum http1_reason read_request_line(struct head_reader *r)
{
    const char *eol = find_lf(r->p, r->end) - 1, *p = r->p;
    enum http1_reason why;

    while (http1_is(*p, HTTP1_TCHAR))
        p++;
    r->h->method = upto(r->p, p);
    if (p == r->p || *p != ' ')
        return HTTP1_METHOD;
    r->p = p + 1;
    why = read_version(r, eol);
    if (why)
        return why;
    if (!known_method(r->h->method))
        return HTTP1_METHOD_OTHER;
    why = read_target(r);
    if (!why && r->p + 9 != eol) /* " HTTP/1.1" is all that may follow */
        why = HTTP1_LINE;
    r->p = eol + 2;
    return why;
}

/* ---- header fields ----------------------------------------------------------------------- */

/* The first byte from p on that is not allowed in a value, within end. */
static const char *value_end(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i low = _mm_set1_epi8(0x1f), del = _mm_set1_epi8(0x7f), tab = _mm_set1_epi8('\t');

    for (; end - p >= 16; p += 16) {
        __m128i c = _mm_loadu_si128((const void *)p);
        __m128i ctl = _mm_cmpeq_epi8(_mm_min_epu8(c, low), c);
        __m128i odd =
            _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(c, tab), ctl), _mm_cmpeq_epi8(c, del));
        int mask = _mm_movemask_epi8(odd);

        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (http1_is(*p, HTTP1_VCHAR))
        p++;
    return p;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static enum http1_reason read_field(struct head_reader *r, struct http_header *out)
{
    const char *p = r->p, *eol;

    if (is_blank(*p))
        return HTTP1_HEADER_FOLDED;
    while (http1_is(*p, HTTP1_TCHAR))
        p++;
    out->name = upto(r->p, p);
    if (p == r->p || *p++ != ':')
        return HTTP1_HEADER_NAME;
    while (is_blank(*p))
        p++;
    eol = value_end(p, r->end);
    if (eol[0] != '\r' || eol[1] != '\n')
        return HTTP1_HEADER_VALUE;
    r->p = eol + 2;
    while (eol > p && is_blank(eol[-1]))
        eol--;
    out->value = upto(p, eol);
    return HTTP1_FINE;
}

static enum http1_reason note_length(struct head_reader *r, struct str value)
{
    if (r->h->has_length)
        return HTTP1_LENGTH_TWICE;
    r->h->has_length = true;
    if (str_uint(value, 0, UINT64_MAX, &r->h->length))
        return HTTP1_FINE;
    for (size_t i = 0; i < value.n; i++)
        if (!is_digit(value.p[i]))
            return HTTP1_LENGTH_BAD;
    return value.n ? HTTP1_BODY_LONG : HTTP1_LENGTH_BAD;
}

static enum http1_reason note_coding(struct head_reader *r, struct str value)
{
    if (r->coding)
        return HTTP1_CODING_TWICE;
    r->coding = true;
    if (r->h->minor == 0)
        return HTTP1_CODING_OLD;
    r->h->chunked = str_eq_nocase(value, STR("chunked"));
    return r->h->chunked ? HTTP1_FINE : HTTP1_CODING;
}

static enum http1_reason note_connection(struct head_reader *r, struct str value)
{
    while (value.p) {
        struct str option = str_trim(str_cut(&value, ','));

        if (str_eq_nocase(option, STR("close")))
            r->close = true;
        else if (str_eq_nocase(option, STR("keep-alive")))
            r->keep_alive = true;
    }
    return HTTP1_FINE;
}

static enum http1_reason note_expect(struct head_reader *r, struct str value)
{
    if (r->h->minor == 0)
        return HTTP1_FINE; /* RFC 9110 10.1.1: not for HTTP/1.0 */
    r->h->expect_continue = str_eq_nocase(value, STR("100-continue"));
    return r->h->expect_continue ? HTTP1_FINE : HTTP1_EXPECT;
}

static enum http1_reason note_once(struct str *slot, struct str value, enum http1_reason twice)
{
    if (slot->p)
        return twice;
    *slot = value;
    return HTTP1_FINE;
}

/* Is f called `name`, which is lower case and as long? Exact, since f's name is a token. */
static bool named(const struct http_header *f, const char *name)
{
    for (size_t i = 0; i < f->name.n; i++)
        if ((f->name.p[i] | 0x20) != name[i])
            return false;
    return true;
}

/* The fields that bear on the message itself. Told apart by length first: most need no look. */
static enum http1_reason note(struct head_reader *r, const struct http_header *f)
{
    switch (f->name.n) {
    case 4:
        if (named(f, "host"))
            return note_once(&r->host, f->value, HTTP1_HOST_TWICE);
        break;
    case 6:
        if (named(f, "origin"))
            return note_once(&r->h->origin, f->value, HTTP1_ORIGIN_TWICE);
        if (named(f, "expect"))
            return note_expect(r, f->value);
        break;
    case 10:
        if (named(f, "connection"))
            return note_connection(r, f->value);
        break;
    case 14:
        if (named(f, "content-length"))
            return note_length(r, f->value);
        break;
    case 17:
        if (named(f, "transfer-encoding"))
            return note_coding(r, f->value);
        break;
    }
    return HTTP1_FINE;
}

static enum http1_reason check_host(struct head_reader *r)
{
    struct http1_head *h = r->h;
    struct str port;

    if (!r->host.p)
        return h->minor == 0 ? HTTP1_FINE : HTTP1_HOST_MISSING;
    if (h->authority.p)
        return str_eq_nocase(h->authority, r->host) ? HTTP1_FINE : HTTP1_HOST_DIFFERS;
    h->authority = r->host;
    return http1_authority(r->host, &h->host, &port) ? HTTP1_FINE : HTTP1_HOST_BAD;
}

static enum http1_reason check_whole(struct head_reader *r)
{
    if (r->coding && r->h->has_length)
        return HTTP1_LENGTH_CODED;
    r->h->keep_alive = !r->close && (r->h->minor == 1 || r->keep_alive);
    return check_host(r);
}

static enum http1_reason read_fields(struct head_reader *r)
{
    struct http1_head *h = r->h;
    enum http1_reason why = HTTP1_FINE;

    while (!why && *r->p != '\r') {
        struct http_header *f = &h->header[h->headers];

        if (h->headers++ == (uint64_t)r->l->http_headers)
            return HTTP1_HEADER_COUNT;
        why = read_field(r, f);
        if (!why)
            why = note(r, f);
    }
    if (why)
        return why;
    return r->p[1] == '\n' ? check_whole(r) : HTTP1_HEADER_NAME;
}

bool http1_head_read(struct str bytes, const struct limits *l, struct http_header *header,
                     struct http1_head *out, enum http1_reason *why)
{
    struct head_reader r = { .p = bytes.p, .end = bytes.p + bytes.n, .l = l, .h = out };
    enum http1_reason bad;

    assert(bytes.n >= 4 && memcmp(r.end - 4, "\r\n\r\n", 4) == 0);
    *out = (struct http1_head){ .header = header };
    if (*r.p == '\r') /* one empty line before the request is no offence */
        r.p += 2;
    bad = read_request_line(&r);
    if (!bad)
        bad = read_fields(&r);
    if (!bad)
        return true;
    *why = bad;
    return false;
}
