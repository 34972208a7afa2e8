/*
 * mcp_park.h - a parked call: a call that waits until its client sends the request again with the
 * requested input (MCP 2026-07-28, multi round-trip requests).
 *
 * To ask a modern client, we answer its request with {resultType: "input_required", inputRequests,
 * requestState}, and keep the call. The client sends the same request again, with inputResponses
 * and requestState. The new request is attached to the call, and the open asks get their answers.
 * The new request is then answered with the result, or with the next round of questions.
 *
 * requestState is a ticket for one round of one call, with a seal (a MAC) over the method, the
 * name, the arguments and the principal. A ticket is rejected if it was modified, if it belongs to
 * another request or client, or if its call has ended or is in another round. A rejected request
 * starts nothing.
 */
#ifndef PROTO_MCP_SERVER_MCP_PARK_H
#define PROTO_MCP_SERVER_MCP_PARK_H

#include "proto/mcp/server/mcp_request.h"

struct mcp_parked {
    struct mcp_request request;
    struct op op;     /* the parent of the call; ends when the client cannot retry any more */
    struct arena own; /* this struct is allocated in it */
    struct mcp_server *server;
    struct mcp_conv *home; /* the conversation that the call belongs to; NULL: the server */
    struct mcp_hold *hold; /* a child op of the attached request */
    struct mcp_parked *next, **link;
    uint64_t id;
    int64_t round;       /* the round of the last ticket; 0: none yet */
    struct json presets; /* answers that the first request already had */
    size_t bytes;        /* size of the data copied from its client */
    /* after a question: ends the round at the end of the current turn of the loop */
    struct post check;
    struct timer expiry;
    bool over; /* the call has settled; `why` is the error, if it failed */
    bool failed;
    struct err why;
};

/* Create a call that can be parked, attached to the request `in`. */
struct mcp_parked *mcp_park_new(struct rpc_in *in, const struct mcp_round *round);

/* Copy data of the client; valid as long as the call. Only while a request is attached. */
struct json mcp_park_keep(struct mcp_parked *p, struct json v);

/* The call has a question for its client. */
void mcp_park_ask(struct mcp_parked *p, struct ask *ask);

/* The call has settled. */
void mcp_park_over(struct mcp_parked *p, const struct err *e);

/*
 * If `in` is a retry for a parked call, attach it to that call, or reject it, and return true: then
 * `in` needs no further handling.
 */
bool mcp_park_resume(struct rpc_in *in, const struct mcp_round *round);

/* Cancel the parked calls of a conversation, or all parked calls (NULL). */
void mcp_park_cancel(struct mcp_server *server, const struct mcp_conv *home);

#endif
