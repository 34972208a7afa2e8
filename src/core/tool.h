/*
 * tool.h - something an agent or a client can have done: the port that tools implement.
 *
 * A tool says what it is and how to start one call of it. *tool may go as soon as start has
 * returned: a call copies what it needs.
 */
#ifndef CORE_TOOL_H
#define CORE_TOOL_H

#include "core/call.h"

enum tool_kind {
    TOOL_READ,
    TOOL_EDIT,
    TOOL_DELETE,
    TOOL_MOVE,
    TOOL_SEARCH,
    TOOL_EXECUTE,
    TOOL_FETCH,
    TOOL_THINK,
};

struct tool {
    const char *name; /* [A-Za-z0-9_-]{1,64}, unique in an offer */
    const char *title, *description;
    const char *input_schema;  /* JSON Schema of an object, as raw JSON */
    const char *output_schema; /* NULL: no structured result */
    enum tool_kind kind;
    bool read_only, idempotent, open_world; /* hints to clients */
    bool always; /* in every context: no search for fitting tools leaves it out */

    /* Raw JSON that is passed on as it is, or NULL. */
    const char *annotations; /* instead of the hints above */
    const char *icons, *meta;

    int64_t timeout_ms;   /* as in struct call_about */
    void *who;            /* call->who */
    call_start_fn *start; /* call->args is an object or missing */
};

/* Run a tool: call_run with what the tool says. */
void tool_run(const struct tool *tool, struct call *call, const struct host *host,
              struct caller *caller, struct arena *mem, struct json args, struct op *parent,
              op_done_fn *done, void *who);

#endif
