/*
 * toml_out.c - the finished tree as a document: nodes in order, their positions, and a JSON
 * text that they are spans of.
 */
#include "base/toml_parts.h"

#include <assert.h>

struct layout {
    struct json_node *node;
    struct json_pos *pos;
    uint32_t count;
    struct buf text;
    struct jw w;
};

/* Append a node for what is written next; a comma comes before it when one is due. */
static struct json_node *add(struct layout *l, uint8_t type, struct json_pos pos)
{
    struct json_node *n = &l->node[l->count];

    l->pos[l->count++] = pos;
    *n = (struct json_node){ .at = (uint32_t)(l->text.n + l->w.comma),
                             .type = type,
                             .next = l->count };
    return n;
}

/* The span of a node ends where the text ends now. */
static void end_span(struct layout *l, struct json_node *n)
{
    n->len = (uint32_t)l->text.n - n->at;
    n->next = l->count;
}

/* In quotes, which are not part of the span. */
static void end_quoted(struct layout *l, struct json_node *n)
{
    end_span(l, n);
    n->at++;
    n->len -= 2;
    if (memchr(l->text.p + n->at, '\\', n->len))
        n->flags = JSON_F_ESCAPED;
}

/* inf, -inf and nan are no JSON. */
static bool is_special(struct str number)
{
    char last = number.p[number.n - 1];

    return last == 'f' || last == 'n';
}

static void lay_key(struct layout *l, const struct toml_item *it)
{
    struct json_node *n = add(l, JSON_STRING, it->key_pos);

    jw_key(&l->w, it->key);
    l->text.n--; /* let the span end before the colon */
    end_quoted(l, n);
    l->text.n++;
}

static void lay_scalar(struct layout *l, const struct toml_item *it)
{
    struct json_node *n = add(l, it->type, it->pos);

    if (it->type == JSON_BOOL || (it->type == JSON_NUMBER && !is_special(it->text))) {
        jw_raw(&l->w, it->text);
        end_span(l, n);
    } else {
        jw_str(&l->w, it->text);
        end_quoted(l, n);
    }
    if (it->type == JSON_BOOL && it->text.n == 4)
        n->flags = JSON_F_TRUE;
}

/* Recursion is as deep as the tree, which has a limit. */
static void lay_item(struct layout *l, const struct toml_item *it)
{
    struct json_node *n;

    if (it->type != JSON_OBJECT && it->type != JSON_ARRAY) {
        lay_scalar(l, it);
        return;
    }
    n = add(l, it->type, it->pos);
    if (it->type == JSON_OBJECT)
        jw_object(&l->w);
    else
        jw_array(&l->w);
    for (const struct toml_item *child = it->first; child; child = child->next) {
        if (it->type == JSON_OBJECT)
            lay_key(l, child);
        lay_item(l, child);
    }
    if (it->type == JSON_OBJECT)
        jw_object_end(&l->w);
    else
        jw_array_end(&l->w);
    end_span(l, n);
}

struct json toml_lay_out(struct toml *t, struct arena *mem)
{
    struct json_doc *doc = ARENA_NEW(mem, struct json_doc);
    uint32_t nodes = 1 + 2 * t->members + t->elements;
    struct layout l = { 0 };
    struct str text;

    l.node = arena_alloc(mem, nodes * sizeof(*l.node));
    l.pos = arena_alloc(mem, nodes * sizeof(*l.pos));
    buf_init(&l.text, UINT32_MAX);
    l.w = jw_to(&l.text);
    lay_item(&l, t->root);
    assert(l.count == nodes && !l.text.full);
    text = arena_str(mem, buf_str(&l.text));
    buf_fini(&l.text);
    *doc = (struct json_doc){ .text = text.p,
                              .text_len = text.n,
                              .node = l.node,
                              .count = nodes,
                              .file = t->file,
                              .pos = l.pos };
    return (struct json){ doc, 0 };
}
