/*
 * tool.h - the port that tools implement. A tool is an action that agents and clients can request.
 *
 * *tool may be freed as soon as `start` has returned, so a call must copy what it needs.
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

/* The event that is reported in addition to the structured result of a built-in tool. */
enum tool_tells {
    TOOL_TELLS_NOTHING,
    TOOL_TELLS_PLAN,     /* {"entries":[...]}: EVENT_PLAN */
    TOOL_TELLS_ARTIFACT, /* {"name","type"?,"text" or "uri"}: EVENT_ARTIFACT */
};

/* May a call of the tool become a task, for clients that can fetch the result later? */
enum tool_task {
    TOOL_TASK_NEVER, /* no: the call ends soon, or the caller must wait for it */
    TOOL_TASK_MAY,   /* yes, if the caller wants that (task_call.h) */
    TOOL_TASK_ONLY,  /* always: the call takes too long to wait for it */
    TOOL_TASK_OWN,   /* if caller.takes_tasks, the tool itself creates a task and sets call->task */
};

/* Which sandbox the arguments of a call request for its programs. */
enum tool_sandbox_wish {
    TOOL_SANDBOX_DEFAULT, /* use the profile that the guard chooses for the call */
    TOOL_SANDBOX_CHOSEN,  /* use the profile `kind`, if the guard allows it */
    TOOL_SANDBOX_NOTHING, /* the call runs no program */
};

struct tool_sandbox {
    enum tool_sandbox_wish what;
    enum sandbox_kind kind;
    /* the program runs where we cannot confine it, such as in a terminal of an editor */
    bool elsewhere;
};

struct tool {
    const char *name;       /* [A-Za-z0-9_-]{1,64}, unique in an offer */
    const char *alias;      /* "server:tool" for a tool of an MCP server; NULL: built in */
    const char *other_name; /* another name, which is accepted in calls but never listed; or NULL */
    const char *title, *description;
    const char *input_schema;  /* JSON Schema of an object, as raw JSON */
    const char *output_schema; /* JSON Schema of the structured result; NULL: none */
    enum tool_kind kind;
    enum tool_tells tells;
    bool read_only, idempotent, open_world; /* hints to clients, as defined by MCP */
    bool additive; /* hint to clients: the tool writes, but deletes and overwrites nothing */
    bool polls;    /* the tool polls for changes, so repeating a call is not a loop */
    bool always;   /* the tool is always offered: a tool search must not omit it */
    bool messages; /* the arguments are a message to another agent */
    bool manual;   /* the tool is offered only to agents whose tool lists name it */
    /* the tool is in no offer; the code that starts a call of it keeps it until the call has ended */
    bool unlisted;
    /* why the tool is not offered and every call is denied; NULL: the tool is offered */
    const char *withheld;

    /* Raw JSON that is forwarded unchanged, or NULL. */
    const char *annotations; /* annotations of the tool, which replace the hints above */
    const char *icons, *meta;

    /*
     * The number of the MCP server that has the tool; 0: built in. A number is never reused, even
     * for a server with the same name.
     */
    uint64_t server;

    /*
     * For a tool that runs programs in the sandbox of call->sandbox: return which sandbox
     * the arguments request. NULL: the tool runs no programs.
     */
    struct tool_sandbox (*sandbox)(const struct host *host, struct json args);

    enum tool_task task;
    int64_t timeout_ms; /* as in struct call_about */
    void *ctx;          /* the value of call->ctx */

    /*
     * For a built-in tool: find out what a call would change, so that the person who approves the
     * call can see it. Then the function calls guard_previewed or, if the call would fail, settles
     * the call. May be NULL.
     */
    call_start_fn *preview;
    call_start_fn *start; /* call->args is an object or missing */
};

/* Run a tool with call_run, if the guard of the host allows it (guard.h). */
void tool_run(const struct tool *tool, struct call *call, const struct host *host,
              struct caller *caller, struct arena *mem, struct json args, struct op *parent,
              op_done_fn *done, void *ctx);

enum { TOOL_NAME_MOST = 64 };

/* Is this a valid name of a tool: 1 to 64 characters of A-Z a-z 0-9 _ - and .? */
bool tool_name_valid(struct str name);

#endif
