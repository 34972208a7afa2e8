/*
 * mcp_conversation.h - one conversation with an MCP client.
 *
 * A conversation has the state that we keep for a client: a process on stdio, an HTTP session or an
 * HTTP+SSE stream. Even a single HTTP request without a session has a conversation, which is nearly
 * empty. The transport embeds a struct mcp_conv, passes messages to its peer, and provides links.
 *
 * There are two eras; mcp_era.h decides for each message. Legacy: initialize determines the version
 * and the abilities of the client, which are kept here. Modern (2026-07-28): each request has its
 * own version and abilities; the version and abilities of the conversation are not used.
 *
 * A running request is a struct mcp_request (mcp_request.h), which implements the caller port for
 * core. Its progress and log messages are sent over the link of the request. A question to the
 * client is sent as our request over that link (legacy); or the request is answered with
 * input_required and its call is parked, that is, it waits until the client retries (modern,
 * mcp_park.h).
 *
 * A transport calls mcp_conv_init and sets the members marked below. It passes messages to
 * peer_receive (or, after mcp_judge with the HTTP headers, to peer_receive_tree). At the end it
 * calls mcp_conv_end, and then, when mcp_conv_idle is true, mcp_conv_fini.
 */
#ifndef PROTO_MCP_SERVER_MCP_CONVERSATION_H
#define PROTO_MCP_SERVER_MCP_CONVERSATION_H

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
    bool lasting; /* more messages can follow, so we may send notifications and requests */
    bool keeps;   /* parked calls belong to this conversation (stdio), not to the server */
    bool judged;  /* the conversation has one message, for which mcp_judge was already called */
    struct principal principal; /* the identity of the client */
    bool remote;                /* connected from another machine */
    struct trace trace; /* read from the HTTP headers; for requests without a trace in _meta */
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

    uint64_t client; /* caller.client of all requests; 0: the conversation is not lasting */

    struct guard_grants grants; /* remembered answers of the user that apply to this conversation */

    size_t parked; /* number of parked calls that belong to this conversation */
    bool ended;    /* mcp_conv_end was called: the client cannot be asked any more */
};

/* The guard scope with the rights of the client. */
const struct guard_scope *mcp_conv_scope(const struct mcp_conv *conv);

/*
 * Initialise a conversation. link NULL: each request has its own link. `version` is used until
 * initialize sets another one.
 */
void mcp_conv_init(struct mcp_conv *conv, struct mcp_server *server, struct link *link,
                   enum mcp_version version);

/*
 * The client will send nothing more: answer its subscriptions/listen requests, fail the open
 * questions to it, cancel its parked calls. Running calls continue, but cannot ask the client. When
 * the last parked call has ended, peer.on_idle is called again.
 */
void mcp_conv_end(struct mcp_conv *conv);

/* Is the peer idle, and is no call parked? */
bool mcp_conv_idle(const struct mcp_conv *conv);

/* Free the state. The conversation must be idle. */
void mcp_conv_fini(struct mcp_conv *conv);

/* Set the negotiated version. */
void mcp_conv_set_version(struct mcp_conv *conv, enum mcp_version version);

static inline struct mcp_conv *mcp_conv_of(const struct rpc_in *in)
{
    return in->peer->ctx;
}

/* Parse the capabilities of a client, as this version defines them. */
struct mcp_abilities mcp_abilities_read(struct json capabilities, enum mcp_version version);

#endif
