/*
 * mcp_conv.h - one conversation with an MCP client.
 *
 * A conversation holds the state between a client and us: of a process on stdio, an HTTP session or
 * an HTTP+SSE stream; it is nearly empty for a single HTTP request. The transport embeds a struct
 * mcp_conv, passes messages to its peer, and provides links.
 *
 * There are two eras (mcp_era.h decides for each message). Legacy: initialize determined the
 * version and the client's abilities, which are kept here. Modern (2026-07-28): each request
 * carries them and the conversation is not consulted.
 *
 * A request in flight is a struct mcp_request (mcp_request.h): the caller port for core. Its
 * reports are sent over the link of its request. A question is sent as our request over that link
 * (legacy), or ends the response with input_required while the call is parked (modern, mcp_park.h).
 *
 * For a transport: mcp_conv_init; set the marked fields below; peer_receive (or
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

/* The declared abilities of a client. */
struct mcp_abilities {
    bool can[ASK_KINDS];
};

struct mcp_conv {
    struct mcp_server *server;
    struct peer peer; /* ctx = this */

    /* Set by the transport, after mcp_conv_init: */
    bool lasting; /* more messages will follow, so notifications and our own requests make sense */
    bool keeps;   /* parked calls belong to it and end with it (stdio), not to the server */
    bool judged;  /* mcp_judge has already decided the version of its one message */
    struct principal principal; /* the identity of the client */
    bool remote;                /* connected from another machine */
    struct trace trace;         /* by header, for requests that bring none in _meta */
    /* Close the stream of this request for a while (SSE polling); NULL: not supported. */
    void (*rest)(struct mcp_conv *conv, struct rpc_in *in, int64_t retry_ms);

    /* Determined by initialize and later messages of a legacy client: */
    bool greeted; /* initialize was answered */
    bool ready;   /* notifications/initialized has arrived: the client may be notified of changes */
    struct mcp_abilities abilities;
    enum call_level log_level;              /* logging/setLevel */
    struct mcp_subscription *subscriptions; /* resources/subscribe */
    size_t subscription_count;
    struct offer_watch watch;

    uint64_t client; /* caller.client of its requests; 0: not lasting */

    struct guard_grants grants; /* answers about tools that hold for this conversation */

    size_t parked; /* calls it keeps */
    bool ended;    /* mcp_conv_end: the client cannot be asked any more */
};

/* The rights of its client. */
const struct guard_scope *mcp_conv_scope(const struct mcp_conv *conv);

/*
 * Make *conv a conversation over `link` (NULL: each request brings its own), in this version until
 * initialize changes it.
 */
void mcp_conv_init(struct mcp_conv *conv, struct mcp_server *server, struct link *link,
                   enum mcp_version version);

/*
 * The client will send nothing more: its subscriptions/listen requests are answered, questions to
 * it fail, its parked calls are cancelled. Running calls continue, but cannot ask. When the last
 * parked call has ended, peer.on_idle is called once more.
 */
void mcp_conv_end(struct mcp_conv *conv);

/* The peer is idle and no call is kept. */
bool mcp_conv_idle(const struct mcp_conv *conv);

/* It must be idle. */
void mcp_conv_fini(struct mcp_conv *conv);

/* Set the negotiated version. */
void mcp_conv_set_version(struct mcp_conv *conv, enum mcp_version version);

static inline struct mcp_conv *mcp_conv_of(const struct rpc_in *in)
{
    return in->peer->ctx;
}

/* Parse the capabilities of a client, in the terms of a version. */
struct mcp_abilities mcp_abilities_read(struct json capabilities, enum mcp_version version);

#endif
