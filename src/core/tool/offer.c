/* offer.c - joins sources, indexes their tools by name, and notifies watchers. */
#include "core/tool/offer.h"

#include "base/container.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/mem.h"

/* One source in one offer. Member of two lists: of the offer and of the source. */
struct offer_join {
    struct offer *offer;
    struct offer_source *source;
    struct offer_join *next_in_offer, *next_of_source;
};

/*
 * The position of each name when the index was built. A lookup compares the name of the tool that
 * is there now, so a source may replace its tools by others with the same names without a
 * notification.
 */
struct offer_place {
    const struct offer_source *source; /* NULL: an empty slot */
    size_t at;
};

struct offer_index {
    uint64_t secret;
    struct offer_place *slot;
    size_t slots; /* a power of 2; 0: to be built */
};

/* ---- notifications ----------------------------------------------------------------------- */

/* A watcher may leave while it is notified, and may remove others. */
static void offer_notify(struct offer *o, enum offer_part part)
{
    struct offer_watch *next;

    for (struct offer_watch *w = o->watches; w; w = next) {
        next = w->next;
        w->changed(w, part);
    }
}

static void on_post(struct post *post)
{
    struct offer *o = CONTAINER_OF(post, struct offer, post);
    unsigned changed = o->changed;

    o->changed = 0;
    for (unsigned part = 0; part < OFFER_PARTS; part++)
        if (changed & 1u << part)
            offer_notify(o, (enum offer_part)part);
}

static void offer_index_drop(struct offer_index *index)
{
    mem_free(index->slot);
    *index = (struct offer_index){ 0 };
}

static void note_change(struct offer *o, unsigned parts)
{
    if (parts & 1u << OFFER_TOOLS)
        offer_index_drop(o->index);
    o->changed |= parts;
    if (o->changed)
        loop_post(o->host.loop, &o->post);
}

static unsigned parts_of(const struct offer_source *s)
{
    return (s->tools ? 1u << OFFER_TOOLS : 0) | (s->resources ? 1u << OFFER_RESOURCES : 0) |
           (s->prompts ? 1u << OFFER_PROMPTS : 0);
}

void offer_source_changed(struct offer_source *s, enum offer_part part)
{
    for (struct offer_join *j = s->joins; j; j = j->next_of_source)
        note_change(j->offer, 1u << part);
}

void offer_source_updated(struct offer_source *s, struct str uri)
{
    struct offer_watch *next;

    for (struct offer_join *j = s->joins; j; j = j->next_of_source) {
        for (struct offer_watch *w = j->offer->watches; w; w = next) {
            next = w->next;
            if (w->updated)
                w->updated(w, uri);
        }
    }
}

/* ---- life -------------------------------------------------------------------------------- */

void offer_init(struct offer *o, const struct host *host, unsigned parts)
{
    *o = (struct offer){ .host = *host, .parts = parts };
    o->host.offer = o;
    o->joins_end = &o->joins;
    o->index = MEM_NEW(struct offer_index);
    o->post.fn = on_post;
}

void offer_fini(struct offer *o)
{
    while (o->joins)
        offer_leave(o, o->joins->source);
    loop_unpost(o->host.loop, &o->post);
    offer_index_drop(o->index);
    mem_free(o->index);
}

void offer_join(struct offer *o, struct offer_source *s)
{
    struct offer_join *j = MEM_NEW(struct offer_join);

    *j = (struct offer_join){ o, s, NULL, s->joins };
    s->joins = j;
    *o->joins_end = j;
    o->joins_end = &j->next_in_offer;
    note_change(o, parts_of(s));
}

static void cut_from_source(struct offer_join *j)
{
    LIST_UNLINK(j->source->joins, j, next_of_source);
}

void offer_leave(struct offer *o, struct offer_source *s)
{
    for (struct offer_join **at = &o->joins; *at; at = &(*at)->next_in_offer) {
        struct offer_join *j = *at;

        if (j->source != s)
            continue;
        *at = j->next_in_offer;
        if (!*at)
            o->joins_end = at;
        cut_from_source(j);
        mem_free(j);
        offer_index_drop(o->index); /* the index may have seen tools that the source has dropped */
        note_change(o, parts_of(s));
        return;
    }
}

void offer_watch(struct offer *o, struct offer_watch *w)
{
    w->next = o->watches;
    w->link = &o->watches;
    if (w->next)
        w->next->link = &w->next;
    o->watches = w;
}

void offer_unwatch(struct offer_watch *w)
{
    if (!w->link)
        return;
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    w->link = NULL;
}

/* ---- looking up -------------------------------------------------------------------------- */

static bool is_called_also(const struct tool *t, struct str name)
{
    return (t->alias && str_eq(name, str_of(t->alias))) ||
           (t->other_name && str_eq(name, str_of(t->other_name)));
}

/* The tool at this position, if it still has the name; else NULL. */
static const struct tool *offer_place_tool(struct offer_place place, struct str name)
{
    const struct tool *t = place.at < place.source->tools ? place.source->tool[place.at] : NULL;

    return t && str_eq(name, str_of(t->name)) ? t : NULL;
}

/* The slot of the name, or the empty slot where it belongs. */
static struct offer_place *offer_index_find(const struct offer_index *index, struct str name)
{
    size_t i = hash_str(index->secret, name) & (index->slots - 1);

    while (index->slot[i].source && !offer_place_tool(index->slot[i], name))
        i = (i + 1) & (index->slots - 1);
    return &index->slot[i];
}

static void offer_index_build(struct offer_index *index, const struct offer *o)
{
    size_t tools = 0;

    for (const struct offer_join *j = o->joins; j; j = j->next_in_offer)
        tools += j->source->tools;
    for (index->slots = 16; index->slots < 2 * tools;)
        index->slots *= 2;
    index->secret = hash_secret(); /* names come from MCP servers, which may be hostile */
    index->slot = mem_zero(index->slots * sizeof(*index->slot));
    for (const struct offer_join *j = o->joins; j; j = j->next_in_offer) {
        for (size_t i = 0; i < j->source->tools; i++) {
            struct offer_place *place = offer_index_find(index, str_of(j->source->tool[i]->name));

            if (!place->source)
                *place = (struct offer_place){ j->source, i };
        }
    }
}

static const struct tool *tool_by_alias(const struct offer *o, struct str alias)
{
    const struct tool *t;

    for (size_t i = 0; (t = offer_tool_at(o, i)); i++)
        if (is_called_also(t, alias))
            return t;
    return NULL;
}

const struct tool *offer_tool(const struct offer *o, struct str name)
{
    const struct offer_place *place;

    if (!o->index->slots)
        offer_index_build(o->index, o);
    place = offer_index_find(o->index, name);
    return place->source ? offer_place_tool(*place, name) : tool_by_alias(o, name);
}

const struct prompt *offer_prompt(const struct offer *o, struct str name)
{
    for (const struct offer_join *j = o->joins; j; j = j->next_in_offer)
        for (size_t i = 0; i < j->source->prompts; i++)
            if (str_eq(name, str_of(j->source->prompt[i]->name)))
                return j->source->prompt[i];
    return NULL;
}

static const struct resource *find_resource(const struct offer *o, struct str uri, bool is_template)
{
    const struct resource *r;

    for (size_t i = 0; (r = offer_resource_at(o, i)); i++)
        if (r->is_template == is_template && str_eq(uri, str_of(r->uri)))
            return r;
    return NULL;
}

const struct resource *offer_resource(const struct offer *o, struct str uri)
{
    return find_resource(o, uri, false);
}

const struct resource *offer_template(const struct offer *o, struct str uri_template)
{
    return find_resource(o, uri_template, true);
}

/* ---- walking ----------------------------------------------------------------------------- */

const struct tool *offer_tool_at(const struct offer *o, size_t i)
{
    for (const struct offer_join *j = o->joins; j; i -= j->source->tools, j = j->next_in_offer)
        if (i < j->source->tools)
            return j->source->tool[i];
    return NULL;
}

const struct resource *offer_resource_at(const struct offer *o, size_t i)
{
    for (const struct offer_join *j = o->joins; j; i -= j->source->resources, j = j->next_in_offer)
        if (i < j->source->resources)
            return j->source->resource[i];
    return NULL;
}

const struct prompt *offer_prompt_at(const struct offer *o, size_t i)
{
    for (const struct offer_join *j = o->joins; j; i -= j->source->prompts, j = j->next_in_offer)
        if (i < j->source->prompts)
            return j->source->prompt[i];
    return NULL;
}
