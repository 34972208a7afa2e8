/*
 * mcp_park.h - a call that waits for its client to retry with input (MCP 2026-07-28, multi round-trip
 * requests).
 *
 * A modern client is asked by ending its request: {resultType: "input_required", inputRequests,
 * requestState}. The call continues to exist. The client sends the same request again with
 * inputResponses and the state; that request is attached to the call, the open asks get their
 * answers, and it is answered with the result or the next round.
 *
 * requestState is a ticket for one round of one call. It is sealed together with the method, the
 * name, the arguments and the principal. A ticket that was modified, belongs to another request or
 * client, or whose call is gone or in another round, is rejected and starts nothing.
 */
#ifndef PROTO_MCP_SERVER_MCP_PARK_H
#define PROTO_MCP_SERVER_MCP_PARK_H

#include "proto/mcp/server/mcp_request.h"

struct mcp_parked {
    struct mcp_request request;
    struct op op;     /* the parent of the call; ends when no client can retry any more */
    struct arena own; /* also holds this struct */
    struct mcp_server *server;
    struct mcp_conv *home; /* the conversation that keeps it; NULL: the server does */
    struct mcp_hold *hold; /* the child op of `in` while attached */
    struct mcp_parked *next, **link;
    uint64_t id;
    int64_t round;       /* of the last ticket issued; 0: none yet */
    struct json presets; /* answers from the first request */
    size_t bytes;        /* size of the data copied from its client */
    struct post check;   /* a question was asked: end the round at the end of this loop iteration */
    struct timer expiry;
    bool over; /* the call has settled; `why` is the error, if it failed */
    bool failed;
    struct err why;
};

/* Create a parked call for `in`, attached to it. */
struct mcp_parked *mcp_park_new(struct rpc_in *in, const struct mcp_round *round);

/* A copy of data of its client, valid as long as the call. Only while it is attached. */
struct json mcp_park_keep(struct mcp_parked *p, struct json v);

/* The call asks its client something. */
void mcp_park_ask(struct mcp_parked *p, struct ask *ask);

/* The call has settled. */
void mcp_park_over(struct mcp_parked *p, const struct err *e);

/*
 * Is `in` a further round of a parked call? Then attach it to that call, or reject it, and return
 * true: the caller must not handle it.
 */
bool mcp_park_resume(struct rpc_in *in, const struct mcp_round *round);

/* Cancel what is parked: of one conversation, or all (NULL). */
void mcp_park_cancel(struct mcp_server *server, const struct mcp_conv *home);

#endif
