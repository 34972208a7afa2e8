/*
 * fuzz_sse.c - the event stream reader against a slow one that reads the rules aloud.
 *
 * The first two bytes choose the maximum and where the stream is cut. Read whole and in pieces
 * the events must be the same, and both must be those of the slow reader, until the maximum is
 * passed; what is held never passes it.
 */
#include "base/mem.h"
#include "wire/sse_read.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOG_MAX = 64 << 20 };

static void note(const struct sse_event *ev, void *ctx)
{
    struct buf *log = ctx;

    buf_printf(log, "%zu %zu %zu %jd ", ev->event.n, ev->id.n, ev->data.n, (intmax_t)ev->retry_ms);
    buf_put(log, ev->event);
    buf_put(log, ev->id);
    buf_put(log, ev->data);
    buf_putc(log, '\n');
}

static void must(bool cond)
{
    if (!cond)
        abort();
}

/* ---- the slow reader -------------------------------------------------------------------- */

struct slow {
    struct buf data, event, next_id, last_id;
    int64_t retry_ms;
    struct buf *log;
};

static void slow_set(struct buf *b, struct str s)
{
    buf_clear(b);
    buf_put(b, s);
}

static void slow_field(struct slow *s, struct str name, struct str value)
{
    uint64_t ms;

    if (str_eq(name, STR("data"))) {
        buf_put(&s->data, value);
        buf_putc(&s->data, '\n');
    } else if (str_eq(name, STR("event"))) {
        slow_set(&s->event, value);
    } else if (str_eq(name, STR("id")) && str_find_byte(value, '\0') < 0) {
        slow_set(&s->next_id, value);
    } else if (str_eq(name, STR("retry")) && str_uint(value, 0, INT64_MAX, &ms)) {
        s->retry_ms = (int64_t)ms;
    }
}

static void slow_line(struct slow *s, struct str line)
{
    ptrdiff_t colon = str_find_byte(line, ':');
    struct str value = STR("");

    if (line.n == 0) {
        slow_set(&s->last_id, buf_str(&s->next_id));
        if (s->data.n)
            note(&(struct sse_event){ .event = s->event.n ? buf_str(&s->event) : STR("message"),
                                      .data = { s->data.p, s->data.n - 1 },
                                      .id = buf_str(&s->last_id),
                                      .retry_ms = s->retry_ms },
                 s->log);
        buf_clear(&s->data);
        buf_clear(&s->event);
        return;
    }
    if (colon >= 0)
        value = str_skip(line, (size_t)colon + 1);
    if (str_starts(value, STR(" ")))
        value = str_skip(value, 1);
    slow_field(s, colon >= 0 ? str_head(line, (size_t)colon) : line, value);
}

static void slow_read(struct str in, struct buf *log)
{
    struct slow s = { .retry_ms = -1, .log = log };

    buf_init(&s.data, LOG_MAX);
    buf_init(&s.event, LOG_MAX);
    buf_init(&s.next_id, LOG_MAX);
    buf_init(&s.last_id, LOG_MAX);
    if (str_starts(in, STR("\xef\xbb\xbf")))
        in = str_skip(in, 3);
    for (size_t i = 0; i < in.n; i++) {
        if (in.p[i] != '\r' && in.p[i] != '\n')
            continue;
        slow_line(&s, str_head(in, i));
        if (in.p[i] == '\r' && i + 1 < in.n && in.p[i + 1] == '\n')
            i++;
        in = str_skip(in, i + 1);
        i = (size_t)-1;
    }
    buf_fini(&s.data);
    buf_fini(&s.event);
    buf_fini(&s.next_id);
    buf_fini(&s.last_id);
}

/* ---- ours ------------------------------------------------------------------------------- */

/* Feed a copy of exactly these bytes, so that a read past them is seen. */
static bool feed(struct sse_reader *r, struct str s)
{
    char *exact = mem_alloc(s.n);
    struct err e;
    bool ok;

    if (s.n)
        memcpy(exact, s.p, s.n);
    ok = sse_read_feed(r, (struct str){ exact, s.n }, &e);
    mem_free(exact);
    must(r->data.n + r->event.n + r->value.n + r->next_id.n + r->last_id.n <= r->max);
    must(ok || e.code == ERR_LIMIT);
    return ok;
}

static bool read_cut(struct str in, size_t max, uint32_t seed, struct buf *log)
{
    struct sse_reader r;
    bool ok = true;

    sse_read_init(&r, max, note, log);
    while (in.n && ok) {
        size_t n = in.n;

        if (seed) {
            seed = seed * 1103515245 + 12345;
            n = (seed >> 16) % ((seed >> 8) % 31 + 1);
        }
        n = n < in.n ? n : in.n;
        ok = feed(&r, str_head(in, n));
        in = str_skip(in, n);
    }
    sse_read_fini(&r);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole, cut, slow;
    struct str in;
    size_t max;
    bool ok;

    if (size < 2)
        return 0;
    max = data[0] < 128 ? data[0] : 1 << 20;
    in = (struct str){ (const char *)data + 2, size - 2 };
    buf_init(&whole, LOG_MAX);
    buf_init(&cut, LOG_MAX);
    buf_init(&slow, LOG_MAX);

    ok = read_cut(in, max, 0, &whole);
    must(read_cut(in, max, data[1] + 1u, &cut) == ok);
    slow_read(in, &slow);
    must(str_eq(buf_str(&whole), buf_str(&cut)));
    must(ok ? str_eq(buf_str(&whole), buf_str(&slow))
            : str_starts(buf_str(&slow), buf_str(&whole)));

    buf_fini(&whole);
    buf_fini(&cut);
    buf_fini(&slow);
    return 0;
}
