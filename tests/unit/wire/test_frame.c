#include "base/mem.h"
#include "tap.h"
#include "wire/frame.h"

/* What came out, as one line: "m:TEXT|" for a message, "L:" too large, "H:" bad header. */
struct seen {
    struct buf text;
    size_t frames;
};

static void note(void *ctx, const struct frame *f)
{
    struct seen *s = ctx;
    const char *kind = f->kind == FRAME_MESSAGE ? "m:" : f->kind == FRAME_TOO_LARGE ? "L:" : "H:";

    buf_put(&s->text, str_of(kind));
    buf_put(&s->text, f->text.p ? f->text : STR("-"));
    buf_putc(&s->text, '|');
    s->frames++;
}

static struct limits small_limits(void)
{
    struct limits l;

    limits_preset(&l);
    l.message_bytes = 40;
    l.header_frame_bytes = 64;
    return l;
}

/* Feed the input in pieces of `step` bytes (0: all at once), then end. */
static void feed(struct seen *s, enum framing force, struct str in, size_t step,
                 enum framing *answer_in)
{
    struct limits l = small_limits();
    struct frame_reader r;

    buf_init(&s->text, 1 << 16);
    s->frames = 0;
    frame_reader_init(&r, force, &l);
    while (in.n) {
        struct str piece = str_head(in, step ? step : in.n);

        frame_reader_feed(&r, piece, note, s);
        in = str_skip(in, piece.n);
    }
    frame_reader_end(&r, note, s);
    *answer_in = frame_reader_answer_in(&r);
    frame_reader_fini(&r);
}

#define FORTY "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1}"

static const struct {
    const char *why, *in, *out;
    enum framing force, answer_in;
} rows[] = {
    { "a line", "{\"a\":1}\n", "m:{\"a\":1}|", FRAMING_AUTO, FRAMING_LINE },
    { "two lines", "{}\n[]\n", "m:{}|m:[]|", FRAMING_AUTO, FRAMING_LINE },
    { "CRLF", "{}\r\n[]\r\n", "m:{}|m:[]|", FRAMING_AUTO, FRAMING_LINE },
    { "blank lines are nothing", "\n\r\n  \n{}\n\n", "m:{}|", FRAMING_AUTO, FRAMING_LINE },
    { "spaces before a message", "  \t{}\n", "m:{}|", FRAMING_AUTO, FRAMING_LINE },
    { "the last line needs no newline", "{}\n{\"b\":2}", "m:{}|m:{\"b\":2}|", FRAMING_AUTO,
      FRAMING_LINE },
    { "junk is a line for the receiver to refuse", "hello world\n{}\n", "m:hello world|m:{}|",
      FRAMING_AUTO, FRAMING_LINE },
    { "junk that begins like a header", "content of a line\n{}\n", "m:content of a line|m:{}|",
      FRAMING_AUTO, FRAMING_LINE },
    { "a header frame", "Content-Length: 2\r\n\r\n{}", "m:{}|", FRAMING_AUTO, FRAMING_HEADER },
    { "header in any case and spacing", "content-LENGTH  :   7 \n\n{\"a\":1}", "m:{\"a\":1}|",
      FRAMING_AUTO, FRAMING_HEADER },
    { "content type first", "Content-Type: x\r\nContent-Length: 2\r\n\r\n{}", "m:{}|", FRAMING_AUTO,
      FRAMING_HEADER },
    { "unknown headers are ignored", "Content-Length: 2\r\nX-A: b\r\n\r\n{}", "m:{}|", FRAMING_AUTO,
      FRAMING_HEADER },
    { "header frames follow each other", "Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n[]",
      "m:{}|m:[]|", FRAMING_AUTO, FRAMING_HEADER },
    { "a body may hold newlines", "Content-Length: 4\r\n\r\n{\n\n}", "m:{\n\n}|", FRAMING_AUTO,
      FRAMING_HEADER },
    { "the framing may change", "Content-Length: 2\r\n\r\n{}{\"a\":1}\n", "m:{}|m:{\"a\":1}|",
      FRAMING_AUTO, FRAMING_LINE },
    { "a body of nothing", "Content-Length: 0\r\n\r\n{}\n", "m:|m:{}|", FRAMING_AUTO,
      FRAMING_LINE },
    { "a length that is no number", "Content-Length: x\r\n\r\n{}\n", "H:Content-Length: x|m:{}|",
      FRAMING_AUTO, FRAMING_LINE },
    { "a negative length", "Content-Length: -1\r\n\r\n", "H:Content-Length: -1|", FRAMING_AUTO,
      FRAMING_HEADER },
    { "two lengths", "Content-Length: 2\r\nContent-Length: 2\r\n", "H:Content-Length: 2|",
      FRAMING_AUTO, FRAMING_HEADER },
    { "a block without a length", "Content-Type: x\r\n\r\n{}\n", "H:-|m:{}|", FRAMING_AUTO,
      FRAMING_LINE },
    { "a line of 40 bytes passes", FORTY "\n{}\n", "m:" FORTY "|m:{}|", FRAMING_AUTO,
      FRAMING_LINE },
    { "a line of 41 is drained, the stream goes on", FORTY "x\n{}\n", "L:" FORTY "x|m:{}|",
      FRAMING_AUTO, FRAMING_LINE },
    { "a body too large is drained",
      "Content-Length: 42\r\n\r\n" FORTY "xyContent-Length: 2\r\n\r\n{}", "L:" FORTY "xy|m:{}|",
      FRAMING_AUTO, FRAMING_HEADER },
    { "line forced: a header is junk", "Content-Length: 2\n{}\n", "m:Content-Length: 2|m:{}|",
      FRAMING_LINE, FRAMING_LINE },
    { "header forced: junk is a bad header", "{}\nContent-Length: 2\r\n\r\n{}", "H:{}|m:{}|",
      FRAMING_HEADER, FRAMING_HEADER },
    { "header forced: a JSON line is no header", "{\"a\":1}\nContent-Length: 2\n\n{}",
      "H:{\"a\":1}|m:{}|", FRAMING_HEADER, FRAMING_HEADER },
    { "a header line without end",
      "Content-Length: 2\r\nX: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n{}\n",
      "L:X: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      "aaa\r|m:{}|",
      FRAMING_AUTO, FRAMING_LINE },
};

/* Each stream whole, and cut into pieces of every size. */
TEST(streams_yield_their_messages_however_they_are_cut)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t step = 0; step < 24; step++) {
            struct seen s;
            enum framing answer_in;

            feed(&s, rows[i].force, str_of(rows[i].in), step, &answer_in);
            if (strlen(rows[i].out) != s.text.n || memcmp(rows[i].out, s.text.p, s.text.n))
                TAP_NOT("%s, step %zu: %.*s", rows[i].why, step, STR_ARG(buf_str(&s.text)));
            if (answer_in != rows[i].answer_in)
                TAP_NOT("%s, step %zu: answers in %d", rows[i].why, step, (int)answer_in);
            buf_fini(&s.text);
        }
    }
}

static void stop_at_once(void *ctx, const struct frame *f)
{
    struct frame_reader *r = ctx;

    (void)f;
    frame_reader_stop(r);
}

TEST(nothing_is_delivered_after_stop)
{
    struct limits l = small_limits();
    struct frame_reader r;

    frame_reader_init(&r, FRAMING_AUTO, &l);
    frame_reader_feed(&r, STR("{}\n"), stop_at_once, &r);
    frame_reader_feed(&r, STR("{}\n{}\n"), stop_at_once, &r);
    OK(r.stopped);
    frame_reader_fini(&r);
}

struct taken {
    struct buf kept;
    const char *was;
};

static void take(void *ctx, const struct frame *f)
{
    struct taken *t = ctx;

    t->was = f->own ? f->own->p : NULL;
    frame_take(f, &t->kept);
}

TEST(a_large_message_in_pieces_is_moved_not_copied)
{
    struct limits l;
    struct frame_reader r;
    struct taken t = { 0 };
    size_t n = 1 << 20;
    char *text = mem_alloc(n);

    limits_preset(&l);
    memset(text, 'x', n);
    frame_reader_init(&r, FRAMING_LINE, &l);
    frame_reader_feed(&r, (struct str){ text, n }, take, &t);
    OK(!t.kept.p);
    frame_reader_feed(&r, STR("\n"), take, &t);
    EQ(t.kept.n, n);
    OK(t.was && t.was == t.kept.p);
    OK(!r.part.p);
    buf_fini(&t.kept);
    frame_reader_fini(&r);
    mem_free(text);
}

TEST(a_drained_message_keeps_only_its_first_bytes)
{
    struct limits l;
    struct frame_reader r;
    struct seen s = { 0 };

    limits_preset(&l);
    l.message_bytes = 1 << 20;
    buf_init(&s.text, 1 << 20);
    frame_reader_init(&r, FRAMING_LINE, &l);
    for (int i = 0; i < 3000; i++)
        frame_reader_feed(
            &r,
            STR("{\"id\":7,\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "a"),
            note, &s);
    EQ(s.frames, 0);
    frame_reader_feed(&r, STR("\n"), note, &s);
    EQ(s.frames, 1);
    EQ(s.text.n, 2 + FRAME_SALVAGE + 1);
    OK(str_starts(buf_str(&s.text), STR("L:{\"id\":7,")));
    buf_fini(&s.text);
    frame_reader_fini(&r);
}

TEST(framings_have_names)
{
    enum framing f;

    OK(framing_named(STR("header"), &f) && f == FRAMING_HEADER);
    OK(framing_named(STR("line"), &f) && f == FRAMING_LINE);
    OK(framing_named(STR("auto"), &f) && f == FRAMING_AUTO);
    OK(!framing_named(STR("Line"), &f));
}

TEST_MAIN()
