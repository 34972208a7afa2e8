/*
 * frame.c - the reader's states:
 *
 *   START        at the beginning of a message, or between two
 *   LINE         inside a line; `part` has the bytes so far. If the line is a Content-...
 *                header, a header block begins with it
 *   HEADERS      inside a header block; `part` has the bytes of its unfinished line
 *   BODY         inside a body of `length` bytes
 *   DRAIN_LINE   inside a line that is too large: its rest is dropped
 *   DRAIN_BODY   inside a body that is too large: `skip` bytes are dropped
 *
 * In the two DRAIN states, `part` keeps the first FRAME_SALVAGE bytes. A message that arrives in
 * one piece is passed on without a copy.
 */
#include "wire/frame.h"

#include "base/digits.h"

enum frame_state { START, LINE, HEADERS, BODY, DRAIN_LINE, DRAIN_BODY };

static const size_t UNKNOWN = SIZE_MAX; /* `length` before a Content-Length was seen */

enum { KEEP_ROOM = 64 << 10 }; /* a larger buffer is given back after its message */

void frame_reader_init(struct frame_reader *r, enum framing force, const struct limits *limits)
{
    *r = (struct frame_reader){ .force = force,
                                .last = force == FRAMING_HEADER ? FRAMING_HEADER : FRAMING_LINE,
                                .max = (size_t)limits->message_bytes,
                                .max_header = (size_t)limits->header_frame_bytes };
    buf_init(&r->part, r->max + r->max_header + FRAME_SALVAGE);
}

void frame_reader_fini(struct frame_reader *r)
{
    buf_fini(&r->part);
}

void frame_reader_stop(struct frame_reader *r)
{
    r->stopped = true;
}

enum framing frame_reader_answer_in(const struct frame_reader *r)
{
    return r->last;
}

/* ---- handing out ------------------------------------------------------------------------ */

struct emit {
    frame_fn *fn;
    void *ctx;
};

static void hand_out(struct frame_reader *r, const struct emit *to, enum frame_kind kind,
                     struct str text, struct buf *own)
{
    struct frame f = { kind, text, own };

    r->state = START;
    to->fn(to->ctx, &f);
}

struct str frame_take(const struct frame *frame, struct buf *kept)
{
    if (frame->own && frame->own->n == frame->text.n && frame->own->room > KEEP_ROOM) {
        *kept = *frame->own;
        *frame->own = (struct buf){ .max = kept->max };
        return buf_str(kept);
    }
    buf_init(kept, frame->text.n);
    buf_put(kept, frame->text);
    return buf_str(kept);
}

/* ---- header blocks ---------------------------------------------------------------------- */

static bool header_named(struct str line, const char *name, struct str *value)
{
    struct str rest = line;
    struct str head = str_cut(&rest, ':');

    if (!rest.p || !str_eq_nocase(str_trim(head), str_of(name)))
        return false;
    *value = str_trim(rest);
    return true;
}

static bool opens_headers(const struct frame_reader *r, struct str line)
{
    struct str value;

    if (r->force != FRAMING_AUTO || line.p[0] == '{' || line.p[0] == '[')
        return false;
    return header_named(line, "content-length", &value) ||
           header_named(line, "content-type", &value);
}

static void bad_header(struct frame_reader *r, const struct emit *to, struct str wrong)
{
    r->last = FRAMING_HEADER;
    hand_out(r, to, FRAME_BAD_HEADER, wrong, NULL);
}

/* The empty line behind the headers. */
static void begin_body(struct frame_reader *r, const struct emit *to)
{
    if (r->length == UNKNOWN) {
        bad_header(r, to, STR_NONE);
        return;
    }
    r->last = FRAMING_HEADER;
    r->state = BODY;
    if (r->length > r->max) {
        r->skip = r->length;
        r->state = DRAIN_BODY;
    } else if (r->length == 0) {
        hand_out(r, to, FRAME_MESSAGE, STR(""), NULL);
    }
}

/* Letters, digits and hyphens, then a colon. */
static bool is_header(struct str line)
{
    struct str rest = line;
    struct str name = str_trim(str_cut(&rest, ':'));

    for (size_t i = 0; i < name.n; i++) {
        char c = (char)(name.p[i] | 0x20);

        if ((c < 'a' || c > 'z') && (name.p[i] < '0' || name.p[i] > '9') && name.p[i] != '-')
            return false;
    }
    return rest.p && name.n;
}

/* One line of a header block, without its line end. Headers we do not know are ignored. */
static void take_header(struct frame_reader *r, const struct emit *to, struct str line)
{
    struct str value;
    uint64_t n;

    r->state = HEADERS;
    if (!line.n) {
        begin_body(r, to);
    } else if (header_named(line, "content-length", &value)) {
        if (str_uint(value, 0, SIZE_MAX / 2, &n) && r->length == UNKNOWN)
            r->length = (size_t)n;
        else
            bad_header(r, to, line);
    } else if (!is_header(line)) {
        bad_header(r, to, line);
    }
}

/* ---- lines ------------------------------------------------------------------------------ */

/* A whole line, in `own` or borrowed. */
static void take_line(struct frame_reader *r, const struct emit *to, struct str line,
                      struct buf *own)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    if (own)
        own->n = line.n;
    if (r->state == HEADERS || (line.n && opens_headers(r, line))) {
        take_header(r, to, line);
        return;
    }
    r->last = FRAMING_LINE;
    r->state = START;
    if (str_trim(line).n)
        hand_out(r, to, FRAME_MESSAGE, line, own);
}

/* Bytes of a message that is being dropped: its first ones are kept. */
static void salvage(struct frame_reader *r, struct str bytes)
{
    if (r->part.n > FRAME_SALVAGE)
        r->part.n = FRAME_SALVAGE;
    buf_put(&r->part, str_head(bytes, FRAME_SALVAGE - r->part.n));
}

static void emit_too_large(struct frame_reader *r, const struct emit *to, enum framing in)
{
    r->last = in;
    hand_out(r, to, FRAME_TOO_LARGE, buf_str(&r->part), NULL);
    buf_trim(&r->part, KEEP_ROOM);
}

static void line_too_long(struct frame_reader *r, const struct emit *to, struct str line,
                          bool complete)
{
    r->state = DRAIN_LINE;
    salvage(r, line);
    if (complete)
        emit_too_large(r, to, FRAMING_LINE);
}

static struct str on_line(struct frame_reader *r, struct str in, const struct emit *to)
{
    size_t max = r->state == HEADERS ? r->max_header : r->max;
    ptrdiff_t nl = str_find_byte(in, '\n');
    struct str line = str_head(in, nl < 0 ? in.n : (size_t)nl);

    if (line.n > max - r->part.n) {
        line_too_long(r, to, line, nl >= 0);
    } else if (nl >= 0 && !r->part.n) {
        take_line(r, to, line, NULL);
    } else {
        buf_put(&r->part, line);
        if (nl >= 0) {
            take_line(r, to, buf_str(&r->part), &r->part);
            buf_trim(&r->part, KEEP_ROOM);
        }
    }
    return str_skip(in, line.n + (nl >= 0));
}

static struct str on_drain_line(struct frame_reader *r, struct str in, const struct emit *to)
{
    ptrdiff_t nl = str_find_byte(in, '\n');
    struct str line = str_head(in, nl < 0 ? in.n : (size_t)nl);

    salvage(r, line);
    if (nl >= 0)
        emit_too_large(r, to, FRAMING_LINE);
    return str_skip(in, line.n + (nl >= 0));
}

/* ---- bodies ----------------------------------------------------------------------------- */

static struct str on_body(struct frame_reader *r, struct str in, const struct emit *to)
{
    size_t want = r->length - r->part.n;
    struct str here = str_head(in, want);

    if (here.n == r->length) {
        hand_out(r, to, FRAME_MESSAGE, here, NULL);
        return str_skip(in, here.n);
    }
    if (!r->part.n)
        buf_reserve(&r->part, r->length);
    buf_put(&r->part, here);
    if (here.n == want) {
        hand_out(r, to, FRAME_MESSAGE, buf_str(&r->part), &r->part);
        buf_trim(&r->part, KEEP_ROOM);
    }
    return str_skip(in, here.n);
}

static struct str on_drain_body(struct frame_reader *r, struct str in, const struct emit *to)
{
    struct str here = str_head(in, r->skip);

    salvage(r, here);
    r->skip -= here.n;
    if (!r->skip)
        emit_too_large(r, to, FRAMING_HEADER);
    return str_skip(in, here.n);
}

/* ---- the whole -------------------------------------------------------------------------- */

/* Space between messages is skipped. */
static struct str on_start(struct frame_reader *r, struct str in)
{
    while (in.n && (in.p[0] == ' ' || in.p[0] == '\t' || in.p[0] == '\r' || in.p[0] == '\n'))
        in = str_skip(in, 1);
    if (in.n) {
        r->length = UNKNOWN;
        r->state = r->force == FRAMING_HEADER ? HEADERS : LINE;
    }
    return in;
}

void frame_reader_feed(struct frame_reader *r, struct str bytes, frame_fn *fn, void *ctx)
{
    const struct emit to = { fn, ctx };

    while (bytes.n && !r->stopped) {
        switch ((enum frame_state)r->state) {
        case START: bytes = on_start(r, bytes); break;
        case LINE:
        case HEADERS: bytes = on_line(r, bytes, &to); break;
        case BODY: bytes = on_body(r, bytes, &to); break;
        case DRAIN_LINE: bytes = on_drain_line(r, bytes, &to); break;
        case DRAIN_BODY: bytes = on_drain_body(r, bytes, &to); break;
        }
    }
}

void frame_reader_end(struct frame_reader *r, frame_fn *fn, void *ctx)
{
    if (r->state == LINE && r->part.n)
        frame_reader_feed(r, STR("\n"), fn, ctx);
}

/* ---- names ------------------------------------------------------------------------------ */

bool framing_named(struct str name, enum framing *out)
{
    static const char *const names[] = {
        [FRAMING_AUTO] = "auto", [FRAMING_LINE] = "line", [FRAMING_HEADER] = "header"
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq(name, str_of(names[i]))) {
            *out = (enum framing)i;
            return true;
        }
    }
    return false;
}

size_t frame_header(size_t length, char out[FRAME_HEADER])
{
    static const char head[] = "Content-Length: ";
    size_t n = sizeof(head) - 1;

    memcpy(out, head, n);
    n += digits_put(out + n, length);
    memcpy(out + n, "\r\n\r\n", 4);
    return n + 4;
}
