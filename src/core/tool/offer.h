/*
 * offer.h - an offer: the tools, resources and prompts that one endpoint offers to its clients, or
 * that an agent can use.
 *
 * An offer joins any number of sources, in order. A source (such as the built-in tools or one
 * connected server) has lists of tools, resources and prompts, and reports when they change. A
 * source may be part of several offers. A watcher of an offer is notified of changes from the loop,
 * at most once per kind of change and turn of the loop.
 */
#ifndef CORE_TOOL_OFFER_H
#define CORE_TOOL_OFFER_H

#include "core/readiness.h"
#include "core/tool/tool.h"

struct resource {
    const char *uri; /* a URI; for a template: RFC 6570 with level 1 expressions, {name} */
    bool is_template;
    const char *name, *title, *description, *mime_type; /* all but name may be NULL */
    int64_t size;                                       /* size in bytes; 0: unknown */
    const char *annotations, *icons, *meta;             /* raw JSON or NULL */
    void *ctx;
    /*
     * Read the resource. call->uri is the requested URI; call->args contains the variables of the
     * template as strings. Each block of the content is {"uri", "mimeType", "text" or "blob"}.
     */
    call_start_fn *read;
    /* complete a variable of the template, like prompt.complete; may be NULL */
    call_start_fn *complete;
};

struct prompt {
    const char *name, *title, *description; /* all but name may be NULL */
    const char *arguments;                  /* raw JSON array, or NULL */
    const char *icons, *meta;
    void *ctx;
    /*
     * Fill in the prompt. call->args contains the arguments, which are strings. Each block of the
     * content is {"role", "content"}.
     */
    call_start_fn *get;
    /*
     * Complete an argument. call->args is {"name", "value", "context"?}. Each block of the content
     * is one string that completes the value. May be NULL.
     */
    call_start_fn *complete;
};

/* ---- sources ----------------------------------------------------------------------------- */

enum offer_part { OFFER_TOOLS, OFFER_RESOURCES, OFFER_PROMPTS, OFFER_PARTS };

struct offer_join;

/*
 * The owner of a source calls offer_source_changed after it has changed a list of the source. A
 * zeroed source is empty.
 */
struct offer_source {
    const struct tool *const *tool;
    size_t tools;
    const struct resource *const *resource;
    size_t resources;
    const struct prompt *const *prompt;
    size_t prompts;
    struct offer_join *joins; /* the offers that this source is part of */
};

/* Report that a list of the source has changed. */
void offer_source_changed(struct offer_source *s, enum offer_part part);

/* Report that the content of a resource has changed. */
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
    /* bits of enum offer_part: the parts to announce to clients, even if empty */
    unsigned parts;
    /* the gate (readiness.h) at which calls wait for the sources; NULL: the sources are ready */
    struct readiness *readiness;
    /* the gate at which requests for lists wait; it ends no later than `readiness` */
    struct readiness *listing;
    struct offer_join *joins, **joins_end;
    struct offer_watch *watches;
    struct offer_index *index; /* tools by name, built by the first lookup after a change */
    struct post post;
    unsigned changed; /* bits of enum offer_part: changes that were not reported yet */
};

void offer_init(struct offer *o, const struct host *host, unsigned parts);
void offer_fini(struct offer *o); /* also leaves the sources */

/*
 * Add a source to an offer, or remove it. Both are reported as changes of all lists of the source.
 */
void offer_join(struct offer *o, struct offer_source *s);
void offer_leave(struct offer *o, struct offer_source *s);

void offer_watch(struct offer *o, struct offer_watch *w);
void offer_unwatch(struct offer_watch *w);

/*
 * Find a tool by name; NULL: none. The first source that has the name wins. If no name matches,
 * finds the tool by its alias ("server:tool") or other name.
 */
const struct tool *offer_tool(const struct offer *o, struct str name);
const struct prompt *offer_prompt(const struct offer *o, struct str name);

/* Find the resource with this URI, or the template with this text. NULL: none. */
const struct resource *offer_resource(const struct offer *o, struct str uri);
const struct resource *offer_template(const struct offer *o, struct str uri_template);

/* Iterate over a list, in order: for (size_t i = 0; (t = offer_tool_at(o, i)); i++). */
const struct tool *offer_tool_at(const struct offer *o, size_t i);
const struct resource *offer_resource_at(const struct offer *o, size_t i);
const struct prompt *offer_prompt_at(const struct offer *o, size_t i);

#endif
