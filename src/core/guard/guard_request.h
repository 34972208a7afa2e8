/*
 * guard_request.h - permission requests of agents that run their tools themselves.
 *
 * Such an agent asks before it uses a tool. The guard can only answer; it cannot start or stop the
 * tool. The agent describes the tool, and the guard judges the request like a call of a built-in
 * tool of the same kind. The request is a call (core/tool/call.h) that runs nothing, and is
 * recorded in the audit log like any other call.
 *
 *   guard_request_judge ──> GUARD_ALLOW, GUARD_DENY: guard_request_end
 *           ▲          └──> GUARD_ASK: guard_request_asks, then a person answers
 *           └───────────────────────────────────────────────┘ judged again: rights may have changed
 */
#ifndef CORE_GUARD_GUARD_REQUEST_H
#define CORE_GUARD_GUARD_REQUEST_H

#include "core/guard/guard_check.h"
#include "core/guard/permission_option.h"

/* The agent's description of the tool that it wants to use. */
struct guard_request {
    struct str name;  /* name of the tool; STR_NONE: only its kind is known */
    struct str title; /* title of the tool; STR_NONE: it has no title */
    /* kind of the tool; TOOL_KINDS: unknown, so it is judged as TOOL_EXECUTE */
    enum tool_kind kind;
    struct str message; /* the question of the agent */
    bool has_args;      /* the arguments of the tool are known */
};

/*
 * Return a struct tool that describes the requested tool to the guard, in mem. Rules match the tool
 * by its name, by trefoil's name for the same tool (Bash is shell_exec), and by the name of
 * trefoil's tool of the same kind.
 */
const struct tool *guard_request_tool(struct arena *mem, const struct guard_request *r);

/* Return a name of the requested tool for people, in mem. */
const char *guard_request_name(struct arena *mem, const struct guard_request *r);

/*
 * Judge call->tool with call->args. Only the first call for a request counts against the rate limit
 * of the caller and uses remembered answers instead of GUARD_ASK. Returns GUARD_ASK if the host has
 * no guard.
 */
enum guard_says guard_request_judge(struct call *call, struct guard_verdict *out);

/* Return the options to show for the request of an agent that sent no options of its own. */
struct permission_offer guard_request_offer(const struct call *call);

/* Record that a person is asked now. */
void guard_request_asks(struct call *call);

/*
 * Report that a person chose this option of the guard. The choice is remembered if
 * guard_request_offer includes the option.
 */
void guard_request_remember(struct call *call, enum permission_option option);

/* End the call. If `why` is NULL, the request is allowed; else it is rejected for this reason. */
void guard_request_end(struct call *call, const char *why);

#endif
