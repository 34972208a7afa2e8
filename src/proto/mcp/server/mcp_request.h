/*
 * mcp_request.h - one request that runs a core call: tools/call, resources/read, prompts/get,
 * completion/complete.
 *
 * It implements the caller port of the call. It knows the protocol version and capabilities of its
 * client, the link and token for progress, and how to write the answer.
 *
 *   ATTACHED -> PARKED -> ATTACHED ... -> OVER
 *
 * ATTACHED  `in` is the request that will get the answer; its cancel cancels the call.
 * PARKED    the last request was answered with input_required; `in` is NULL until the client
 *           retries (mcp_park.h). Only where the client is modern and can be asked something.
 * OVER      the call has settled. If it was parked, the answer waits for the client.
 */
#ifndef PROTO_MCP_SERVER_MCP_REQUEST_H
#define PROTO_MCP_SERVER_MCP_REQUEST_H

#include "proto/mcp/server/mcp_conv.h"

struct mcp_parked;

/* Write the answer for a settled call; e as in op_done_fn. */
typedef void mcp_answer_fn(struct mcp_request *r, const struct err *e);

struct mcp_request {
    struct caller caller; /* first */
    struct call call;
    struct arena *mem; /* valid as long as the call */
    struct mcp_server *server;
    struct rpc_in *in; /* the request that waits for the answer; NULL: parked */
    enum mcp_version version;
    struct mcp_abilities abilities;
    mcp_answer_fn *answer;

    struct str token;  /* raw progressToken, or STR_NONE */
    bool told;         /* progress was reported: */
    double told_value; /* the last value */
    bool logs;
    enum call_level log_level;

    struct mcp_parked *park; /* NULL: it cannot be parked */
};

/* The additional params of the three methods that can be parked. */
struct mcp_round {
    struct str state;      /* requestState */
    struct json responses; /* inputResponses */
};

#define MCP_ROUND_FIELDS(type, field)                                                              \
    PICK_FIELD("requestState", PICK_STR, type, field.state, 0),                                    \
        PICK_FIELD("inputResponses", PICK_OBJECT, type, field.responses, 0)

/*
 * Begin to serve `in`. round: NULL for a method that cannot be parked. If it can, *args becomes a
 * copy that is valid as long as the call; pass that on.
 */
struct mcp_request *mcp_request_begin(struct rpc_in *in, const struct mcp_round *round,
                                      struct json *args, mcp_answer_fn *answer);

/* The arguments for core's run functions: the parent op, and the done callback. */
struct op *mcp_request_op(struct mcp_request *r);
void mcp_request_done(struct op *op, const struct err *e, void *ctx);

/*
 * The client of a request, for the guard and the log. Its kind can only be used with an
 * mcp_request.
 */
struct caller mcp_caller_of(const struct rpc_in *in, struct arena *mem);

/* A new `in` replaces the old one: read its progress token and log level. */
void mcp_request_attach(struct mcp_request *r, struct rpc_in *in);

#endif
