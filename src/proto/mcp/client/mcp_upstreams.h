/*
 * mcp_upstreams.h - all MCP servers that the program, or one session of it, uses.
 *
 * There is one upstream (mcp_upstream.h) for each server. All of them are connected at the same
 * time, in the background. The tools are published under the names of one table
 * (proto/mcp/tool_name.h), which is rebuilt whenever a tool is added or removed. A failing server
 * does not affect the others: its tools stay listed, and calls to them wait or fail with the
 * reason. Until a server is connected, its cached tools are published.
 *
 * A view shows some or all of the tools to one offer (core/tool/offer.h), possibly under other
 * names. There may be several views.
 */
#ifndef PROTO_MCP_CLIENT_MCP_UPSTREAMS_H
#define PROTO_MCP_CLIENT_MCP_UPSTREAMS_H

#include "proto/mcp/client/mcp_upstream.h"
#include "proto/mcp/tool_name.h"

struct mcp_upstreams;

struct mcp_upstreams_opts {
    const struct mcp_client_world *world; /* copied */
    /* names that no tool may have, because built-in tools have them */
    const struct str *reserved;
    size_t reserveds;
    bool always;                  /* sets tool.always of all tools */
    struct upstream_cache *cache; /* outlives the upstreams; NULL: nothing is cached */
    struct upstream_pins *pins;   /* outlives the upstreams; NULL: definitions are not compared */

    /*
     * The first attempt to connect has ended for every server. Called again after
     * mcp_upstreams_add, when that is true for the added server, too. May be NULL.
     */
    void (*on_tried)(struct mcp_upstreams *f, void *ctx);
    /* The tools have changed, and the views were updated. May be NULL. */
    void (*on_changed)(struct mcp_upstreams *f, void *ctx);
    void *ctx;
};

/* Create an empty set: nothing is connected or started. */
struct mcp_upstreams *mcp_upstreams_new(const struct mcp_upstreams_opts *o);

/*
 * Replace the set of servers; their names are unique. Unchanged servers keep running; removed ones
 * are closed, new ones connected, changed ones closed and then connected. Copies what it needs.
 */
void mcp_upstreams_set(struct mcp_upstreams *f, const struct server_spec *spec, size_t specs);

/* mcp_upstreams_add adds a server, replacing another of the same name. mcp_upstreams_remove removes
 * a server. False: there is no server of this name. */
void mcp_upstreams_add(struct mcp_upstreams *f, const struct server_spec *spec);
bool mcp_upstreams_remove(struct mcp_upstreams *f, struct str name);

/* Call this when the approved definitions of tools have changed. */
void mcp_upstreams_check_pins(struct mcp_upstreams *f);

/*
 * Close all servers and drop the tools. When all processes and connections have ended, *f is freed
 * and done is called, from the loop. Close the views first. A second call is ignored.
 */
void mcp_upstreams_close(struct mcp_upstreams *f, void (*done)(void *ctx), void *ctx);

/* ---- facts --------------------------------------------------------------------------------- */

/*
 * Iterate in the order of the configuration: pass NULL to get the first one. NULL: there are no
 * more.
 */
const struct upstream *mcp_upstreams_next(const struct mcp_upstreams *f, const struct upstream *u);
const struct upstream *mcp_upstreams_find(const struct mcp_upstreams *f, struct str name);

const struct tool_names *mcp_upstreams_names(const struct mcp_upstreams *f);

/* ---- views --------------------------------------------------------------------------------- */

/*
 * Returns the name under which a view shows a tool: tool->tool.name, or another name that is valid
 * as long as the view. NULL: the tool is hidden.
 */
typedef const char *mcp_upstreams_named_fn(void *ctx, const struct upstream_tool *tool);

struct mcp_upstreams_view {
    struct offer_source source; /* the source to join to an offer */
    struct mcp_upstreams *upstreams;
    mcp_upstreams_named_fn *named; /* NULL: all tools under their usual names */
    void *ctx;
    const struct tool **list; /* the array for source.tool */
    struct tool *renamed;     /* copies of the tools that have another name in this view */
    struct mcp_upstreams_view *next;
};

void mcp_upstreams_view_open(struct mcp_upstreams_view *v, struct mcp_upstreams *f,
                             mcp_upstreams_named_fn *named, void *ctx);

/* Call this when `named` returns other names than before. */
void mcp_upstreams_view_refresh(struct mcp_upstreams_view *v);

/* Close the view. No offer may use it any more. */
void mcp_upstreams_view_close(struct mcp_upstreams_view *v);

#endif
