#include "proto/a2a/a2a_dialect.h"

#define LOWER_CASE_STATES                                                                          \
    {                                                                                              \
        [TASK_SUBMITTED] = "submitted", [TASK_WORKING] = "working",                                \
        [TASK_INPUT_REQUIRED] = "input-required", [TASK_AUTH_REQUIRED] = "auth-required",          \
        [TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed", [TASK_CANCELED] = "canceled",    \
        [TASK_REJECTED] = "rejected",                                                              \
    }

/* 0.1 has no state for a rejected task, and none for a task that waits for a login. */
#define FIRST_STATES                                                                               \
    {                                                                                              \
        [TASK_SUBMITTED] = "submitted", [TASK_WORKING] = "working",                                \
        [TASK_INPUT_REQUIRED] = "input-required", [TASK_AUTH_REQUIRED] = "input-required",         \
        [TASK_COMPLETED] = "completed", [TASK_FAILED] = "failed", [TASK_CANCELED] = "canceled",    \
        [TASK_REJECTED] = "failed",                                                                \
    }

#define PROTO_STATES(canceled)                                                                     \
    {                                                                                              \
        [TASK_SUBMITTED] = "TASK_STATE_SUBMITTED", [TASK_WORKING] = "TASK_STATE_WORKING",          \
        [TASK_INPUT_REQUIRED] = "TASK_STATE_INPUT_REQUIRED",                                       \
        [TASK_AUTH_REQUIRED] = "TASK_STATE_AUTH_REQUIRED",                                         \
        [TASK_COMPLETED] = "TASK_STATE_COMPLETED", [TASK_FAILED] = "TASK_STATE_FAILED",            \
        [TASK_CANCELED] = (canceled), [TASK_REJECTED] = "TASK_STATE_REJECTED",                     \
    }

const struct a2a_dialect_row a2a_dialects[A2A_DIALECTS] = {
    [A2A_1_0] = {
        .version = "1.0",
        .state = PROTO_STATES("TASK_STATE_CANCELED"),
        .user = "ROLE_USER",
        .agent = "ROLE_AGENT",
        .part = A2A_PART_MEMBERS,
        .message_parts = "parts",
        .context = "contextId",
        .history = "history",
        .task_of_update = "taskId",
        .wraps = true,
        .message_ids = true,
    },
    [A2A_0_3] = {
        .version = "0.3.0",
        .state = LOWER_CASE_STATES,
        .user = "user",
        .agent = "agent",
        .part = A2A_PART_TAGGED,
        .part_tag = "kind",
        .message_parts = "parts",
        .context = "contextId",
        .history = "history",
        .task_of_update = "taskId",
        .kinds = true,
        .finals = true,
        .message_ids = true,
    },
    [A2A_0_3_REST] = {
        .version = "0.3.0",
        .state = PROTO_STATES("TASK_STATE_CANCELLED"),
        .user = "ROLE_USER",
        .agent = "ROLE_AGENT",
        .part = A2A_PART_PROTO,
        .message_parts = "content",
        .context = "contextId",
        .history = "history",
        .task_of_update = "taskId",
        .wraps = true,
        .finals = true,
        .message_ids = true,
    },
    [A2A_0_1] = {
        .version = "0.1.0",
        .state = FIRST_STATES,
        .user = "user",
        .agent = "agent",
        .part = A2A_PART_TAGGED,
        .part_tag = "type",
        .message_parts = "parts",
        .context = "sessionId",
        .history = "history",
        .task_of_update = "id",
        .finals = true,
        .flags_inside = true,
    },
    [A2A_PLAIN] = {
        .version = "0.1.0",
        .state = FIRST_STATES,
        .user = "user",
        .agent = "agent",
        .part = A2A_PART_FLAT,
        .part_tag = "type",
        .message_parts = "parts",
        .context = "sessionId",
        .history = "messages",
        .task_of_update = "id",
        .finals = true,
        .flags_inside = true,
        .status_word = true,
    },
};

/* ---- states ---------------------------------------------------------------------------------- */

/* The letters of a name, in lower case: spellings differ only in case, "-", "_" and one "l". */
static struct str letters_of(struct str name, char out[32])
{
    size_t n = 0;

    for (size_t i = 0; i < name.n && n < 32; i++) {
        char c = name.p[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != '-' && c != '_')
            out[n++] = c;
    }
    return (struct str){ out, n };
}

bool a2a_state_named(struct str name, enum task_state *out)
{
    static const struct {
        struct str letters;
        enum task_state state;
    } rows[] = {
        { { "submitted", 9 }, TASK_SUBMITTED },
        { { "pending", 7 }, TASK_SUBMITTED },
        { { "working", 7 }, TASK_WORKING },
        { { "inputrequired", 13 }, TASK_INPUT_REQUIRED },
        { { "authrequired", 12 }, TASK_AUTH_REQUIRED },
        { { "completed", 9 }, TASK_COMPLETED },
        { { "failed", 6 }, TASK_FAILED },
        { { "canceled", 8 }, TASK_CANCELED },
        { { "cancelled", 9 }, TASK_CANCELED },
        { { "rejected", 8 }, TASK_REJECTED },
        { { "unknown", 7 }, TASK_FAILED },
        { { "unspecified", 11 }, TASK_FAILED },
    };
    char text[32];
    struct str letters = letters_of(name, text);

    if (str_starts(letters, STR("taskstate")))
        letters = str_skip(letters, 9);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!str_eq(letters, rows[i].letters))
            continue;
        *out = rows[i].state;
        return true;
    }
    return false;
}

/* ---- operations ------------------------------------------------------------------------------ */

static const struct {
    const char *v1, *v03, *v01;
} methods[A2A_OPS] = {
    [A2A_SEND] = { "SendMessage", "message/send", "tasks/send" },
    [A2A_STREAM] = { "SendStreamingMessage", "message/stream", "tasks/sendSubscribe" },
    [A2A_GET] = { "GetTask", "tasks/get", NULL },
    [A2A_LIST] = { "ListTasks", "tasks/list", NULL },
    [A2A_CANCEL] = { "CancelTask", "tasks/cancel", NULL },
    [A2A_SUBSCRIBE] = { "SubscribeToTask", "tasks/resubscribe", NULL },
    [A2A_PUSH_SET] = { "CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set",
                       "tasks/pushNotification/set" },
    [A2A_PUSH_GET] = { "GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get",
                       "tasks/pushNotification/get" },
    [A2A_PUSH_LIST] = { "ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list",
                        NULL },
    [A2A_PUSH_DELETE] = { "DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete",
                          NULL },
    [A2A_EXTENDED_CARD] = { "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", NULL },
};

/* tasks/get and tasks/cancel have the same name in 0.1 and 0.3. */
static bool shares_names(enum a2a_op op)
{
    return op == A2A_GET || op == A2A_CANCEL || op == A2A_SUBSCRIBE;
}

const char *a2a_method(enum a2a_op op, enum a2a_dialect dialect)
{
    switch (dialect) {
    case A2A_1_0: return methods[op].v1;
    case A2A_0_3: return methods[op].v03;
    case A2A_0_1: return shares_names(op) ? methods[op].v03 : methods[op].v01;
    case A2A_0_3_REST:
    case A2A_PLAIN:
    case A2A_DIALECTS: break;
    }
    return NULL;
}

bool a2a_method_named(struct str name, enum a2a_op *op, enum a2a_dialect *dialect)
{
    for (size_t i = 0; i < A2A_OPS; i++) {
        bool v1 = str_eq(name, str_of(methods[i].v1)), v03 = str_eq(name, str_of(methods[i].v03));

        if (!v1 && !v03 && !(methods[i].v01 && str_eq(name, str_of(methods[i].v01))))
            continue;
        *op = (enum a2a_op)i;
        *dialect = v1 ? A2A_1_0 : v03 ? A2A_0_3 : A2A_0_1;
        return true;
    }
    return false;
}

/* ---- versions -------------------------------------------------------------------------------- */

bool a2a_version_named(struct str version, enum a2a_dialect *out)
{
    struct str rest = str_trim(version), major = str_cut(&rest, '.'), minor = str_cut(&rest, '.');

    if (!major.n && !minor.n)
        *out = A2A_0_3;
    else if (str_eq(major, STR("1")) && str_eq(minor, STR("0")))
        *out = A2A_1_0;
    else if (str_eq(major, STR("0")) && (str_eq(minor, STR("3")) || str_eq(minor, STR("2"))))
        *out = A2A_0_3;
    else if (str_eq(major, STR("0")) && str_eq(minor, STR("1")))
        *out = A2A_0_1;
    else
        return false;
    return true;
}
