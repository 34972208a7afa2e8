/*
 * a2a_dialect.h - the dialects of A2A: how each version writes the same objects.
 *
 *   A2A_1_0       version 1.0, JSON-RPC and HTTP+JSON
 *   A2A_0_3       version 0.3, JSON-RPC
 *   A2A_0_3_REST  version 0.3, HTTP+JSON: the JSON form of its protobuf messages
 *   A2A_0_1       version 0.1, JSON-RPC (tasks/send)
 *   A2A_PLAIN     the plain REST routes (POST /a2a/tasks/send): a task whose status is one word
 *
 * A dialect is a row of a table, so the functions that write objects have no branches for versions.
 */
#ifndef PROTO_A2A_A2A_DIALECT_H
#define PROTO_A2A_A2A_DIALECT_H

#include "core/task/task.h"

enum a2a_dialect { A2A_1_0, A2A_0_3, A2A_0_3_REST, A2A_0_1, A2A_PLAIN, A2A_DIALECTS };

/* How a dialect writes a part of a message. */
enum a2a_part_form {
    A2A_PART_MEMBERS, /* {"text"}, {"raw"}, {"url"} or {"data"} */
    A2A_PART_TAGGED,  /* {"kind":"text","text"}, {"kind":"file","file":{...}} */
    A2A_PART_PROTO,   /* {"text"}, {"file":{"fileWithUri"}}, {"data":{"data":{}}} */
    A2A_PART_FLAT,    /* {"type":"file","name","mimeType","data"} */
};

struct a2a_dialect_row {
    const char *version; /* as in a card and in the header A2A-Version */
    const char *state[TASK_STATES];
    const char *user, *agent; /* roles of messages */
    enum a2a_part_form part;
    const char *part_tag;       /* the member that tells the kind of a part; NULL: none */
    const char *message_parts;  /* the member with the parts of a message */
    const char *context;        /* the member with the id of the context */
    const char *history;        /* the member of a task with its messages */
    const char *task_of_update; /* the member of an update with the id of its task */
    bool kinds;        /* objects have a member "kind"; otherwise a wrapper tells the kind */
    bool wraps;        /* {"task":{...}}, {"statusUpdate":{...}} in streams and as a result */
    bool finals;       /* a status update has the member "final" */
    bool flags_inside; /* "append" and "lastChunk" are members of the artifact */
    bool status_word;  /* the status of a task is its state */
    bool message_ids;  /* a message has an id, and refers to its context and task */
};

extern const struct a2a_dialect_row a2a_dialects[A2A_DIALECTS];

/*
 * Find the state with this name, in the spelling of any dialect: "canceled", "cancelled",
 * "TASK_STATE_CANCELLED", "input_required", "inputRequired" ... False: there is no such state.
 */
bool a2a_state_named(struct str name, enum task_state *out);

/* ---- operations ------------------------------------------------------------------------------ */

enum a2a_op {
    A2A_SEND,
    A2A_STREAM,
    A2A_GET,
    A2A_LIST,
    A2A_CANCEL,
    A2A_SUBSCRIBE,
    A2A_PUSH_SET,
    A2A_PUSH_GET,
    A2A_PUSH_LIST,
    A2A_PUSH_DELETE,
    A2A_EXTENDED_CARD,
    A2A_OPS,
};

/* The JSON-RPC method of an operation in a dialect; NULL: the dialect does not have it. */
const char *a2a_method(enum a2a_op op, enum a2a_dialect dialect);

/* Find the operation and the dialect of a JSON-RPC method. False: there is no such method. */
bool a2a_method_named(struct str name, enum a2a_op *op, enum a2a_dialect *dialect);

/* ---- headers --------------------------------------------------------------------------------- */

#define A2A_VERSION_HEADER "A2A-Version"
#define A2A_EXTENSIONS_HEADER "A2A-Extensions"
#define A2A_MEDIA_TYPE "application/a2a+json"
#define A2A_TOKEN_HEADER "X-A2A-Notification-Token"
#define A2A_EVENT_HEADER "X-A2A-Notification-Id"

/* The bindings, as cards name them. */
#define A2A_BINDING_JSONRPC "JSONRPC"
#define A2A_BINDING_HTTP "HTTP+JSON"

/*
 * Find the dialect of JSON-RPC for a version of a card or header: "1.0", "0.3", "0.3.0". An empty
 * version is 0.3. False: the version is not supported.
 */
bool a2a_version_named(struct str version, enum a2a_dialect *out);

#endif
