/*
 * fuzz_http.c - our reader of requests against http-parser, which is lenient and well tried.
 *
 *   - What we accept, it accepts: same method, target, header fields, body, and same end. Two
 *     readers that disagree about where a request ends are the root of request smuggling.
 *   - What it accepts and we refuse, we refuse for a reason in stricter[]. That list is the test:
 *     a reason that is not in it means that we refuse something that is not odd.
 *   - While we want more bytes, it has not seen the end either; unless it took something for
 *     the end of the head that makes us refuse the head as soon as it does end.
 *   - How the bytes are portioned changes nothing.
 *
 * The input is a connection: requests one behind the other.
 */
#include "wire/http1_parse.h"

#include <http_parser.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_HEADERS = 16, MOST_BODY = 512, MOST_INPUT = 4096 };

/* One request as a reader understood it. */
struct message {
    enum http1_step step;
    enum http1_reason why; /* ours */
    size_t used;           /* bytes of the input that it takes */
    struct str method, target;
    struct http_header header[MOST_HEADERS];
    size_t headers;
    char body[MOST_BODY];
    size_t body_n;
    bool keep_alive;
    bool has_head;
};

/* Small, so that short inputs reach them. */
static struct limits limits;

__attribute__((constructor)) static void set_limits(void)
{
    limits_preset(&limits);
    limits.http_head_bytes = 512;
    limits.http_target_bytes = 128;
    limits.http_headers = MOST_HEADERS - 4;
    limits.message_bytes = MOST_BODY;
}

/* Where http-parser accepts and we do not, on purpose. */
static const bool stricter[HTTP1_REASON_COUNT] = {
    [HTTP1_METHOD] = true,        /* more than one empty line in front */
    [HTTP1_METHOD_OTHER] = true,  /* WebDAV and others */
    [HTTP1_LINE] = true,          /* HTTP/0.9; more spaces */
    [HTTP1_VERSION] = true,       /* any two numbers */
    [HTTP1_TARGET] = true,        /* any scheme, user@host */
    [HTTP1_TARGET_CHAR] = true,   /* raw UTF-8, quotes, %zz, a fragment */
    [HTTP1_TARGET_LONG] = true,   /* limit */
    [HTTP1_BARE_LF] = true,       /* LF alone ends a line */
    [HTTP1_HEAD_LONG] = true,     /* limit */
    [HTTP1_HEADER_COUNT] = true,  /* limit */
    [HTTP1_HEADER_NAME] = true,   /* space before the colon */
    [HTTP1_HEADER_FOLDED] = true, /* folded lines */
    [HTTP1_HEADER_VALUE] = true,  /* a control character right behind the colon */
    [HTTP1_HOST_MISSING] = true,  /* it does not look at Host */
    [HTTP1_HOST_TWICE] = true,    /* likewise */
    [HTTP1_HOST_BAD] = true,      /* likewise */
    [HTTP1_HOST_DIFFERS] = true,  /* likewise */
    [HTTP1_ORIGIN_TWICE] = true,  /* likewise */
    [HTTP1_LENGTH_BAD] = true,    /* empty */
    [HTTP1_CODING] = true,        /* other codings before chunked */
    [HTTP1_CODING_TWICE] = true,  /* the same in two lines */
    [HTTP1_CODING_OLD] = true,    /* chunked with HTTP/1.0 */
    [HTTP1_EXPECT] = true,        /* it does not look at Expect */
    [HTTP1_BODY_LONG] = true,     /* limit */
    [HTTP1_CHUNK_SIZE] = true,    /* spaces behind the size, very many zeros */
    [HTTP1_CHUNK_END] = true,     /* it skips what stands in place of CRLF */
    [HTTP1_CHUNK_EXTRA] = true,   /* control characters in extensions */
    [HTTP1_TRAILER] = true,       /* as with header fields */
    [HTTP1_TRAILER_LONG] = true,  /* limit */
};

__attribute__((noreturn)) static void complain(const char *what, const struct message *ours,
                                               const struct message *theirs)
{
    fprintf(stderr, "%s\nours:   step %d, used %zu, body %zu, headers %zu (%s)\n", what, ours->step,
            ours->used, ours->body_n, ours->headers,
            ours->step == HTTP1_REFUSED ? http1_text(ours->why) : "-");
    if (theirs)
        fprintf(stderr, "theirs: step %d, used %zu, body %zu, headers %zu\n", theirs->step,
                theirs->used, theirs->body_n, theirs->headers);
    abort();
}

static void add_body(struct message *m, struct str data)
{
    if (data.n > MOST_BODY - m->body_n)
        abort(); /* past the limit that both were told of */
    memcpy(m->body + m->body_n, data.p, data.n);
    m->body_n += data.n;
}

/* ---- ours -------------------------------------------------------------------------------- */

/* A reading in progress. */
struct reading {
    struct message *m;
    struct http1_scan scan;
    struct http1_body body;
};

/* A copy that ends where its block ends, so that a sanitizer sees one byte too far. */
static char *exact(struct str s)
{
    char *copy = malloc(s.n ? s.n : 1);

    if (s.n)
        memcpy(copy, s.p, s.n);
    return copy;
}

/* `all` is the input so far; strings of the head must point there, not into the copy. */
static bool read_head(struct reading *r, struct str all)
{
    struct message *m = r->m;
    struct http1_head head;
    char *copy = exact(str_head(all, r->scan.at));
    bool ok = http1_head_read((struct str){ copy, r->scan.at }, &limits, m->header, &head, &m->why);

    free(copy);
    if (!ok || !http1_head_read(str_head(all, r->scan.at), &limits, m->header, &head, &m->why) ||
        !http1_body_begin(&r->body, &head, &limits, &m->why)) {
        m->step = HTTP1_REFUSED;
        return false;
    }
    m->method = head.method;
    m->target = head.target;
    m->headers = head.headers;
    m->keep_alive = head.keep_alive;
    m->used = r->scan.at;
    m->has_head = true;
    return true;
}

static void read_body(struct reading *r, struct str in)
{
    struct message *m = r->m;
    size_t had = in.n;
    struct str data;

    while ((m->step = http1_body_read(&r->body, &in, &data, &m->why)) == HTTP1_DATA)
        add_body(m, data);
    m->used += had - in.n;
}

/* all[0..had] was seen before, all[had..] is new. */
static void feed(struct reading *r, struct str all, size_t had)
{
    char *copy;

    if (!r->m->has_head) {
        copy = exact(all);
        r->m->step = http1_head_end(&r->scan, (struct str){ copy, all.n }, &limits, &r->m->why);
        free(copy);
        if (r->m->step != HTTP1_DONE || !read_head(r, all))
            return;
        had = r->m->used;
    }
    copy = exact(str_skip(all, had));
    read_body(r, (struct str){ copy, all.n - had });
    free(copy);
}

/* `seed` 0: all at once; else in portions that follow from it. */
static void read_ours(struct message *m, struct str in, uint32_t seed)
{
    struct reading r = { .m = m };
    size_t had = 0;

    memset(m, 0, sizeof(*m));
    while (had < in.n && m->step == HTTP1_MORE) {
        size_t n = in.n - had;

        seed = seed * 1664525 + 1013904223 * (seed != 0);
        if (seed && n > 1)
            n = 1 + (seed >> 16) % (seed & 0x8000 ? 3 : n);
        if (n > in.n - had)
            n = in.n - had;
        feed(&r, str_head(in, had + n), had);
        had += n;
    }
}

/* ---- theirs ------------------------------------------------------------------------------ */

static struct message *theirs_of(http_parser *p)
{
    return p->data;
}

static int on_url(http_parser *p, const char *at, size_t n)
{
    struct message *m = theirs_of(p);

    if (!m->target.p)
        m->target.p = at;
    m->target.n += n;
    return 0;
}

/* Fields of the trailer are told like those of the head; nobody keeps them. */
static bool in_trailer(const http_parser *p)
{
    return theirs_of((http_parser *)p)->method.p != NULL;
}

static int on_field(http_parser *p, const char *at, size_t n)
{
    struct message *m = theirs_of(p);

    if (!in_trailer(p) && m->headers < MOST_HEADERS)
        m->header[m->headers].name = (struct str){ at, n };
    return 0;
}

static int on_value(http_parser *p, const char *at, size_t n)
{
    struct message *m = theirs_of(p);

    if (!in_trailer(p) && m->headers < MOST_HEADERS)
        m->header[m->headers++].value = str_trim((struct str){ at, n });
    return 0;
}

static int on_head(http_parser *p)
{
    theirs_of(p)->method = str_of(http_method_str((enum http_method)p->method));
    /* it overlooks some keep-alives of HTTP/1.0, which harms nobody */
    theirs_of(p)->keep_alive = p->http_minor == 0 || http_should_keep_alive(p);
    return 0;
}

static int on_body(http_parser *p, const char *at, size_t n)
{
    struct message *m = theirs_of(p);

    if (n > MOST_BODY - m->body_n)
        return 1; /* more than we would take: we must have refused it */
    add_body(m, (struct str){ at, n });
    return 0;
}

static int on_complete(http_parser *p)
{
    theirs_of(p)->step = HTTP1_DONE;
    http_parser_pause(p, 1);
    return 0;
}

/*
 * It reads Content-Length and Transfer-Encoding in a trailer and stumbles over bad ones. We do
 * not look at what we drop.
 */
static bool stumbled_in_trailer(const http_parser *p)
{
    enum http_errno e = HTTP_PARSER_ERRNO(p);

    return in_trailer(p) && (e == HPE_INVALID_CONTENT_LENGTH || e == HPE_UNEXPECTED_CONTENT_LENGTH);
}

/* It takes Transfer-Encodingx for Transfer-Encoding. */
static bool mixed_up_names(const http_parser *p, const struct message *m)
{
    const struct str name = STR("transfer-encoding");

    for (size_t i = 0; i < m->headers; i++)
        if (m->header[i].name.n > name.n &&
            str_eq_nocase(str_head(m->header[i].name, name.n), name))
            return HTTP_PARSER_ERRNO(p) == HPE_INVALID_TRANSFER_ENCODING ||
                   HTTP_PARSER_ERRNO(p) == HPE_UNEXPECTED_CONTENT_LENGTH;
    return false;
}

/* False when it cannot serve as a witness. */
static bool read_theirs(struct message *m, struct str in)
{
    static const http_parser_settings settings = { .on_url = on_url,
                                                   .on_header_field = on_field,
                                                   .on_header_value = on_value,
                                                   .on_headers_complete = on_head,
                                                   .on_body = on_body,
                                                   .on_message_complete = on_complete };
    http_parser p;

    memset(m, 0, sizeof(*m));
    http_parser_init(&p, HTTP_REQUEST);
    p.data = m;
    m->used = http_parser_execute(&p, &settings, in.p, in.n);
    if (stumbled_in_trailer(&p) || mixed_up_names(&p, m))
        return false;
    if (m->step != HTTP1_DONE && HTTP_PARSER_ERRNO(&p) != HPE_OK)
        m->step = HTTP1_REFUSED;
    return true;
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool same_headers(const struct message *a, const struct message *b)
{
    if (a->headers != b->headers)
        return false;
    for (size_t i = 0; i < a->headers; i++)
        if (!str_eq(a->header[i].name, b->header[i].name) ||
            !str_eq(a->header[i].value, b->header[i].value))
            return false;
    return true;
}

static bool same(const struct message *a, const struct message *b)
{
    return str_eq(a->method, b->method) && str_eq(a->target, b->target) && same_headers(a, b) &&
           a->body_n == b->body_n && !memcmp(a->body, b->body, a->body_n);
}

static void check_portions(const struct message *whole, struct str in, uint32_t seed)
{
    static struct message parts;

    read_ours(&parts, in, seed | 1);
    if (parts.step != whole->step)
        complain("portions change the outcome", whole, &parts);
    if (whole->step == HTTP1_REFUSED && parts.why != whole->why)
        complain("portions change the reason", whole, &parts);
    if (whole->step == HTTP1_DONE && (!same(whole, &parts) || whole->used != parts.used))
        complain("portions change the request", whole, &parts);
}

/* A carriage return alone ends a line for it. */
static bool refused_when_it_ends(struct str in)
{
    static struct message ended;
    static char all[MOST_INPUT + 4];

    memcpy(all, in.p, in.n);
    memcpy(all + in.n, "\r\n\r\n", 4);
    read_ours(&ended, (struct str){ all, in.n + 4 }, 0);
    return ended.step == HTTP1_REFUSED && stricter[ended.why];
}

static void check_witness(const struct message *ours, struct str in)
{
    static struct message theirs;

    if (!read_theirs(&theirs, in))
        return;
    if (ours->step == HTTP1_DONE && theirs.step != HTTP1_DONE)
        complain("accepted by us only", ours, &theirs);
    if (ours->step == HTTP1_DONE && (!same(ours, &theirs) || ours->used != theirs.used))
        complain("understood differently", ours, &theirs);
    if (ours->step == HTTP1_DONE && ours->keep_alive && !theirs.keep_alive)
        complain("a wish to close is overheard", ours, &theirs);
    if (ours->step == HTTP1_MORE && theirs.step == HTTP1_DONE &&
        (ours->has_head || !refused_when_it_ends(in)))
        complain("its end is overheard", ours, &theirs);
    if (ours->step == HTTP1_REFUSED && theirs.step == HTTP1_DONE && !stricter[ours->why])
        complain("refused for no good reason", ours, &theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct message ours;
    struct str in = { (const char *)data, size < MOST_INPUT ? size : MOST_INPUT };

    for (uint32_t seed = 1; in.n; seed += (uint32_t)in.n) {
        read_ours(&ours, in, 0);
        check_portions(&ours, in, seed * 2654435761u);
        check_portions(&ours, in, 1); /* mostly tiny */
        check_witness(&ours, in);
        if (ours.step != HTTP1_DONE)
            break;
        in = str_skip(in, ours.used);
    }
    return 0;
}
