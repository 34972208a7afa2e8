/*
 * mcp_conv.h - one conversation with an MCP client.
 *
 * A conversation is what a client and we remember of each other: a process on stdio, an HTTP
 * session, an HTTP+SSE stream; or next to nothing, for one HTTP request that stands alone. The
 * transport embeds a struct mcp_conv, brings messages to its peer, and provides links.
 *
 * Two eras live side by side (mcp_era.h decides for each message). Legacy: the version and the
 * client's abilities were settled by initialize and are kept here. Modern (2026-07-28): each
 * request brings its own and the conversation is not looked at.
 *
 * A request in flight is a struct mcp_request (mcp_request.h): the caller port for core. What it
 * tells goes out by the link its request came by; what it asks goes out as a request of ours there
 * (legacy), or ends the answer with input_required while the call is parked (modern, mcp_park.h).
 *
 * For a transport: mcp_conv_init; set what is marked so below; peer_receive (or
 * peer_receive_tree, after mcp_judge with its headers); at the end mcp_conv_end, and when the peer
 * is idle and nothing is parked (mcp_conv_idle) mcp_conv_fini.
 */
#ifndef PROTO_MCP_SERVER_MCP_CONV_H
#define PROTO_MCP_SERVER_MCP_CONV_H

#include "core/guard/guard_grants.h"
#include "core/tool/offer.h"
#include "proto/mcp/mcp_version.h"
#include "proto/mcp/server/mcp_server.h"
#include "rpc/peer.h"

struct mcp_request;
struct mcp_subscription;

/* What a client said it can do. */
struct mcp_abilities {
    bool can[ASK_KINDS];
};

struct mcp_conv {
    struct mcp_server *server;
    struct peer peer; /* who = this */

    /* Set by the transport, after mcp_conv_init: */
    bool lasting; /* there will be more: notifications of changes and requests of ours make sense */
    bool keeps;   /* parked calls belong to it and end with it (stdio), not to the server */
    bool judged;  /* its one message is served in its version: mcp_judge has said so already */
    struct principal principal; /* who the client is */
    bool remote;                /* its address is not of this machine */
    struct trace trace;         /* by header, for requests that bring none in _meta */
    /* Let the stream of this request rest (SSE polling); NULL: it cannot. */
    void (*rest)(struct mcp_conv *conv, struct rpc_in *in, int64_t retry_ms);

    /* What initialize and later messages of a legacy client settled: */
    bool greeted; /* initialize was answered */
    bool ready;   /* notifications/initialized came: it may be told of changes */
    struct mcp_abilities abilities;
    enum call_level log_level;              /* logging/setLevel */
    struct mcp_subscription *subscriptions; /* resources/subscribe */
    size_t subscription_count;
    struct offer_watch watch;

    uint64_t client; /* caller.client of its requests; 0: it does not last */

    struct guard_grants grants; /* answers about tools that hold for this conversation */

    size_t parked; /* calls it keeps */
    bool ended;    /* mcp_conv_end: nobody can be asked any more */
};

/* What its client may do. */
const struct guard_scope *mcp_conv_scope(const struct mcp_conv *conv);

/*
 * Make *conv a conversation by `link` (NULL: each request brings its own), in a version until
 * initialize says another.
 */
void mcp_conv_init(struct mcp_conv *conv, struct mcp_server *server, struct link *link,
                   enum mcp_version version);

/*
 * The client will say nothing more: subscriptions/listen that came by it are answered, questions it
 * was asked fail, parked calls it keeps are cancelled. Calls under way go on, but cannot ask. Then
 * peer.on_idle is called once more when the last parked call is gone.
 */
void mcp_conv_end(struct mcp_conv *conv);

/* The peer is idle and no call is kept. */
bool mcp_conv_idle(const struct mcp_conv *conv);

/* It must be idle. */
void mcp_conv_fini(struct mcp_conv *conv);

/* Settle on a version. */
void mcp_conv_set_version(struct mcp_conv *conv, enum mcp_version version);

static inline struct mcp_conv *mcp_conv_of(const struct rpc_in *in)
{
    return in->peer->ctx;
}

/* Read what a client says of itself, in the words of a version. */
struct mcp_abilities mcp_abilities_read(struct json capabilities, enum mcp_version version);

#endif
