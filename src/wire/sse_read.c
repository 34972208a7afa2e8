/*
 * sse_read.c - the event stream reader.
 *
 *   START -> NAME -> SPACE -> VALUE
 *              ^       |        |
 *              +-------+--------+   at each line end
 *
 * START  at the start of the stream, or inside its byte order mark.
 * NAME   at the beginning of a line, or inside its field name.
 * SPACE  after the colon: one space is not part of the value.
 * VALUE  inside the value, which is appended to the buffer of its field.
 *
 * Every byte is searched at most twice (for CR and for LF) and copied at most once, wherever the
 * stream is split. The two searches remember their results; otherwise, in a stream with only one
 * kind of line end, the search for the other kind would scan the same bytes again and again.
 */
#include "wire/sse_read.h"

enum {
    NAME_MOST = 5, /* "event", "retry" */
    KEEP = 4096,   /* of buffer, between events */
};

static const char MARK[3] = { '\xef', '\xbb', '\xbf' };

struct scan {
    struct str s;
    size_t at;
    size_t cr, lf; /* the next ones from `at` on, or s.n; stale when below `at` */
};

void sse_read_init(struct sse_reader *r, size_t max, sse_event_fn *on_event, void *ctx)
{
    *r = (struct sse_reader){ .on_event = on_event, .ctx = ctx, .max = max, .retry_ms = -1 };
    buf_init(&r->data, max);
    buf_init(&r->event, max);
    buf_init(&r->value, max);
    buf_init(&r->next_id, max);
    buf_init(&r->last_id, max);
}

void sse_read_fini(struct sse_reader *r)
{
    buf_fini(&r->data);
    buf_fini(&r->event);
    buf_fini(&r->value);
    buf_fini(&r->next_id);
    buf_fini(&r->last_id);
}

void sse_read_stop(struct sse_reader *r)
{
    r->stopped = true;
}

/* ---- what is kept ----------------------------------------------------------------------- */

static void swap(struct buf *a, struct buf *b)
{
    struct buf t = *a;

    *a = *b;
    *b = t;
}

/* All that input can enlarge counts, so the maximum bounds the memory too. */
static bool keep(struct sse_reader *r, struct buf *to, struct str s, struct err *e)
{
    size_t held = r->data.n + r->event.n + r->value.n + r->next_id.n + r->last_id.n;

    if (held <= r->max && s.n <= r->max - held)
        return buf_put(to, s);
    r->failed = true;
    return fail(e, ERR_LIMIT, "an event of the stream is larger than %zu bytes", r->max);
}

static void sse_dispatch_event(struct sse_reader *r)
{
    struct sse_event ev = {
        .event = r->event.n ? buf_str(&r->event) : STR("message"),
        .data = { r->data.p, --r->data.n }, /* without the last newline */
        .own = &r->data,
        .id = buf_str(&r->last_id),
        .retry_ms = r->retry_ms,
    };

    r->on_event(&ev, r->ctx);
}

static void end_event(struct sse_reader *r)
{
    if (r->has_next_id) {
        swap(&r->last_id, &r->next_id);
        r->has_next_id = false;
    }
    if (r->data.n)
        sse_dispatch_event(r);
    buf_trim(&r->data, KEEP);
    buf_trim(&r->event, KEEP);
    buf_trim(&r->value, KEEP);
    buf_trim(&r->next_id, KEEP);
}

/* ---- lines ------------------------------------------------------------------------------ */

static enum sse_field field_named(struct str name)
{
    if (str_eq(name, STR("data")))
        return SSE_DATA;
    if (str_eq(name, STR("event")))
        return SSE_EVENT;
    if (str_eq(name, STR("id")))
        return SSE_ID;
    if (str_eq(name, STR("retry")))
        return SSE_RETRY;
    return SSE_UNKNOWN;
}

static void begin_value(struct sse_reader *r, enum sse_state state)
{
    r->field = field_named((struct str){ r->name, r->name_n });
    r->state = state;
    buf_clear(&r->value);
}

static void take_id(struct sse_reader *r)
{
    if (str_find_byte(buf_str(&r->value), '\0') >= 0)
        return;
    swap(&r->next_id, &r->value);
    r->has_next_id = true;
}

static void take_retry(struct sse_reader *r)
{
    uint64_t ms;

    if (str_uint(buf_str(&r->value), 0, INT64_MAX, &ms))
        r->retry_ms = (int64_t)ms;
}

static bool end_field(struct sse_reader *r, struct err *e)
{
    switch (r->field) {
    case SSE_DATA: return keep(r, &r->data, STR("\n"), e);
    case SSE_EVENT: swap(&r->event, &r->value); break;
    case SSE_ID: take_id(r); break;
    case SSE_RETRY: take_retry(r); break;
    case SSE_UNKNOWN: break;
    }
    buf_clear(&r->value);
    return true;
}

static bool end_line(struct sse_reader *r, struct err *e)
{
    bool blank = r->state == SSE_NAME && r->name_n == 0, ok = true;

    if (r->state == SSE_NAME)
        begin_value(r, SSE_VALUE); /* no colon: the whole line is the name */
    if (blank)
        end_event(r);
    else
        ok = end_field(r, e);
    r->state = SSE_NAME;
    r->name_n = 0;
    return ok;
}

/* ---- bytes ------------------------------------------------------------------------------ */

static size_t next_of(const struct scan *sc, char c)
{
    const char *p = memchr(sc->s.p + sc->at, c, sc->s.n - sc->at);

    return p ? (size_t)(p - sc->s.p) : sc->s.n;
}

static size_t line_end(struct scan *sc)
{
    if (sc->cr < sc->at)
        sc->cr = next_of(sc, '\r');
    if (sc->lf < sc->at)
        sc->lf = next_of(sc, '\n');
    return sc->cr < sc->lf ? sc->cr : sc->lf;
}

static void read_mark(struct sse_reader *r, struct scan *sc)
{
    while (sc->at < sc->s.n && r->name_n < sizeof(MARK) && sc->s.p[sc->at] == MARK[r->name_n]) {
        r->name_n++;
        sc->at++;
    }
    if (sc->at == sc->s.n && r->name_n < sizeof(MARK))
        return;
    if (r->name_n == 0 || r->name_n == sizeof(MARK)) {
        r->name_n = 0;
        r->state = SSE_NAME;
        return;
    }
    begin_value(r, SSE_VALUE); /* half a mark: the beginning of a line that means nothing */
    r->field = SSE_UNKNOWN;
}

static void read_name(struct sse_reader *r, struct scan *sc)
{
    for (; sc->at < sc->s.n; sc->at++) {
        char c = sc->s.p[sc->at];

        if (c == '\r' || c == '\n')
            return;
        if (c == ':' || r->name_n > NAME_MOST) {
            begin_value(r, c == ':' ? SSE_SPACE : SSE_VALUE);
            sc->at++;
            return;
        }
        r->name[r->name_n++] = c;
    }
}

static bool read_value(struct sse_reader *r, struct scan *sc, struct err *e)
{
    size_t end = line_end(sc);
    struct str part = { sc->s.p + sc->at, end - sc->at };

    sc->at = end;
    switch (r->field) {
    case SSE_DATA: return keep(r, &r->data, part, e);
    case SSE_EVENT:
    case SSE_ID:
    case SSE_RETRY: return keep(r, &r->value, part, e);
    case SSE_UNKNOWN: break;
    }
    return true;
}

/* Up to the next line end, or to the end of the piece. */
static bool read_line(struct sse_reader *r, struct scan *sc, struct err *e)
{
    if (r->state == SSE_START)
        read_mark(r, sc);
    if (r->state == SSE_NAME)
        read_name(r, sc);
    if (r->state == SSE_SPACE && sc->at < sc->s.n) {
        sc->at += sc->s.p[sc->at] == ' ';
        r->state = SSE_VALUE;
    }
    return r->state != SSE_VALUE || read_value(r, sc, e);
}

bool sse_read_feed(struct sse_reader *r, struct str bytes, struct err *e)
{
    struct scan sc = { .s = bytes };

    sc.cr = bytes.n ? next_of(&sc, '\r') : 0;
    sc.lf = bytes.n ? next_of(&sc, '\n') : 0;
    if (r->failed)
        return fail(e, ERR_LIMIT, "an event of the stream was larger than %zu bytes", r->max);
    while (sc.at < bytes.n && !r->stopped) {
        if (r->after_cr && bytes.p[sc.at] == '\n')
            sc.at++;
        r->after_cr = false;
        if (!read_line(r, &sc, e))
            return false;
        if (sc.at == bytes.n)
            break;
        r->after_cr = bytes.p[sc.at++] == '\r';
        if (!end_line(r, e))
            return false;
    }
    return true;
}
