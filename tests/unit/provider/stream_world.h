/*
 * stream_world.h - a turn of a model without a network: what a format writes, and what it makes of a
 * stream that is fed to it in pieces of any size.
 */
#ifndef TESTS_STREAM_WORLD_H
#define TESTS_STREAM_WORLD_H

#include "provider/intake.h"
#include "tap.h"

enum { SAID_MAX = 1 << 20 };

static struct {
    struct loop *loop;
    struct limits limits;
    struct arena mem;
    struct provider_spec spec;
    struct model_request request;
    struct model_turn turn;
    struct intake in;
    struct buf told; /* the events, as one line */
    bool ok;
} w;

static void on_text(struct model_turn *t, struct str delta)
{
    (void)t;
    buf_printf(&w.told, "[" STR_FMT "]", STR_ARG(delta));
}

static void on_thought(struct model_turn *t, struct str delta)
{
    (void)t;
    buf_printf(&w.told, "(" STR_FMT ")", STR_ARG(delta));
}

static void on_call(struct model_turn *t, struct str id, struct str name)
{
    (void)t;
    buf_printf(&w.told, "<" STR_FMT " " STR_FMT ">", STR_ARG(id), STR_ARG(name));
}

static const struct model_events world_events = { on_text, on_thought, on_call, NULL };

static void world_begin(void)
{
    memset(&w, 0, sizeof(w));
    w.loop = loop_new(LOOP_FAKE_CLOCK);
    limits_preset(&w.limits);
    w.spec = (struct provider_spec){ .name = "peer", .base_url = STR("http://peer.test/base/") };
    w.request = (struct model_request){ .model = STR("model-1"), .temperature = -1 };
    buf_init_in(&w.told, &w.mem, SAID_MAX);
}

static void world_end(void)
{
    loop_free(w.loop);
    arena_fini(&w.mem);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Feed the stream in pieces of `piece` bytes; w.ok, w.turn and w.in.fault tell what came of it. */
static inline void feed(const struct format *f, const char *stream, size_t piece)
{
    struct str rest = str_of(stream);

    buf_clear(&w.told);
    w.turn = (struct model_turn){
        .op = { .loop = w.loop }, .mem = &w.mem, .request = &w.request, .events = &world_events
    };
    intake_init(&w.in, &w.spec, f, &w.turn, &w.limits);
    w.ok = true;
    while (rest.n && w.ok) {
        struct str s = str_head(rest, piece);

        w.ok = intake_feed(&w.in, s);
        rest = str_skip(rest, s.n);
    }
    w.ok = w.ok && intake_end(&w.in);
    reply_finish(&w.in.reply, !w.ok);
    intake_fini(&w.in);
}

static inline void dump_block(struct buf *out, const struct block *b)
{
    static const char *const kinds[] = { "text", "thought", "media", "call", "result" };

    buf_printf(out, "%s", kinds[b->kind]);
    if (b->id.p)
        buf_printf(out, " id=" STR_FMT " name=" STR_FMT " args=" STR_FMT, STR_ARG(b->id),
                   STR_ARG(b->name), STR_ARG(b->args));
    if (b->data.p)
        buf_printf(out, " " STR_FMT " " STR_FMT, STR_ARG(b->type), STR_ARG(b->data));
    if (b->text.p)
        buf_printf(out, " " STR_FMT, STR_ARG(b->text));
    if (b->sealed.p)
        buf_printf(out, " sealed=" STR_FMT " by=%s", STR_ARG(b->sealed), b->by);
    buf_putc(out, '\n');
}

static inline struct str answer(void)
{
    struct buf out;

    buf_init_in(&out, &w.mem, SAID_MAX);
    for (size_t i = 0; i < w.turn.answer.blocks; i++)
        dump_block(&out, &w.turn.answer.block[i]);
    return out.p ? buf_str(&out) : STR("");
}

/* The same whole, and byte by byte. */
static inline void expect(const struct format *f, const char *stream, const char *told,
                          const char *blocks, enum model_stop stop)
{
    static const size_t pieces[] = { SIZE_MAX, 1, 7 };

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
        feed(f, stream, pieces[i]);
        if (!w.ok)
            TAP_NOT("%s", w.in.fault.err.text);
        EQ_S(buf_str(&w.told), told);
        EQ_S(answer(), blocks);
        EQ(w.turn.stop, stop);
    }
}

static inline void expect_fault(const struct format *f, const char *stream, enum err_code code,
                                const char *part, bool again)
{
    feed(f, stream, 1);
    OK(!w.ok);
    EQ(w.in.fault.err.code, code);
    EQ(w.in.fault.again, again);
    HAS_S(str_of(w.in.fault.err.text), part);
}

/* ---- writing -------------------------------------------------------------------------------- */

static inline struct str body_of(const struct format *f)
{
    const struct model_call a = { &w.spec, &w.request, &w.mem };
    struct json_opts opts = limits_json(&w.limits);
    struct json root;
    struct err e;
    struct buf out;
    struct jw jw = jw_to(&out);

    buf_init_in(&out, &w.mem, SAID_MAX);
    f->body(&a, &jw);
    if (!json_read(&w.mem, buf_str(&out), &opts, &root, &e))
        TAP_NOT("the body is not JSON: %s", e.text);
    return buf_str(&out);
}

static inline struct str url_of(const struct format *f)
{
    const struct model_call a = { &w.spec, &w.request, &w.mem };

    return f->url(&a);
}

/* A conversation with everything in it: pictures, a thought, two calls, their results. */
static const struct block world_picture = { .kind = BLOCK_MEDIA,
                                            .type = STR("image/png"),
                                            .data = STR("UE5H") };
static const struct block world_first[] = {
    { .kind = BLOCK_TEXT, .text = STR("look \"here\"") },
    { .kind = BLOCK_MEDIA, .type = STR("image/png"), .data = STR("UE5H") },
    { .kind = BLOCK_MEDIA, .type = STR("audio/wav"), .data = STR("V0FW") },
};
static const struct block world_third[] = {
    { .kind = BLOCK_RESULT,
      .id = STR("c:1"),
      .text = STR("seen"),
      .media = &world_picture,
      .medias = 1 },
    { .kind = BLOCK_RESULT, .id = STR("c2"), .text = STR("no such file"), .is_error = true },
    { .kind = BLOCK_TEXT, .text = STR("go on") },
};
static const struct model_tool world_tools[] = {
    { STR("look"), STR("Looks."), STR("{\"type\":\"object\"}") },
    { STR("find"), STR("Finds."), STR("{\"type\":\"object\",\"properties\":{}}") },
};

static inline void converse(const struct block *second, size_t blocks)
{
    struct message *m = ARENA_ARRAY(&w.mem, struct message, 3);

    m[0] = (struct message){ ROLE_USER, world_first, ARRAY_LEN(world_first) };
    m[1] = (struct message){ ROLE_ASSISTANT, second, blocks };
    m[2] = (struct message){ ROLE_USER, world_third, ARRAY_LEN(world_third) };
    w.request.message = m;
    w.request.messages = 3;
    w.request.tool = world_tools;
    w.request.tools = ARRAY_LEN(world_tools);
    w.request.system = STR("be kind");
}

#endif
