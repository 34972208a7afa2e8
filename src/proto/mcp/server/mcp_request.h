/*
 * mcp_request.h - one request that runs a core call: tools/call, resources/read, prompts/get,
 * completion/complete.
 *
 * It implements the caller port of the call. It has the protocol version and the abilities of the
 * client, the link and token for progress, and the function that writes the answer.
 *
 *   ATTACHED -> PARKED -> ATTACHED ... -> OVER
 *
 * ATTACHED  `in` is the request that will get the answer. Cancelling `in` cancels the call.
 * PARKED    the last request was answered with input_required. `in` is NULL until the client
 *           retries (mcp_park.h). Only for modern clients that can answer at least one kind of
 *           question.
 * OVER      the call is settled. If it was parked, its answer is kept until the client retries.
 */
#ifndef PROTO_MCP_SERVER_MCP_REQUEST_H
#define PROTO_MCP_SERVER_MCP_REQUEST_H

#include "proto/mcp/server/mcp_conversation.h"

struct mcp_parked;

/* Send the answer of a settled call; e as in op_done_fn. */
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
    bool told;         /* progress was reported at least once */
    double told_value; /* the last reported progress */
    bool logs;
    enum call_level log_level;

    struct mcp_parked *park; /* NULL: the call cannot be parked */
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
 * Begin to serve `in`. round NULL: calls of this method cannot be parked. Otherwise *args is
 * replaced by a copy that is valid as long as the call.
 */
struct mcp_request *mcp_request_begin(struct rpc_in *in, const struct mcp_round *round,
                                      struct json *args, mcp_answer_fn *answer);

/* The parent op and the done callback to pass to the run functions of core. */
struct op *mcp_request_op(struct mcp_request *r);
void mcp_request_done(struct op *op, const struct err *e, void *ctx);

/*
 * Return a caller that describes the client of a request, for the guard and the log. Its `kind`
 * must not be used, because the functions of the kind need an mcp_request.
 */
struct caller mcp_caller_of(const struct rpc_in *in, struct arena *mem);

/* `in` is now the request to answer: read its progress token and log level. */
void mcp_request_attach(struct mcp_request *r, struct rpc_in *in);

#endif
