/*
 * a2a_request.h - requests to a remote agent and their answers, in every dialect and binding. Pure.
 */
#ifndef PROTO_A2A_CLIENT_A2A_REQUEST_H
#define PROTO_A2A_CLIENT_A2A_REQUEST_H

#include "proto/a2a/a2a_codec.h"
#include "proto/a2a/a2a_error.h"
#include "proto/a2a/client/a2a_peer_card.h"

/* One operation. Members that it does not use are zero. */
struct a2a_ask {
    enum a2a_op op;
    const struct a2a_message *message; /* A2A_SEND, A2A_STREAM */
    bool waits;                        /* A2A_SEND: answer when the task has ended */
    struct str task;                   /* id of the task, for operations about one */
    /* A2A_LIST; STR_NONE: all */
    struct str context, state, page_token;
    int64_t page_size; /* 0: the server's choice */
    int64_t history;   /* most messages of the history; -1: the server's choice */
};

struct a2a_request {
    const char *method;
    struct str url;
    struct str body; /* STR_NONE: none */
};

/*
 * Write the request for an operation, in mem. `id` is the id of a JSON-RPC request. ERR_INVALID:
 * the version of the agent does not have the operation.
 */
bool a2a_request_write(struct arena *mem, const struct limits *limits,
                       const struct a2a_interface *face, const struct a2a_ask *ask, int64_t id,
                       struct a2a_request *out, struct err *e);

/* The value of the header A2A-Version; NULL: clients of this dialect send none. */
static inline const char *a2a_version_header(enum a2a_dialect dialect)
{
    return dialect == A2A_1_0 ? "1.0" : NULL;
}

/* Does the answer arrive as an event stream? */
static inline bool a2a_op_streams(enum a2a_op op)
{
    return op == A2A_STREAM || op == A2A_SUBSCRIBE;
}

/* The answer to a request, or one event of a stream. */
struct a2a_reply {
    struct json result;   /* missing: there is none, or the agent answered with an error */
    struct err err;       /* code ERR_NONE: no error */
    enum a2a_error fault; /* which error; A2A_ERRORS: an error that A2A does not define */
};

/*
 * Read the answer, which is a JSON text in mem, with its HTTP status. Both bindings are accepted: a
 * JSON-RPC response, a bare result, and the error object of HTTP+JSON. False: it is none of them.
 */
bool a2a_reply_read(struct arena *mem, const struct limits *limits, int64_t id, int status,
                    struct str text, struct a2a_reply *out, struct err *e);

#endif
