#include "proto/acp/acp_names.h"

const char *acp_tool_kind_name(enum tool_kind kind)
{
    static const char *const names[TOOL_KINDS + 1] = {
        [TOOL_READ] = "read",   [TOOL_EDIT] = "edit",     [TOOL_DELETE] = "delete",
        [TOOL_MOVE] = "move",   [TOOL_SEARCH] = "search", [TOOL_EXECUTE] = "execute",
        [TOOL_FETCH] = "fetch", [TOOL_THINK] = "think",   [TOOL_KINDS] = "other",
    };

    return names[kind];
}

const char *acp_status_name(enum called_status status)
{
    static const char *const names[CALLED_STATES] = {
        [CALLED_PENDING] = "pending", [CALLED_RUNNING] = "in_progress", [CALLED_DONE] = "completed",
        [CALLED_FAILED] = "failed",   [CALLED_CANCELED] = "failed",
    };

    return names[status];
}

const char *acp_stop_name(enum turn_stop stop)
{
    switch (stop) {
    case TURN_END:
    case TURN_NO_MODEL: return "end_turn";
    case TURN_LENGTH:
    case TURN_TOKENS:
    case TURN_CONTEXT: return "max_tokens";
    case TURN_REQUESTS:
    case TURN_BUDGET:
    case TURN_TIME:
    case TURN_STUCK: return "max_turn_requests";
    case TURN_REFUSED: return "refusal";
    case TURN_CANCELED: return "cancelled";
    case TURN_FAILED:
    case TURN_STOPS: break;
    }
    return NULL;
}
