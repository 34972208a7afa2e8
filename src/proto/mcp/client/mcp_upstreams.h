/*
 * mcp_upstreams.h - all MCP servers that a program, or one session of it, uses.
 *
 * A fleet holds an upstream (mcp_upstream.h) per server and connects them all at once, in the
 * background. What they offer is published under names of one table (proto/mcp/tool_name.h), made anew
 * whenever a tool comes or goes. One that fails takes nothing from the others: its tools stay
 * listed, calls to them wait or say why not. Until a server is connected it has the tools that
 * the cache kept of it.
 *
 * A view is what one offer shows of a fleet; there may be several with different eyes.
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAMS_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAMS_H

#include "proto/mcp/client/mcp_upstream.h"
#include "proto/mcp/tool_name.h"

struct mcp_upstreams;

struct mcp_upstreams_opts {
    const struct mcp_client_world *world; /* copied */
    const struct str *reserved;           /* names no tool may have: of the built-in ones */
    size_t reserveds;
    bool always;                  /* mark of all tools */
    struct upstream_cache *cache; /* outlives the fleet; NULL: nothing is kept */

    /* Every server has been connected or has failed once. May be NULL. */
    void (*on_tried)(struct mcp_upstreams *f, void *ctx);
    /* The tools have changed; the views have them already. May be NULL. */
    void (*on_changed)(struct mcp_upstreams *f, void *ctx);
    void *ctx;
};

/* Empty: nothing is opened or started. */
struct mcp_upstreams *mcp_upstreams_new(const struct mcp_upstreams_opts *o);

/*
 * From now on these servers, whose names are unique. Those that stay as they are keep running;
 * removed ones are closed, new ones connected, changed ones both, one after the other. Copies what
 * it needs.
 */
void mcp_upstreams_set(struct mcp_upstreams *f, const struct server_spec *spec, size_t specs);

/* One more; another of the same name is replaced. Or one less: false when there is none. */
void mcp_upstreams_add(struct mcp_upstreams *f, const struct server_spec *spec);
bool mcp_upstreams_remove(struct mcp_upstreams *f, struct str name);

/*
 * End all politely, forget the tools; done is called from the loop when nothing is left of them,
 * and *f is gone then. Views must be closed before that. A second call is ignored.
 */
void mcp_upstreams_close(struct mcp_upstreams *f, void (*done)(void *ctx), void *ctx);

/* ---- what is known ------------------------------------------------------------------------- */

/* Walk, in the order of the configuration: from NULL to NULL. */
const struct upstream *mcp_upstreams_next(const struct mcp_upstreams *f, const struct upstream *u);
const struct upstream *mcp_upstreams_find(const struct mcp_upstreams *f, struct str name);

const struct tool_names *mcp_upstreams_names(const struct mcp_upstreams *f);

/* Every server that may be started has been connected or has failed once. */
bool mcp_upstreams_tried(const struct mcp_upstreams *f);

/* ---- views --------------------------------------------------------------------------------- */

/*
 * Under which name a tool is shown: tool->tool.name as everywhere, another one that lives as long
 * as the view, or NULL: not at all.
 */
typedef const char *mcp_upstreams_named_fn(void *ctx, const struct upstream_tool *tool);

struct mcp_upstreams_view {
    struct offer_source source; /* to be joined to offers */
    struct mcp_upstreams *upstreams;
    mcp_upstreams_named_fn *named; /* NULL: all, as everywhere */
    void *ctx;
    const struct tool **list; /* source.tool */
    struct tool *renamed;     /* what in there has another name */
    struct mcp_upstreams_view *next;
};

void mcp_upstreams_view_open(struct mcp_upstreams_view *v, struct mcp_upstreams *f,
                             mcp_upstreams_named_fn *named, void *ctx);

/* What `named` says has changed. */
void mcp_upstreams_view_refresh(struct mcp_upstreams_view *v);

/* It must have left its offers. */
void mcp_upstreams_view_close(struct mcp_upstreams_view *v);

#endif
