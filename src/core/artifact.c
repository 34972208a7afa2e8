/* artifact.c - converts artifacts to and from JSON, and assembles whole artifacts from pieces. */
#include "core/artifact.h"

#include "base/auto.h"
#include "base/base64.h"
#include "base/pick.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

void artifact_piece_write(struct jw *w, const struct event_artifact *a)
{
    jw_kstr(w, "id", a->id);
    jw_kstr(w, "name", a->name);
    jw_kstr(w, "description", a->description);
    jw_plain_key(w, STR("parts"));
    blocks_write(w, a->part);
    jw_kbool(w, "append", a->append);
    if (a->joins)
        jw_kbool(w, "joins", true);
    jw_kbool(w, "last", a->last);
}

struct piece_line {
    struct str id, name, description, type, media_type, text, data, uri;
    struct json parts;
    bool append, joins, last;
};

#define TEXT(name) PICK_FIELD(#name, PICK_STR, struct piece_line, name, 0)
#define TRUTH(name) PICK_FIELD(#name, PICK_BOOL, struct piece_line, name, 0)

static const struct pick piece_fields[] = {
    TEXT(id),      TEXT(name),       TEXT(description),
    TEXT(type),    TEXT(media_type), TEXT(text),
    TEXT(data),    TEXT(uri),        PICK_FIELD("parts", PICK_ARRAY, struct piece_line, parts, 0),
    TRUTH(append), TRUTH(joins),     TRUTH(last),
};

/* In an event, "type" is "artifact"; in the result of a tool it is the media type. */
static struct blocks single_part(struct arena *mem, const struct piece_line *l)
{
    struct block *b = ARENA_NEW(mem, struct block);
    struct str type = l->media_type.p ? l->media_type : l->type;

    *b = (struct block){ .kind = l->data.p ? BLOCK_MEDIA : BLOCK_TEXT,
                         .type = str_find_byte(type, '/') > 0 ? type : STR_NONE,
                         .text = l->uri.p ? STR_NONE : l->text,
                         .data = l->data,
                         .uri = l->uri };
    return (struct blocks){ b, l->text.p || l->data.p || l->uri.p };
}

bool artifact_piece_read(struct arena *mem, struct json v, const struct limits *limits,
                         struct event_artifact *out, struct err *e)
{
    struct piece_line l = { .last = false };

    if (!pick(mem, v, PICK_TABLE(piece_fields), PICK_LENIENT, &l, e))
        return false;
    *out = (struct event_artifact){ .id = l.id,
                                    .name = l.name,
                                    .description = l.description,
                                    .append = l.append,
                                    .joins = l.joins,
                                    .last = l.last };
    if (json_here(l.parts))
        return blocks_read(mem, l.parts, limits, &out->part, e);
    out->part = single_part(mem, &l);
    out->joins = l.append;
    return true;
}

bool artifact_piece_told(struct arena *mem, struct json v, struct event_artifact *out)
{
    struct err e;

    if (!artifact_piece_read(mem, v, NULL, out, &e))
        return false;
    out->last |= !json_here(json_get(v, STR("last")));
    return true;
}

/* ---- whole artifacts ------------------------------------------------------------------------- */

struct artifact_part {
    struct block block; /* without its content */
    struct buf content; /* text, or base64 */
};

static struct artifact *find_or_add(struct artifact_set *s, struct str id)
{
    struct artifact **at = &s->first;

    while (*at && !str_eq((*at)->id, id))
        at = &(*at)->next;
    if (!*at) {
        *at = ARENA_NEW(s->mem, struct artifact);
        (*at)->id = arena_str(s->mem, id);
    }
    return *at;
}

static void clear_parts(struct artifact_set *s, struct artifact *a)
{
    for (size_t i = 0; i < a->parts; i++)
        s->bytes -= a->part[i].content.n;
    a->parts = 0;
    a->cut = false;
}

static struct str content_of(const struct block *b)
{
    return b->kind == BLOCK_MEDIA ? b->data : b->text;
}

static bool fits(struct artifact_set *s, struct artifact *a, size_t n)
{
    if (n <= s->most - s->bytes)
        return true;
    a->cut = true;
    return false;
}

static void add_part(struct artifact_set *s, struct artifact *a, const struct block *b)
{
    struct artifact_part *p;

    if (!fits(s, a, content_of(b).n))
        return;
    if (a->parts == a->room) {
        size_t room = a->room ? 2 * a->room : 4;

        a->part = arena_grow(s->mem, a->part, a->room * sizeof(*p), room * sizeof(*p));
        a->room = room;
    }
    p = &a->part[a->parts++];
    *p = (struct artifact_part){ .block = { .kind = b->kind,
                                            .is_data = b->is_data,
                                            .type = arena_maybe(s->mem, b->type),
                                            .uri = arena_maybe(s->mem, b->uri),
                                            .name = arena_maybe(s->mem, b->name) } };
    buf_init_in(&p->content, s->mem, s->most);
    buf_put(&p->content, content_of(b));
    if (content_of(b).p) /* a part without content keeps none */
        p->block.text = STR("");
    s->bytes += content_of(b).n;
}

/* Base64 padding is allowed only at the end: decode both parts and encode them together. */
static bool join_padded(struct buf *to, struct str more)
{
    AUTO_ARENA mem = { 0 };
    struct buf both;
    struct str a, b;

    if (!base64_decode(&mem, BASE64_PLAIN, buf_str(to), &a) ||
        !base64_decode(&mem, BASE64_PLAIN, more, &b))
        return false;
    buf_init_in(&both, &mem, a.n + b.n + 1);
    buf_put(&both, a);
    buf_put(&both, b);
    buf_clear(to);
    buf_put(to, base64_encode(&mem, BASE64_PLAIN, buf_str(&both)));
    return true;
}

static bool join_content(struct artifact_part *p, const struct block *b)
{
    bool padded =
        p->block.kind == BLOCK_MEDIA && p->content.n && p->content.p[p->content.n - 1] == '=';

    if (padded)
        return join_padded(&p->content, b->data);
    buf_put(&p->content, content_of(b));
    return true;
}

static bool join_part(struct artifact_set *s, struct artifact *a, const struct block *b)
{
    struct artifact_part *p = a->parts ? &a->part[a->parts - 1] : NULL;
    size_t before;

    if (!p || p->block.kind != b->kind || b->is_data || p->block.is_data ||
        !str_eq(p->block.type, b->type) || !str_eq(p->block.uri, b->uri))
        return false;
    if (!fits(s, a, content_of(b).n))
        return true;
    before = p->content.n;
    if (!join_content(p, b))
        return false;
    s->bytes += p->content.n - before;
    return true;
}

struct artifact *artifact_add(struct artifact_set *s, const struct event_artifact *piece)
{
    struct artifact *a = find_or_add(s, piece->id);
    size_t i = 0;

    if (piece->name.p)
        a->name = arena_str(s->mem, piece->name);
    if (piece->description.p)
        a->description = arena_str(s->mem, piece->description);
    if (!piece->append)
        clear_parts(s, a);
    if (piece->append && piece->joins && piece->part.n && join_part(s, a, &piece->part.v[0]))
        i = 1;
    for (; i < piece->part.n; i++)
        add_part(s, a, &piece->part.v[i]);
    a->complete = piece->last;
    return a;
}

struct blocks artifact_blocks(const struct artifact *a, struct arena *mem)
{
    struct block *v = ARENA_ARRAY(mem, struct block, a->parts ? a->parts : 1);

    for (size_t i = 0; i < a->parts; i++) {
        const struct artifact_part *p = &a->part[i];
        struct str content = p->content.n ? buf_str(&p->content) : p->block.text;

        v[i] = p->block;
        v[i].text = p->block.kind == BLOCK_MEDIA ? STR_NONE : content;
        v[i].data = p->block.kind == BLOCK_MEDIA ? content : STR_NONE;
    }
    return (struct blocks){ v, a->parts };
}

static void write_whole(struct jw *w, const struct artifact *a)
{
    AUTO_ARENA mem = { 0 };

    jw_object(w);
    jw_kstr(w, "id", a->id);
    jw_kstr(w, "name", a->name);
    jw_kstr(w, "description", a->description);
    jw_plain_key(w, STR("parts"));
    blocks_write(w, artifact_blocks(a, &mem));
    jw_kbool(w, "complete", a->complete);
    if (a->cut)
        jw_kbool(w, "cut", true);
    jw_object_end(w);
}

void artifacts_write(struct jw *w, const struct artifact_set *s)
{
    jw_array(w);
    for (const struct artifact *a = s->first; a; a = a->next)
        write_whole(w, a);
    jw_array_end(w);
}
