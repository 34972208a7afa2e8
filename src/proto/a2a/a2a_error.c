#include "proto/a2a/a2a_error.h"

/* HTTP statuses are those of A2A 1.0.1. */
const struct a2a_error_row a2a_errors[A2A_ERRORS] = {
    [A2A_TASK_NOT_FOUND] = { -32001, 404, "NOT_FOUND", "TASK_NOT_FOUND" },
    [A2A_TASK_NOT_CANCELABLE] = { -32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE" },
    [A2A_PUSH_NOT_SUPPORTED] = { -32003, 400, "FAILED_PRECONDITION",
                                 "PUSH_NOTIFICATION_NOT_SUPPORTED" },
    [A2A_UNSUPPORTED_OPERATION] = { -32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION" },
    [A2A_CONTENT_TYPE_NOT_SUPPORTED] = { -32005, 400, "INVALID_ARGUMENT",
                                         "CONTENT_TYPE_NOT_SUPPORTED" },
    [A2A_INVALID_AGENT_RESPONSE] = { -32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE" },
    [A2A_EXTENDED_CARD_NOT_CONFIGURED] = { -32007, 400, "FAILED_PRECONDITION",
                                           "EXTENDED_AGENT_CARD_NOT_CONFIGURED" },
    [A2A_EXTENSION_REQUIRED] = { -32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED" },
    [A2A_VERSION_NOT_SUPPORTED] = { -32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED" },
    [A2A_PARSE_ERROR] = { -32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR" },
    [A2A_INVALID_REQUEST] = { -32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST" },
    [A2A_METHOD_NOT_FOUND] = { -32601, 404, "NOT_FOUND", "METHOD_NOT_FOUND" },
    [A2A_INVALID_PARAMS] = { -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS" },
    [A2A_INTERNAL] = { -32603, 500, "INTERNAL", "INTERNAL_ERROR" },
    [A2A_BUSY] = { -32603, 503, "UNAVAILABLE", "UNAVAILABLE" },
    [A2A_DISABLED] = { -32603, 503, "UNAVAILABLE", "A2A_DISABLED" },
};

bool a2a_error_of_code(int64_t code, enum a2a_error *out)
{
    for (size_t i = 0; i < A2A_ERRORS; i++) {
        if (a2a_errors[i].code != code)
            continue;
        *out = (enum a2a_error)i;
        return true;
    }
    return false;
}

enum a2a_error a2a_error_of(enum err_code code)
{
    switch (code) {
    case ERR_INVALID: return A2A_INVALID_PARAMS;
    case ERR_NOT_FOUND: return A2A_TASK_NOT_FOUND;
    case ERR_BUSY:
    case ERR_CLOSED:
    case ERR_CANCELED: return A2A_BUSY;
    case ERR_DENIED: return A2A_UNSUPPORTED_OPERATION;
    case ERR_LIMIT:
    case ERR_TIMEOUT:
    case ERR_SYSTEM:
    case ERR_NONE: break;
    }
    return A2A_INTERNAL;
}

enum err_code a2a_error_kind(enum a2a_error error)
{
    switch (error) {
    case A2A_TASK_NOT_FOUND: return ERR_NOT_FOUND;
    case A2A_BUSY:
    case A2A_DISABLED: return ERR_BUSY;
    case A2A_INTERNAL:
    case A2A_INVALID_AGENT_RESPONSE: return ERR_SYSTEM;
    case A2A_TASK_NOT_CANCELABLE:
    case A2A_PUSH_NOT_SUPPORTED:
    case A2A_UNSUPPORTED_OPERATION:
    case A2A_CONTENT_TYPE_NOT_SUPPORTED:
    case A2A_EXTENDED_CARD_NOT_CONFIGURED:
    case A2A_EXTENSION_REQUIRED:
    case A2A_VERSION_NOT_SUPPORTED:
    case A2A_PARSE_ERROR:
    case A2A_INVALID_REQUEST:
    case A2A_METHOD_NOT_FOUND:
    case A2A_INVALID_PARAMS:
    case A2A_ERRORS: break;
    }
    return ERR_INVALID;
}

void a2a_write_error_info(struct jw *w, enum a2a_error error)
{
    jw_array(w);
    jw_object(w);
    jw_kplain(w, "@type", STR("type.googleapis.com/google.rpc.ErrorInfo"));
    jw_kplain(w, "reason", str_of(a2a_errors[error].reason));
    jw_kplain(w, "domain", STR("a2a-protocol.org"));
    jw_plain_key(w, STR("metadata"));
    jw_object(w);
    jw_object_end(w);
    jw_object_end(w);
    jw_array_end(w);
}
