/*
 * message.h - one JSON-RPC 2.0 message, decoded.
 *
 * Only the envelope is decoded; params, result and error are not, and keep their source bytes. A
 * malformed message is described by an error code and a sentence. If its id could be read, the id
 * is kept for the error response.
 */
#ifndef RPC_MESSAGE_H
#define RPC_MESSAGE_H

#include "base/json.h"

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
};

enum rpc_kind {
    RPC_REQUEST,
    RPC_NOTIFICATION,
    RPC_RESPONSE,
    RPC_MALFORMED, /* `code` and `why` describe the error */
};

struct rpc_message {
    enum rpc_kind kind;
    struct json id; /* string or integer; missing for notifications and unreadable ids */
    struct str method;
    struct json params;        /* an object, or missing */
    struct json meta;          /* the member _meta of params, or missing */
    struct json result, error; /* a response has one of them; the other is missing */
    enum rpc_code code;
    struct err why;
};

/* Decode one message. Never fails: a malformed message has the kind RPC_MALFORMED. */
void rpc_message_read(struct arena *mem, struct json v, struct rpc_message *out);

/*
 * Find the raw id of a request in its first bytes, so that a request that is too large to be parsed
 * can still be answered. STR_NONE: the id was not found.
 */
struct str rpc_salvage_id(struct str head);

/* The JSON-RPC error code for a failure on our side. */
enum rpc_code rpc_code_of(enum err_code code);

#endif
