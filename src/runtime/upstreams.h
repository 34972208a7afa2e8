/*
 * upstreams.h - open and close the MCP servers of a service, with the processes and the HTTP client
 * that they need.
 *
 * If no server is configured, nothing is opened. Tools in [mcp] private_tools are not offered, but
 * their servers run.
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
    struct procs procs; /* all children of the program, including those of tools */
    struct http_client *http;
    struct mcp_upstreams *upstreams; /* NULL: nothing is open */
    struct mcp_upstreams_view view;
    struct tool_cache cache;     /* of the servers' definitions, while the upstreams are open */
    const struct config *config; /* in force */
    bool withheld;               /* none of their tools is offered; agents may get them */

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

/* The names by which lists of the configuration may refer to a tool; the alias is in mem. */
struct tool_called upstream_tool_called(struct arena *mem, const struct upstream_tool *t);

void upstreams_init(struct upstreams *up, struct offer *offer, struct rpc *rpc);

/*
 * Use the servers of a configuration, which must stay valid until it is replaced or all is closed.
 * Unchanged servers keep running.
 */
void upstreams_use(struct upstreams *up, const struct config *config);

/* Only the server of this name; false when there is none. */
bool upstreams_use_only(struct upstreams *up, const struct config *config, const char *name);

/*
 * Ask all to exit; done is called from the loop: when they have exited, or after
 * limits.shutdown_ms, when the caller should exit at once (the keepers kill the rest).
 */
void upstreams_close(struct upstreams *up, void (*done)(void *ctx, bool in_time), void *ctx);

#endif
