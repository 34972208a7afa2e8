/*
 * mcp_server.h - MCP, the serving side.
 *
 * One mcp_server is what is offered, under a name. Clients reach it over stdio
 * (mcp_stdio.h) or HTTP (mcp_http.h); each conversation is a peer with mcp_server_peer as its
 * kind and the server as its `who`.
 */
#ifndef PROTO_MCP_SERVER_H
#define PROTO_MCP_SERVER_H

#include "core/offer.h"
#include "proto/mcp/mcp_version.h"
#include "rpc/peer.h"

struct mcp_server {
    struct rpc *rpc;
    struct offer *offer;
    const char *name, *version; /* serverInfo */
    const char *instructions;   /* for the model; NULL: none */
};

/* The methods we serve (mcp_methods.c). */
extern const struct peer_kind mcp_server_peer;

/* Make `p` a conversation with a client of `server`, in a version until initialize says another. */
void mcp_peer_init(struct peer *p, struct mcp_server *server, struct link *link,
                   enum mcp_version version);

/* Settle on a version. */
void mcp_peer_set_version(struct peer *p, enum mcp_version version);

#endif
