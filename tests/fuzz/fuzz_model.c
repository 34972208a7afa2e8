/*
 * fuzz_model.c - the streams of models, in all four formats.
 *
 * The first byte chooses the format, the second where the stream is cut. Read whole and in pieces
 * the deltas and the answer must be the same; what is kept stays within its limits; and the answer,
 * sent back in the next request of the same format, is JSON.
 */
#include "base/mem.h"
#include "provider/intake.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LOG_MAX = 64 << 20, ANSWER_MAX = 1 << 16, BLOCKS_MAX = 50 };

static const struct format *const formats[] = {
    &anthropic_format,
    &openai_chat_format,
    &openai_responses_format,
    &gemini_format,
};

static const struct provider_spec spec = { .name = "peer", .base_url = STR("http://peer.test") };
static struct loop *loop;
static struct limits limits;

static void must(bool cond)
{
    if (!cond)
        abort();
}

static void on_text(struct model_turn *t, struct str delta)
{
    buf_printf(t->owner, "[" STR_FMT "]", STR_ARG(delta));
}

static void on_thought(struct model_turn *t, struct str delta)
{
    buf_printf(t->owner, "(" STR_FMT ")", STR_ARG(delta));
}

static void on_call(struct model_turn *t, struct str id, struct str name)
{
    must(id.n && name.n);
    buf_printf(t->owner, "<" STR_FMT ">", STR_ARG(name));
}

static const struct model_events events = { on_text, on_thought, on_call, NULL };

static bool is_json(struct str text)
{
    /* What was as deep as a message may be is deeper inside a request. */
    struct json_opts opts = { .max_depth = JSON_DEPTH_CEILING, .max_values = 16000000 };
    struct arena mem = { 0 };
    struct json root;
    struct err e;
    bool ok = json_read(&mem, text, &opts, &root, &e);

    arena_fini(&mem);
    return ok;
}

static void note_answer(const struct message *m, struct buf *log)
{
    size_t bytes = 0;

    for (size_t i = 0; i < m->blocks; i++) {
        const struct block *b = &m->block[i];

        must(b->kind != BLOCK_CALL || is_json(b->args));
        must(!b->sealed.p || (is_json(b->sealed) && b->by));
        buf_printf(log, "\n%d " STR_FMT " " STR_FMT " " STR_FMT, b->kind, STR_ARG(b->text),
                   STR_ARG(b->args), STR_ARG(b->sealed));
        bytes += b->text.n + b->data.n + b->sealed.n;
    }
    must(m->blocks <= BLOCKS_MAX && bytes <= ANSWER_MAX);
}

/* The next request of a turn holds the answer. */
static void send_back(const struct format *f, struct model_turn *t)
{
    const struct model_request next = { .model = STR("m"), .message = &t->answer, .messages = 1 };
    const struct model_call a = { &spec, &next, t->mem };
    struct buf out;
    struct jw w = jw_to(&out);

    buf_init_in(&out, t->mem, LOG_MAX);
    f->body(&a, &w);
    must(!out.full && is_json(buf_str(&out)));
}

static void read_cut(const struct format *f, struct str in, uint32_t seed, struct buf *log)
{
    struct arena mem = { 0 };
    struct model_turn t = { .op = { .loop = loop }, .mem = &mem, .events = &events, .owner = log };
    struct intake intake;
    bool ok = true;

    intake_init(&intake, &spec, f, &t, &limits);
    while (in.n && ok) {
        size_t n = in.n;

        if (seed) {
            seed = seed * 1103515245 + 12345;
            n = (seed >> 16) % ((seed >> 8) % 31 + 1);
        }
        ok = intake_feed(&intake, str_head(in, n));
        in = str_skip(in, n < in.n ? n : in.n);
    }
    ok = ok && intake_end(&intake);
    must(ok || intake.fault.err.code != ERR_NONE);
    reply_finish(&intake.reply, !ok);
    buf_printf(log, "\n%d %d", t.stop, ok ? 0 : (int)intake.fault.err.code);
    note_answer(&t.answer, log);
    send_back(f, &t);
    intake_fini(&intake);
    arena_fini(&mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf whole, cut;
    struct str in;

    if (size < 2)
        return 0;
    if (!loop)
        loop = loop_new(LOOP_FAKE_CLOCK); /* for the ids of calls; ends with the program */
    limits_preset(&limits);
    limits.model_answer_bytes = ANSWER_MAX;
    limits.model_blocks = BLOCKS_MAX;
    in = (struct str){ (const char *)data + 2, size - 2 };
    buf_init(&whole, LOG_MAX);
    buf_init(&cut, LOG_MAX);
    read_cut(formats[data[0] % ARRAY_LEN(formats)], in, 0, &whole);
    read_cut(formats[data[0] % ARRAY_LEN(formats)], in, data[1] + 1u, &cut);
    must(str_eq(buf_str(&whole), buf_str(&cut)));
    buf_fini(&whole);
    buf_fini(&cut);
    return 0;
}
