/*
 * tool.h - an action that an agent or a client can request: the port that tools implement.
 *
 * A tool describes itself and starts calls. *tool may be freed as soon as start has returned: a
 * call copies what it needs.
 */
#ifndef CORE_TOOL_TOOL_H
#define CORE_TOOL_TOOL_H

#include "core/tool/call.h"

enum tool_kind {
    TOOL_READ,
    TOOL_EDIT,
    TOOL_DELETE,
    TOOL_MOVE,
    TOOL_SEARCH,
    TOOL_EXECUTE,
    TOOL_FETCH,
    TOOL_THINK,
    TOOL_KINDS,
};

/* The event that a structured result of a built-in tool also becomes. */
enum tool_tells {
    TOOL_TELLS_NOTHING,
    TOOL_TELLS_PLAN,     /* {"entries":[...]}: EVENT_PLAN */
    TOOL_TELLS_ARTIFACT, /* {"name","type"?,"text" or "uri"}: EVENT_ARTIFACT */
};

/* May a call of the tool become a task, for clients that can fetch the result later? */
enum tool_task {
    TOOL_TASK_NEVER, /* it ends soon, or its caller must wait */
    TOOL_TASK_MAY,   /* the caller decides (task_call.h) */
    TOOL_TASK_ONLY,  /* always: no caller can wait for it */
    TOOL_TASK_OWN,   /* if caller.takes_tasks, the tool creates a task and sets call->task */
};

struct tool {
    const char *name;       /* [A-Za-z0-9_-]{1,64}, unique in an offer */
    const char *alias;      /* "server:tool", of an MCP server's; NULL: built in */
    const char *other_name; /* also accepted in calls, but never listed. NULL: none */
    const char *title, *description;
    const char *input_schema;  /* JSON Schema of an object, as raw JSON */
    const char *output_schema; /* NULL: the structured result is not described */
    enum tool_kind kind;
    enum tool_tells tells;
    bool read_only, idempotent, open_world; /* hints to clients */
    bool additive; /* hint: it writes, but deletes and overwrites nothing */
    bool polls;    /* it polls for changes: the same call again is not a loop */
    bool always;   /* always offered: no tool search may omit it */
    bool manual;   /* offered only to agents whose list of tools names it */

    /* Raw JSON that is forwarded unchanged, or NULL. */
    const char *annotations; /* instead of the hints above */
    const char *icons, *meta;

    /*
     * The MCP server of a tool, by a number that is never reused, even for a server of the same
     * name. 0: built in.
     */
    uint64_t server;

    enum tool_task task;
    int64_t timeout_ms; /* as in struct call_about */
    void *ctx;          /* call->ctx */

    /*
     * Of a built-in tool: find out what a call would change, for the person who approves it. Ends
     * by calling guard_previewed, or by settling a call that would fail. NULL: nothing to preview.
     */
    call_start_fn *preview;
    call_start_fn *start; /* call->args is an object or missing */
};

/* Run a tool: call_run with the settings of the tool, if the guard of the host allows it
 * (guard.h). */
void tool_run(const struct tool *tool, struct call *call, const struct host *host,
              struct caller *caller, struct arena *mem, struct json args, struct op *parent,
              op_done_fn *done, void *ctx);

enum { TOOL_NAME_MOST = 64 };

/* Is this a valid name: 1 to 64 of A-Z a-z 0-9 _ - and .? */
bool tool_name_valid(struct str name);

#endif
