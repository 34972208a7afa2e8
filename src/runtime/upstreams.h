/*
 * upstreams.h - the MCP servers of a service: what they run on, and how they come and go.
 *
 * Nothing is opened until there is a server to use. What the configuration calls private is not offered, but runs all the same.
 */
#ifndef RUNTIME_UPSTREAMS_H
#define RUNTIME_UPSTREAMS_H

#include "config/config.h"
#include "core/tool/exposure.h"
#include "core/tool/offer.h"
#include "loop/proc.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "runtime/tool_cache.h"

struct upstreams {
    struct offer *offer; /* where the tools go */
    struct rpc *rpc;
    struct procs procs; /* all children of the program, those of tools included */
    struct http_client *http;
    struct mcp_upstreams *upstreams; /* NULL: nothing is open */
    struct mcp_upstreams_view view;
    struct tool_cache cache;     /* of the servers' definitions, while the fleet is open */
    const struct config *config; /* in force */
    bool withheld;               /* no tool of theirs is offered; agents may be given them */

    /* All have been connected, or failed, once. May be NULL. */
    void (*on_tried)(struct upstreams *up);
    /* Their tools have changed. May be NULL. */
    void (*on_changed)(struct upstreams *up);
    void *ctx;

    struct timer late;
    struct post closed;
    void (*done)(void *ctx, bool in_time);
    void *done_ctx;
};

/* The names by which the lists of the configuration may mean a tool; alias lives in mem. */
struct tool_called upstream_tool_called(struct arena *mem, const struct upstream_tool *t);

void upstreams_init(struct upstreams *up, struct offer *offer, struct rpc *rpc);

/*
 * Use the servers of a configuration, which must live until another is used or all is closed. What
 * is unchanged keeps running.
 */
void upstreams_use(struct upstreams *up, const struct config *config);

/* Only the server of this name; false when there is none. */
bool upstreams_use_only(struct upstreams *up, const struct config *config, const char *name);

/*
 * Ask all to leave; done is called from the loop: when they are gone, or after limits.shutdown_ms,
 * when the best is to exit at once (the keepers see to the rest).
 */
void upstreams_close(struct upstreams *up, void (*done)(void *ctx, bool in_time), void *ctx);

#endif
