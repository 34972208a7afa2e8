/*
 * mcp_conv.h - one conversation with an MCP client, and each request in it.
 *
 * A conversation is what a client and we remember of each other: a process on stdio, an HTTP
 * session, an HTTP+SSE stream; or next to nothing, for one HTTP request that stands alone. The
 * transport embeds a struct mcp_conv, brings messages to its peer, and provides links.
 *
 * Two eras live side by side (mcp_era.h decides for each message). Legacy: the version and the
 * client's abilities were settled by initialize and are kept here. Modern (2026-07-28): each
 * request brings its own and the conversation is not looked at.
 *
 * A request in flight is a struct mcp_request: the caller port for core. What it tells goes out by
 * the link its request came by; what it asks goes out as a request of ours there (legacy), or ends
 * the answer with input_required while the call is parked (modern, mcp_park.h).
 */
#ifndef PROTO_MCP_CONV_H
#define PROTO_MCP_CONV_H

#include "core/offer.h"
#include "proto/mcp/mcp_server.h"
#include "proto/mcp/mcp_version.h"
#include "rpc/peer.h"

struct mcp_subscription;

/* What a client said it can do. */
struct mcp_abilities {
    bool can[ASK_KINDS];
};

struct mcp_conv {
    struct mcp_server *server;
    struct peer peer; /* who = this */
    bool greeted;     /* initialize was answered */
    bool lasting;     /* there will be more: notifications of changes make sense */
    struct mcp_abilities abilities;
    enum call_level log_level; /* logging/setLevel */
    bool logs;                 /* a level was set, or the version sends logs unasked */
    struct offer_watch watch;
    struct mcp_subscription *subscriptions; /* resources/subscribe */
    struct str principal;                   /* who authenticated: a name for a key; "" for nobody */
    struct trace trace;                     /* by header, for requests that bring none in _meta */
};

/*
 * Make *conv a conversation by `link` (NULL: each request brings its own), in a version until
 * initialize says another.
 */
void mcp_conv_init(struct mcp_conv *conv, struct mcp_server *server, struct link *link,
                   enum mcp_version version);

/* The peer must be idle. */
void mcp_conv_fini(struct mcp_conv *conv);

#endif
