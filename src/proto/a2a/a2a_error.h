/* a2a_error.h - the errors of A2A and how each binding writes them. */
#ifndef PROTO_A2A_A2A_ERROR_H
#define PROTO_A2A_A2A_ERROR_H

#include "base/err.h"
#include "base/json.h"

enum a2a_error {
    A2A_TASK_NOT_FOUND,
    A2A_TASK_NOT_CANCELABLE,
    A2A_PUSH_NOT_SUPPORTED,
    A2A_UNSUPPORTED_OPERATION,
    A2A_CONTENT_TYPE_NOT_SUPPORTED,
    A2A_INVALID_AGENT_RESPONSE,
    A2A_EXTENDED_CARD_NOT_CONFIGURED,
    A2A_EXTENSION_REQUIRED,
    A2A_VERSION_NOT_SUPPORTED,
    A2A_PARSE_ERROR,
    A2A_INVALID_REQUEST,
    A2A_METHOD_NOT_FOUND,
    A2A_INVALID_PARAMS,
    A2A_INTERNAL,
    A2A_BUSY,
    A2A_DISABLED,
    A2A_ERRORS,
};

struct a2a_error_row {
    int code;           /* the JSON-RPC error code */
    int http;           /* the HTTP status of the HTTP+JSON binding */
    const char *status; /* the name of the google.rpc code */
    const char *reason; /* the reason in google.rpc.ErrorInfo */
};

extern const struct a2a_error_row a2a_errors[A2A_ERRORS];

/* The error with this JSON-RPC code. False: no error has it. */
bool a2a_error_of_code(int64_t code, enum a2a_error *out);

/* The error for a failure of our own. */
enum a2a_error a2a_error_of(enum err_code code);

/* The code of our own for an error of the other side. */
enum err_code a2a_error_kind(enum a2a_error error);

/* Write [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason","domain","metadata"}]. */
void a2a_write_error_info(struct jw *w, enum a2a_error error);

#endif
