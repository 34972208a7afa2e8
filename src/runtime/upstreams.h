/*
 * upstreams.h - opens and closes the MCP servers that a service uses (the upstreams), with the
 * processes and the HTTP client that they need.
 *
 * If no server is configured, nothing is opened. Tools in [mcp] private_tools are not offered to
 * clients, but the servers of these tools are started.
 */
#ifndef RUNTIME_UPSTREAMS_H
#define RUNTIME_UPSTREAMS_H

#include "config/config.h"
#include "core/tool/exposure.h"
#include "core/tool/offer.h"
#include "loop/proc.h"
#include "proto/mcp/client/mcp_upstreams.h"
#include "runtime/tool_cache.h"
#include "runtime/tool_pins.h"

struct upstreams {
    struct offer *offer; /* the offer to which the tools of the servers are added */
    struct rpc *rpc;
    /* all child processes of the program, including the child processes of tools */
    struct procs procs;
    struct http_client *http;
    struct mcp_upstreams *upstreams; /* the open upstreams; NULL: none are open */
    struct mcp_upstreams_view view;
    struct tool_cache cache;     /* tool definitions on disk; valid while the upstreams are open */
    struct tool_pins pins;       /* approved definitions; valid while the upstreams are open */
    enum tool_pinning pinning;   /* tool_pins.preset; set this before the upstreams are opened */
    const struct config *config; /* the current configuration */
    bool withheld;               /* `offer` does not get the tools, but agents can use them */

    /* Called when every server has connected or failed for the first time. May be NULL. */
    void (*on_tried)(struct upstreams *up);
    /* Called when the tools of the servers have changed. May be NULL. */
    void (*on_changed)(struct upstreams *up);
    void *ctx;

    struct timer late;
    struct post closed;
    void (*done)(void *ctx, bool in_time);
    void *done_ctx;
};

/* Return the names that lists in the configuration can use for a tool. The alias is in mem. */
struct tool_called upstream_tool_called(struct arena *mem, const struct upstream_tool *t);

/*
 * For other sets of servers in the same root (session_servers.h): an HTTP client of their own, what
 * their clients share, and the names that no tool of a server may have (in mem).
 */
struct http_client *upstreams_http(const struct upstreams *up);
struct mcp_client_world upstreams_world(struct upstreams *up, struct http_client *http);
const struct str *upstreams_reserved(struct arena *mem, size_t *out_n);

void upstreams_init(struct upstreams *up, struct offer *offer, struct rpc *rpc);

/*
 * Use the servers of a configuration, which must stay valid until it is replaced or the upstreams
 * are closed. Unchanged servers keep running.
 */
void upstreams_use(struct upstreams *up, const struct config *config);

/* Use only the server with this name. Returns false if there is no such server. */
bool upstreams_use_only(struct upstreams *up, const struct config *config, const char *name);

/*
 * Ask all servers to exit. `done` is called from the loop when they have exited, or after
 * limits.shutdown_ms with in_time false. Then the caller should exit at once; the keepers
 * (sandbox/keep.h) kill the remaining processes.
 */
void upstreams_close(struct upstreams *up, void (*done)(void *ctx, bool in_time), void *ctx);

#endif
