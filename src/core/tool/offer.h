/*
 * offer.h - what one endpoint offers: tools, resources and prompts, from any number of sources.
 *
 * A source (the built-in tools, one connected server, a test's fixtures) holds lists and reports
 * when they change. An offer joins sources, in order; a source may be part of several offers. A
 * watcher of an offer is notified of changes from the loop, at most once per kind and turn of the
 * loop.
 */
#ifndef CORE_TOOL_OFFER_H
#define CORE_TOOL_OFFER_H

#include "core/readiness.h"
#include "core/tool/tool.h"

struct resource {
    const char *uri; /* of a template: RFC 6570, {name} expressions of level 1 */
    bool is_template;
    const char *name, *title, *description, *mime_type; /* all but name may be NULL */
    int64_t size;                                       /* 0: unknown */
    const char *annotations, *icons, *meta;             /* raw JSON or NULL */
    void *ctx;
    /*
     * call->uri is the requested URI; call->args holds the variables of the template as strings.
     * Each block is {"uri", "mimeType", "text" or "blob"}.
     */
    call_start_fn *read;
    call_start_fn *complete; /* NULL: nothing to complete. Like prompt.complete */
};

struct prompt {
    const char *name, *title, *description; /* all but name may be NULL */
    const char *arguments;                  /* raw JSON array, or NULL */
    const char *icons, *meta;
    void *ctx;
    /* call->args holds the arguments, all of them strings. Each block is {"role", "content"}. */
    call_start_fn *get;
    /*
     * call->args is {"name", "value", "context"?}. Each block is one string that completes the
     * value. NULL: nothing to complete.
     */
    call_start_fn *complete;
};

/* ---- sources ----------------------------------------------------------------------------- */

enum offer_part { OFFER_TOOLS, OFFER_RESOURCES, OFFER_PROMPTS, OFFER_PARTS };

struct offer_join;

/* The owner changes a list and then calls offer_source_changed; a zeroed source is empty. */
struct offer_source {
    const struct tool *const *tool;
    size_t tools;
    const struct resource *const *resource;
    size_t resources;
    const struct prompt *const *prompt;
    size_t prompts;
    struct offer_join *joins; /* the offers that it is part of */
};

/* A list of the source has changed. */
void offer_source_changed(struct offer_source *s, enum offer_part part);

/* The content of a resource has changed. */
void offer_source_updated(struct offer_source *s, struct str uri);

/* ---- offers ------------------------------------------------------------------------------ */

struct offer_watch {
    void (*changed)(struct offer_watch *w, enum offer_part part);
    void (*updated)(struct offer_watch *w, struct str uri);
    struct offer_watch *next, **link;
};

struct offer_index;

struct offer {
    struct host host;
    unsigned parts; /* bits of enum offer_part: what is announced as served, even while empty */
    /* open until all sources are ready; NULL: they are from the start */
    struct readiness *readiness;
    struct readiness *listing; /* open while lists wait; ends no later than `readiness` */
    struct offer_join *joins, **joins_end;
    struct offer_watch *watches;
    struct offer_index *index; /* tools by name, built by the first lookup after a change */
    struct post post;
    unsigned changed; /* bits of enum offer_part, not reported yet */
};

void offer_init(struct offer *o, const struct host *host, unsigned parts);
void offer_fini(struct offer *o); /* leaves its sources */

/* Join and leave; both count as changes of all content of the source. */
void offer_join(struct offer *o, struct offer_source *s);
void offer_leave(struct offer *o, struct offer_source *s);

void offer_watch(struct offer *o, struct offer_watch *w);
void offer_unwatch(struct offer_watch *w);

/*
 * The first tool with this name in the order of sources; NULL: none. If no name matches, searches
 * for the alias, "server:tool", or the other name.
 */
const struct tool *offer_tool(const struct offer *o, struct str name);
const struct prompt *offer_prompt(const struct offer *o, struct str name);

/* The resource with this URI; the template with this text. NULL: none. */
const struct resource *offer_resource(const struct offer *o, struct str uri);
const struct resource *offer_template(const struct offer *o, struct str uri_template);

/* Walk all of a list, in order: for (size_t i = 0; (t = offer_tool_at(o, i)); i++). */
const struct tool *offer_tool_at(const struct offer *o, size_t i);
const struct resource *offer_resource_at(const struct offer *o, size_t i);
const struct prompt *offer_prompt_at(const struct offer *o, size_t i);

#endif
