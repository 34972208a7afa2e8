#include "proto/mcp/client/mcp_upstream_state.h"

#include "base/str.h"

struct upstream_step {
    enum upstream_state from;
    enum upstream_event on;
    enum upstream_state to;
};

static const struct upstream_step steps[] = {
    { UP_STOPPED, UP_ON_WANTED, UP_CONNECTING }, { UP_CONNECTING, UP_ON_READY, UP_READY },
    { UP_CONNECTING, UP_ON_FAILED, UP_WAITING }, { UP_CONNECTING, UP_ON_TOO_OFTEN, UP_BROKEN },
    { UP_READY, UP_ON_FAILED, UP_WAITING },      { UP_READY, UP_ON_TOO_OFTEN, UP_BROKEN },
    { UP_READY, UP_ON_UNUSED, UP_STOPPING },     { UP_WAITING, UP_ON_TIME, UP_CONNECTING },
    { UP_BROKEN, UP_ON_TIME, UP_CONNECTING },    { UP_STOPPING, UP_ON_GONE, UP_STOPPED },
    { UP_STOPPING, UP_ON_TOO_OFTEN, UP_BROKEN }, { UP_CLOSING, UP_ON_GONE, UP_CLOSED },
    { UP_DISABLED, UP_ON_CLOSE, UP_CLOSED },     { UP_UNTRUSTED, UP_ON_CLOSE, UP_CLOSED },
    { UP_STOPPED, UP_ON_CLOSE, UP_CLOSED },      { UP_WAITING, UP_ON_CLOSE, UP_CLOSED },
    { UP_BROKEN, UP_ON_CLOSE, UP_CLOSED },       { UP_CONNECTING, UP_ON_CLOSE, UP_CLOSING },
    { UP_READY, UP_ON_CLOSE, UP_CLOSING },       { UP_STOPPING, UP_ON_CLOSE, UP_CLOSING },
};

enum upstream_state upstream_next(enum upstream_state s, enum upstream_event ev)
{
    for (size_t i = 0; i < ARRAY_LEN(steps); i++)
        if (steps[i].from == s && steps[i].on == ev)
            return steps[i].to;
    return s;
}

const char *upstream_state_name(enum upstream_state s)
{
    static const char *const names[UP_STATES] = {
        [UP_DISABLED] = "disabled",     [UP_UNTRUSTED] = "untrusted", [UP_STOPPED] = "stopped",
        [UP_CONNECTING] = "connecting", [UP_READY] = "ready",         [UP_WAITING] = "waiting",
        [UP_BROKEN] = "broken",         [UP_STOPPING] = "stopping",   [UP_CLOSING] = "closing",
        [UP_CLOSED] = "closed",
    };

    return names[s];
}
