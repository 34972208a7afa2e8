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

struct mcp_fleet;

struct mcp_fleet_opts {
    const struct mcp_client_world *world; /* copied */
    const struct str *reserved;           /* names no tool may have: of the built-in ones */
    size_t reserveds;
    bool always;                  /* mark of all tools */
    struct upstream_cache *cache; /* outlives the fleet; NULL: nothing is kept */

    /* Every server has been connected or has failed once. May be NULL. */
    void (*on_tried)(struct mcp_fleet *f, void *who);
    /* The tools have changed; the views have them already. May be NULL. */
    void (*on_changed)(struct mcp_fleet *f, void *who);
    void *who;
};

/* Empty: nothing is opened or started. */
struct mcp_fleet *mcp_fleet_new(const struct mcp_fleet_opts *o);

/*
 * From now on these servers, whose names are unique. Those that stay as they are keep running;
 * removed ones are closed, new ones connected, changed ones both, one after the other. Copies what
 * it needs.
 */
void mcp_fleet_set(struct mcp_fleet *f, const struct server_spec *spec, size_t specs);

/* One more; another of the same name is replaced. Or one less: false when there is none. */
void mcp_fleet_add(struct mcp_fleet *f, const struct server_spec *spec);
bool mcp_fleet_remove(struct mcp_fleet *f, struct str name);

/*
 * End all politely, forget the tools; done is called from the loop when nothing is left of them,
 * and *f is gone then. Views must be closed before that. A second call is ignored.
 */
void mcp_fleet_close(struct mcp_fleet *f, void (*done)(void *who), void *who);

/* ---- what is known ------------------------------------------------------------------------- */

/* Walk, in the order of the configuration: from NULL to NULL. */
const struct upstream *mcp_fleet_next(const struct mcp_fleet *f, const struct upstream *u);
const struct upstream *mcp_fleet_find(const struct mcp_fleet *f, struct str name);

const struct tool_names *mcp_fleet_names(const struct mcp_fleet *f);

/* Every server that may be started has been connected or has failed once. */
bool mcp_fleet_tried(const struct mcp_fleet *f);

/* ---- views --------------------------------------------------------------------------------- */

/*
 * Under which name a tool is shown: tool->tool.name as everywhere, another one that lives as long
 * as the view, or NULL: not at all.
 */
typedef const char *mcp_fleet_named_fn(void *who, const struct upstream_tool *tool);

struct mcp_fleet_view {
    struct offer_source source; /* to be joined to offers */
    struct mcp_fleet *fleet;
    mcp_fleet_named_fn *named; /* NULL: all, as everywhere */
    void *who;
    const struct tool **list; /* source.tool */
    struct tool *renamed;     /* what in there has another name */
    struct mcp_fleet_view *next;
};

void mcp_fleet_view_open(struct mcp_fleet_view *v, struct mcp_fleet *f, mcp_fleet_named_fn *named,
                         void *who);

/* What `named` says has changed. */
void mcp_fleet_view_refresh(struct mcp_fleet_view *v);

/* It must have left its offers. */
void mcp_fleet_view_close(struct mcp_fleet_view *v);

#endif
