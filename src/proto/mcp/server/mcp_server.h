/*
 * mcp_server.h - the server side of MCP.
 *
 * An mcp_server is an offer published under a name. Clients reach it over stdio (mcp_stdio.h) or
 * HTTP (mcp_http.h); each connection or HTTP session is a struct mcp_conv (mcp_conversation.h).
 *
 * The server also has parked calls, which wait until their client sends the requested input and may
 * exist longer than a conversation, and the open subscriptions/listen requests.
 */
#ifndef PROTO_MCP_SERVER_MCP_SERVER_H
#define PROTO_MCP_SERVER_MCP_SERVER_H

#include "core/tool/offer.h"
#include "proto/mcp/mcp_version.h"
#include "rpc/peer.h"

struct mcp_listen;
struct mcp_parked;

struct mcp_server {
    struct rpc *rpc;
    struct offer *offer;
    const char *name, *version;               /* serverInfo */
    const char *title;                        /* the name to show to people; NULL: none */
    const char *instructions;                 /* instructions for the model; NULL: none */
    const struct guard_scope *scope[ORIGINS]; /* rights of clients by origin; NULL: the default */

    /* Private to mcp_listen.c and mcp_park.c; zeroed at first: */
    struct mcp_listen *listens;
    struct mcp_parked *parked;
    size_t parked_count, parked_bytes;
    uint64_t parked_ever;
    char seal_key[32];
    bool sealed; /* seal_key is set */
};

/* The methods that we serve (mcp_methods.c). The ctx of a peer is its struct mcp_conv. */
extern const struct peer_kind mcp_server_peer;

/*
 * Stop serving: answer every subscriptions/listen request and cancel every parked call. Their ops
 * settle later, from the loop.
 */
void mcp_server_end(struct mcp_server *server);

#endif
