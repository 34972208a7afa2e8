/*
 * fuzz_frame.c - the reader of stdio frames.
 *
 * The same bytes, whole and cut at places the input itself chooses, must yield the same frames;
 * no message may pass the limit.
 */
#include "wire/frame.h"

#include <stdlib.h>

enum { MOST = 64 };

struct seen {
    uint64_t hash;
    size_t frames;
};

static void note(void *ctx, const struct frame *f)
{
    struct seen *s = ctx;

    if (f->kind == FRAME_MESSAGE && f->text.n > MOST)
        abort();
    if (f->text.n > FRAME_SALVAGE)
        abort();
    s->hash = s->hash * 31 + (uint64_t)f->kind + 1;
    for (size_t i = 0; i < f->text.n; i++)
        s->hash = s->hash * 31 + (unsigned char)f->text.p[i];
    s->frames++;
}

static struct seen run(struct str in, enum framing force, unsigned cut)
{
    struct limits l;
    struct frame_reader r;
    struct seen s = { 0 };

    limits_preset(&l);
    l.message_bytes = MOST;
    l.header_frame_bytes = MOST;
    frame_reader_init(&r, force, &l);
    while (in.n) {
        size_t n = cut ? 1 + (cut = cut * 1103515245 + 12345) / 65536 % 7 : in.n;
        struct str piece = str_head(in, n);

        frame_reader_feed(&r, piece, note, &s);
        in = str_skip(in, piece.n);
    }
    frame_reader_end(&r, note, &s);
    frame_reader_fini(&r);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str in = { (const char *)data, size };
    unsigned cut = size ? data[size - 1] * 2u + 1 : 1;

    for (int force = FRAMING_AUTO; force <= FRAMING_HEADER; force++) {
        struct seen whole = run(in, (enum framing)force, 0);
        struct seen parts = run(in, (enum framing)force, cut);

        if (whole.hash != parts.hash || whole.frames != parts.frames)
            abort();
    }
    return 0;
}
