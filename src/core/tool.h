/*
 * tool.h - something an agent or a client can have done: the port that tools implement.
 *
 * A tool says what it is (struct tool) and how to start one call of it. A call is an op: the
 * tool writes content blocks, may set a structured result, and settles. Two kinds of not
 * working: an error the model should see and may mend (tool_failed: wrong arguments, no such
 * file) is a result with is_error set; a failure of the op is ours (deadline, cancel, limits).
 *
 * core knows no protocol: content is written as blocks by the functions below, whose JSON
 * happens to be what MCP, ACP and A2A share for text.
 */
#ifndef CORE_TOOL_H
#define CORE_TOOL_H

#include "base/json.h"
#include "base/limits.h"
#include "loop/op.h"

struct tool;
struct tool_call;

enum tool_kind { TOOL_READ, TOOL_EDIT, TOOL_SEARCH, TOOL_EXECUTE, TOOL_FETCH, TOOL_THINK };

struct tool {
    const char *name; /* [A-Za-z0-9_-]{1,64}, unique in a registry */
    const char *title, *description;
    const char *input_schema;  /* JSON Schema 2020-12 of an object, as raw JSON */
    const char *output_schema; /* NULL: no structured result */
    enum tool_kind kind;
    bool read_only, idempotent, open_world; /* hints to clients */

    /*
     * Begin one call: call->args is an object or missing, call->host is what the registry was
     * made with. Settle by tool_done, tool_failed or tool_broke, now or later; cancel is seen by
     * children of call->op.
     */
    void (*start)(struct tool_call *call);
};

/* What tools may use of the world they run in. */
struct tool_host {
    struct loop *loop;
    const struct limits *limits;
    int root_fd;      /* the root folder, opened with O_PATH */
    const char *root; /* its absolute path */
};

/* ---- registry --------------------------------------------------------------------------- */

/* A set of tools with one host; program lifetime. */
struct tool_set {
    struct tool_host host;
    const struct tool *const *tool;
    size_t count;
};

const struct tool *tool_find(const struct tool_set *set, struct str name);

/* ---- one call --------------------------------------------------------------------------- */

struct tool_call {
    struct op op; /* first */
    const struct tool *tool;
    const struct tool_host *host;
    struct arena *mem;     /* lives as long as the call */
    struct json args;      /* borrowed from the caller */
    struct buf content;    /* blocks, separated by commas: the inside of an array */
    struct buf structured; /* one JSON object, or empty */
    bool is_error;
    void *data; /* the tool's */
    struct timer deadline;
    bool late; /* the deadline has passed */
};

/*
 * Run a tool as a child of `parent`, under the deadline limits.tool_ms. Text past
 * limits.tool_result_chars is cut, and the cut is marked. The content lives until done returns;
 * *call must live as long as mem.
 */
void tool_run(struct tool_call *call, const struct tool_set *set, const struct tool *tool,
              struct arena *mem, struct json args, struct op *parent, op_done_fn *done, void *who);

/* For tools: one text block. */
void tool_text(struct tool_call *call, struct str text);

/* For tools: the call is done. */
void tool_done(struct tool_call *call);

/* For tools: done, with one text block that says what the model should know. */
void tool_failed(struct tool_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* For tools: it could not be done, and the reason is none of the model's business. */
void tool_broke(struct tool_call *call, const struct err *e);

#endif
