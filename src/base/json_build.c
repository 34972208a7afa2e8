#include "base/json_build.h"

#include <assert.h>

void json_build_begin(struct json_build *b, struct arena *mem, uint32_t room)
{
    *b = (struct json_build){ .mem = mem, .room = room };
    b->node = arena_alloc(mem, room * sizeof(*b->node));
    b->pos = arena_alloc(mem, room * sizeof(*b->pos));
    buf_init(&b->text, UINT32_MAX);
    b->w = jw_to(&b->text);
}

static void more_room(struct json_build *b)
{
    size_t was = b->room, room = was * 2;

    b->node = arena_grow(b->mem, b->node, was * sizeof(*b->node), room * sizeof(*b->node));
    b->pos = arena_grow(b->mem, b->pos, was * sizeof(*b->pos), room * sizeof(*b->pos));
    b->room = (uint32_t)room;
}

/* Append a node for what is written next; a comma comes before it when one is due. */
static struct json_node *add(struct json_build *b, enum json_type type, struct json_pos pos)
{
    struct json_node *n;

    if (b->count == b->room)
        more_room(b);
    n = &b->node[b->count];
    b->pos[b->count++] = pos;
    *n = (struct json_node){ .at = (uint32_t)(b->text.n + b->w.comma),
                             .type = (uint8_t)type,
                             .next = b->count };
    return n;
}

/* The span of a node ends where the text ends now. */
static void end_span(struct json_build *b, struct json_node *n)
{
    n->len = (uint32_t)b->text.n - n->at;
    n->next = b->count;
}

/* In quotes, which are not part of the span. */
static void end_quoted(struct json_build *b, struct json_node *n)
{
    end_span(b, n);
    n->at++;
    n->len -= 2;
    if (memchr(b->text.p + n->at, '\\', n->len))
        n->flags = JSON_F_ESCAPED;
}

uint32_t json_build_open(struct json_build *b, enum json_type type, struct json_pos pos)
{
    uint32_t at = b->count;

    add(b, type, pos);
    if (type == JSON_OBJECT)
        jw_object(&b->w);
    else
        jw_array(&b->w);
    return at;
}

void json_build_close(struct json_build *b, uint32_t container)
{
    struct json_node *n = &b->node[container];

    if (n->type == JSON_OBJECT)
        jw_object_end(&b->w);
    else
        jw_array_end(&b->w);
    end_span(b, n);
}

void json_build_key(struct json_build *b, struct str key, struct json_pos pos)
{
    struct json_node *n = add(b, JSON_STRING, pos);

    jw_key(&b->w, key);
    b->text.n--; /* let the span end before the colon */
    end_quoted(b, n);
    b->text.n++;
}

/* inf, -inf and nan are no JSON. */
static bool is_special(struct str number)
{
    char last = number.p[number.n - 1];

    return last == 'f' || last == 'n';
}

void json_build_scalar(struct json_build *b, enum json_type type, struct str text,
                       struct json_pos pos)
{
    struct json_node *n = add(b, type, pos);
    bool bare =
        type == JSON_BOOL || type == JSON_NULL || (type == JSON_NUMBER && !is_special(text));

    if (bare) {
        jw_raw(&b->w, text);
        end_span(b, n);
    } else {
        jw_str(&b->w, text);
        end_quoted(b, n);
    }
    if (type == JSON_BOOL && text.n == 4)
        n->flags = JSON_F_TRUE;
}

struct json json_build_end(struct json_build *b, const char *file)
{
    struct json_doc *doc = ARENA_NEW(b->mem, struct json_doc);
    struct str text;

    assert(b->count && !b->text.full);
    text = arena_str(b->mem, buf_str(&b->text));
    buf_fini(&b->text);
    *doc = (struct json_doc){ .text = text.p,
                              .text_len = text.n,
                              .node = b->node,
                              .count = b->count,
                              .file = file,
                              .pos = b->pos };
    return (struct json){ doc, 0 };
}

void json_build_drop(struct json_build *b)
{
    buf_fini(&b->text);
}
