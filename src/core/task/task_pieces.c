/* task_pieces.c - splits artifacts into events, and assembles them again. */
#include "core/task/task_pieces.h"

#include "base/auto.h"
#include "base/utf8.h"

/* ---- storing --------------------------------------------------------------------------------- */

/*
 * JSON may need six bytes for a byte of text, and one for a byte of base64; the rest of an event is
 * small.
 */
enum { TEXT_GROWTH = 8, DATA_GROWTH = 2 };

struct splitting {
    size_t most;
    void (*put)(void *ctx, const struct event *ev);
    void *ctx;
};

/* Take the first bytes of a part that fit into an event; the rest stays in *b. */
static struct block cut_part(struct block *b, size_t most)
{
    struct block head = *b;

    head.data = str_head(b->data, most / DATA_GROWTH / 4 * 4);
    head.text = utf8_head(b->text, most / TEXT_GROWTH);
    b->data = str_skip(b->data, head.data.n);
    b->text = str_skip(b->text, head.text.n);
    return head;
}

/* Write one part as one or more pieces. Leaves *piece ready for the next part. */
static void put_part(const struct splitting *s, struct event *piece, struct block b, bool last)
{
    struct event_artifact *a = &piece->artifact;

    do {
        struct block head = cut_part(&b, s->most);

        a->part = (struct blocks){ &head, 1 };
        a->last = last && !b.text.n && !b.data.n;
        s->put(s->ctx, piece);
        a->append = a->joins = true;
        a->name = a->description = STR_NONE;
    } while (b.text.n || b.data.n);
    a->part = (struct blocks){ 0 };
    a->joins = false;
}

/* JSON data cannot be split: a part of it is not valid JSON. */
static bool can_be_cut(struct blocks parts)
{
    for (size_t i = 0; i < parts.n; i++)
        if (parts.v[i].is_data)
            return false;
    return true;
}

static size_t content_bytes(struct blocks parts)
{
    size_t n = 0;

    for (size_t i = 0; i < parts.n; i++)
        n += TEXT_GROWTH * parts.v[i].text.n + DATA_GROWTH * parts.v[i].data.n;
    return n;
}

void task_pieces_split(const struct event *ev, size_t most,
                       void (*put)(void *ctx, const struct event *ev), void *ctx)
{
    const struct splitting s = { most, put, ctx };
    struct blocks parts = ev->artifact.part;
    struct event piece = *ev;

    if (content_bytes(parts) <= most || !can_be_cut(parts)) {
        put(ctx, ev);
        return;
    }
    for (size_t i = 0; i < parts.n; i++)
        put_part(&s, &piece, parts.v[i], ev->artifact.last && i + 1 == parts.n);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct store_step task_pieces_step(struct str task, int64_t after)
{
    return (struct store_step){
        .what = STORE_TASK_EVENTS,
        .events = { .session = task, .kind = STR("artifact"), .after = after },
    };
}

/* A piece that cannot be parsed is skipped; that does not happen, because trefoil wrote it. */
int64_t task_pieces_add(struct artifact_set *s, const struct limits *limits,
                        const struct store_event_page *p, int64_t after)
{
    struct json_opts opts = limits_json(limits);
    AUTO_ARENA mem = { 0 };

    for (size_t i = 0; i < p->n; i++) {
        struct event_artifact piece;
        struct json v;
        struct err e;

        if (json_read(&mem, p->v[i].body, &opts, &v, &e) &&
            artifact_piece_read(&mem, v, NULL, &piece, &e))
            artifact_add(s, &piece);
        arena_reset(&mem);
    }
    return p->n ? p->v[p->n - 1].seq : after;
}

struct str task_pieces_json(const struct artifact_set *s)
{
    struct buf out;
    struct jw w = jw_to(&out);

    if (!s->first)
        return STR_NONE;
    buf_init_in(&out, s->mem, TEXT_GROWTH * s->most);
    artifacts_write(&w, s);
    return buf_str(&out);
}
