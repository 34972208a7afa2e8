/* Each stream is read whole, cut in two at every place, and in small steps: the same events. */
#include "tap.h"
#include "wire/sse_read.h"

#include <stdlib.h>

struct log {
    struct buf text; /* type/id/retry=data; */
    struct sse_reader *reader;
    int stop_after, events;
};

static void on_event(const struct sse_event *ev, void *ctx)
{
    struct log *log = ctx;

    buf_put(&log->text, ev->event);
    buf_putc(&log->text, '/');
    buf_put(&log->text, ev->id);
    if (ev->retry_ms >= 0)
        buf_printf(&log->text, "/%jd", (intmax_t)ev->retry_ms);
    buf_putc(&log->text, '=');
    buf_put(&log->text, ev->data);
    buf_putc(&log->text, ';');
    if (++log->events == log->stop_after)
        sse_read_stop(log->reader);
}

struct row {
    const char *claim;
    struct str stream;
    struct str want;
};

#define ROW(claim, stream, want)                                                                   \
    {                                                                                              \
        claim, { stream, sizeof(stream) - 1 },                                                     \
        {                                                                                          \
            want, sizeof(want) - 1                                                                 \
        }                                                                                          \
    }

static const struct row rows[] = {
    ROW("one line of data", "data: hello\n\n", "message/=hello;"),
    ROW("lines are joined by newlines", "data: a\ndata: b\ndata: c\n\n", "message/=a\nb\nc;"),
    ROW("only one space is dropped", "data:  two\n\ndata:none\n\ndata:\ttab\n\n",
        "message/= two;message/=none;message/=\ttab;"),
    ROW("colons in the value stay", "data: a:b: c\n\n", "message/=a:b: c;"),
    ROW("the type is named", "event: add\ndata: 1\n\ndata: 2\n\n", "add/=1;message/=2;"),
    ROW("the last type counts", "event: a\nevent: b\ndata: 1\n\n", "b/=1;"),
    ROW("an empty type is none", "event: a\nevent:\ndata: 1\n\n", "message/=1;"),
    ROW("a type without data is forgotten", "event: a\n\ndata: 1\n\n", "message/=1;"),
    ROW("CR ends a line", "data: a\rdata: b\r\rdata: c\r\r", "message/=a\nb;message/=c;"),
    ROW("CRLF ends a line", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n",
        "message/=a\nb;message/=c;"),
    ROW("line ends may be mixed", "data: a\ndata: b\rdata: c\r\n\r\ndata: d\n\r",
        "message/=a\nb\nc;message/=d;"),
    ROW("LF CR is two line ends", "data: a\n\rdata: b\n\n", "message/=a;message/=b;"),
    ROW("the byte order mark is dropped",
        "\xef\xbb\xbf"
        "data: a\n\n",
        "message/=a;"),
    ROW("only at the start",
        "data: a\n\n\xef\xbb\xbf"
        "data: b\ndata: c\n\n",
        "message/=a;message/=c;"),
    ROW("and only once",
        "\xef\xbb\xbf\xef\xbb\xbf"
        "data: b\ndata: c\n\n",
        "message/=c;"),
    ROW("half a mark is a line that means nothing",
        "\xef\xbb"
        "data: a\ndata: b\n\n",
        "message/=b;"),
    ROW("half a mark is not a blank line", "\xef\n\ndata: b\n\n", "message/=b;"),
    ROW("a comment is nothing", ": hi\n:\n::\ndata: a\n: there\ndata: b\n\n", "message/=a\nb;"),
    ROW("keep-alive comments tell nothing", ":\n\n: keepalive\n\n:\r\n\r\n", ""),
    ROW("unknown fields are ignored", "foo: 1\ndata: a\nDATA: b\ndatax: c\ndat: d\n data: e\n\n",
        "message/=a;"),
    ROW("a long line without a colon too", "abcdefghijklmnop\nabcdefgh: data: x\ndata: a\n\n",
        "message/=a;"),
    ROW("a name without colon is an empty value",
        "data\n\ndata\ndata\n\nevent: x\nevent\ndata:1\n\n", "message/=;message/=\n;message/=1;"),
    ROW("names of six bytes are unknown", "events\nevents: 1\nretryx:9\ndata: a\n\n",
        "message/=a;"),
    ROW("empty data is an event", "data:\n\ndata: \n\nid: 7\ndata:\n\n",
        "message/=;message/=;message/7=;"),
    ROW("no data is none", "\n\n\nevent: x\n\nid: 1\n\n", ""),
    ROW("an id lasts", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n",
        "message/1=a;message/1=b;message/2=c;"),
    ROW("an id alone counts for the next event", "id: 1\n\ndata: a\n\n", "message/1=a;"),
    ROW("an empty id clears it", "id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\nid:\ndata: c\n\n",
        "message/1=a;message/=b;message/=c;"),
    ROW("an id with NUL is ignored", "id: 1\ndata: a\n\nid: 2\0003\ndata: b\n\n",
        "message/1=a;message/1=b;"),
    ROW("and does not undo one before it", "id: 1\nid: \0\ndata: a\n\n", "message/1=a;"),
    ROW("NUL elsewhere stays", "data: a\0b\n\n", "message/=a\0b;"),
    ROW("retry is digits",
        "retry: 250\ndata: a\n\nretry: 1x\nretry: -1\nretry: 1.5\nretry:\n"
        "retry:  1\ndata: b\n\nretry: 0\n\ndata: c\n\n",
        "message//250=a;message//250=b;message//0=c;"),
    ROW("a retry past all numbers is ignored", "retry: 99999999999999999999\ndata: a\n\n",
        "message/=a;"),
    ROW("UTF-8 may be cut", "data: \xe2\x82\xac \xf0\x9f\x8d\x80\n\n",
        "message/=\xe2\x82\xac \xf0\x9f\x8d\x80;"),
    ROW("the end cuts off what is unfinished", "data: a\n\ndata: b\n", "message/=a;"),
    ROW("also a line", "data: a\n\ndata: b", "message/=a;"),
    ROW("nothing is nothing", "", ""),
};

static bool feed(struct sse_reader *r, struct str s)
{
    struct err e;
    char *exact = malloc(s.n + !s.n); /* so that a sanitizer sees a read past the end */
    bool ok;

    if (s.n)
        memcpy(exact, s.p, s.n);
    ok = sse_read_feed(r, (struct str){ exact, s.n }, &e);
    free(exact);
    return ok;
}

static void check_cut(const struct row *row, size_t at, size_t step)
{
    struct log log = { 0 };
    struct sse_reader r;
    bool ok = true;

    buf_init(&log.text, 1 << 20);
    sse_read_init(&r, 1 << 16, on_event, &log);
    if (step) {
        for (size_t i = 0; i < row->stream.n; i += step)
            ok &= feed(&r, str_head(str_skip(row->stream, i), step));
    } else {
        ok &= feed(&r, str_head(row->stream, at));
        ok &= feed(&r, str_skip(row->stream, at));
    }
    if (!ok || !str_eq(buf_str(&log.text), row->want))
        TAP_NOT("%s, cut at %zu step %zu: \"%.*s\"", row->claim, at, step, (int)log.text.n,
                log.text.p);
    sse_read_fini(&r);
    buf_fini(&log.text);
}

TEST(every_rule_holds_wherever_the_stream_is_cut)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t at = 0; at <= rows[i].stream.n; at++)
            check_cut(&rows[i], at, 0);
        for (size_t step = 1; step <= 3; step++)
            check_cut(&rows[i], 0, step);
    }
}

/* ---- the last id ------------------------------------------------------------------------ */

static void ignore(const struct sse_event *ev, void *ctx)
{
    (void)ev;
    ++*(int *)ctx;
}

TEST(the_last_id_is_of_a_complete_event)
{
    struct sse_reader r;
    int n = 0;

    sse_read_init(&r, 1024, ignore, &n);
    EQ_S(sse_read_last_id(&r), "");
    OK(feed(&r, STR("id: 1\ndata: a\n\nid: 2\ndata: b\n")));
    EQ_S(sse_read_last_id(&r), "1");
    OK(feed(&r, STR("\n")));
    EQ_S(sse_read_last_id(&r), "2");
    OK(feed(&r, STR("id: 3\n\n"))); /* without data: no event, but its id counts */
    EQ_S(sse_read_last_id(&r), "3");
    EQ(n, 2);
    sse_read_fini(&r);
}

TEST(a_retry_counts_without_an_event)
{
    struct sse_reader r;
    int n = 0;

    sse_read_init(&r, 1024, ignore, &n);
    EQ(r.retry_ms, -1);
    OK(feed(&r, STR("retry: 500\n")));
    EQ(r.retry_ms, 500);
    EQ(n, 0);
    sse_read_fini(&r);
}

TEST(a_stopped_reader_tells_nothing_more)
{
    struct log log = { .stop_after = 2 };
    struct sse_reader r;

    buf_init(&log.text, 1 << 20);
    sse_read_init(&r, 1024, on_event, &log);
    log.reader = &r;
    OK(feed(&r, STR("data: 1\n\ndata: 2\n\ndata: 3\n\n")));
    OK(feed(&r, STR("data: 4\n\n")));
    EQ(log.events, 2);
    sse_read_fini(&r);
    buf_fini(&log.text);
}

/* ---- the maximum ------------------------------------------------------------------------ */

struct big {
    const char *before, *after; /* around a run of x */
    size_t fits;                /* the longest run accepted with a maximum of 1000 */
};

static const struct big bigs[] = {
    { "data: ", "\n\n", 999 }, /* its newline counts until the event is complete */
    { "data: aaaa\ndata: ", "\n\n", 994 },
    { "event: ", "\ndata: \n\n", 999 },
    { "id: ", "\ndata: \n\n", 999 },
    { "retry: ", "\ndata: \n\n", 1000 },
    { "id: aaa\nevent: bb\ndata: ", "\n\n", 994 },
};

static bool run_of(const struct big *b, size_t n, size_t step, int *events)
{
    struct buf text;
    struct sse_reader r;
    bool ok = true;

    *events = 0;
    buf_init(&text, 1 << 20);
    buf_put(&text, str_of(b->before));
    memset(buf_reserve(&text, n), 'x', n);
    buf_added(&text, n);
    buf_put(&text, str_of(b->after));
    sse_read_init(&r, 1000, ignore, events);
    for (size_t i = 0; i < text.n && ok; i += step)
        ok = feed(&r, str_head(str_skip(buf_str(&text), i), step));
    sse_read_fini(&r);
    buf_fini(&text);
    return ok;
}

TEST(an_event_may_reach_the_maximum_and_not_pass_it)
{
    static const size_t steps[] = { 1, 7, 512, 1 << 20 };
    int n;

    for (size_t i = 0; i < ARRAY_LEN(bigs); i++)
        for (size_t s = 0; s < ARRAY_LEN(steps); s++) {
            OK(run_of(&bigs[i], bigs[i].fits, steps[s], &n));
            EQ(n, 1);
            OK(!run_of(&bigs[i], bigs[i].fits + 1, steps[s], &n));
            EQ(n, 0);
        }
}

TEST(past_the_maximum_the_reader_stays_failed)
{
    struct sse_reader r;
    struct err e = { 0 };
    int n = 0;

    sse_read_init(&r, 8, ignore, &n);
    OK(!sse_read_feed(&r, STR("data: 123456789\n\n"), &e));
    EQ(e.code, ERR_LIMIT);
    EQ_STR(e.text, "an event of the stream is larger than 8 bytes");
    e.code = ERR_NONE;
    OK(!sse_read_feed(&r, STR("data: 1\n\n"), &e));
    EQ(e.code, ERR_LIMIT);
    EQ(n, 0);
    sse_read_fini(&r);
}

TEST(many_events_never_add_up)
{
    struct sse_reader r;
    struct err e;
    int n = 0;

    sse_read_init(&r, 16, ignore, &n);
    for (int i = 0; i < 1000; i++)
        OK(sse_read_feed(&r, STR(": a long comment that is not kept\nid: 1\ndata: 123\n\n"), &e));
    EQ(n, 1000);
    sse_read_fini(&r);
}

TEST(a_comment_without_end_takes_no_memory)
{
    struct sse_reader r;
    struct err e;
    int n = 0;

    sse_read_init(&r, 16, ignore, &n);
    OK(sse_read_feed(&r, STR(":"), &e));
    for (int i = 0; i < 1000; i++)
        OK(sse_read_feed(&r, STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), &e));
    EQ(r.data.room + r.value.room, 0);
    sse_read_fini(&r);
}

/* ---- size ------------------------------------------------------------------------------- */

static void on_large(const struct sse_event *ev, void *ctx)
{
    *(size_t *)ctx += ev->data.n;
}

/* Quadratic work would take hours here, not seconds. */
TEST(large_streams_with_one_kind_of_line_end)
{
    static const char *const line[] = { "data\r", "data\n", "data\r\n", "x\r", "x\n" };
    enum { SIZE = 4 << 20 };
    char *p = malloc(SIZE);

    for (size_t i = 0; i < ARRAY_LEN(line); i++) {
        struct sse_reader r;
        struct err e;
        size_t got = 0;

        for (size_t k = 0; k < SIZE; k++)
            p[k] = line[i][k % strlen(line[i])];
        sse_read_init(&r, 16 << 20, on_large, &got);
        OK(sse_read_feed(&r, (struct str){ p, SIZE }, &e));
        sse_read_fini(&r);
    }
    free(p);
}

TEST(a_large_event_comes_whole_and_its_memory_goes)
{
    enum { SIZE = 4 << 20, PIECE = 16 << 10 };
    struct sse_reader r;
    struct err e;
    size_t got = 0;
    char *p = malloc(PIECE);

    memset(p, 'x', PIECE);
    sse_read_init(&r, 16 << 20, on_large, &got);
    OK(sse_read_feed(&r, STR("data: "), &e));
    for (size_t i = 0; i < SIZE; i += PIECE)
        OK(sse_read_feed(&r, (struct str){ p, PIECE }, &e));
    OK(sse_read_feed(&r, STR("\n\n"), &e));
    EQ(got, SIZE);
    OK(r.data.room <= 4096);
    sse_read_fini(&r);
    free(p);
}

TEST_MAIN()
