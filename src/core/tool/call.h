/*
 * call.h - one piece of work for a caller: running a tool, reading a resource, filling in a prompt,
 * or completing an argument. The code that does the work is the worker.
 *
 * A call is an op; `args` or `uri` describe the work. The worker writes content, and may report
 * progress, send log messages and ask questions. It ends ("settles") the call with exactly one of
 * call_done, call_failed, call_broke, call_lacks and call_forward. There are two kinds of failure.
 * A failure that the model should see and can correct (wrong arguments, no such file) is a result
 * with `is_error` set: use call_failed. Any other failure (deadline, cancelling, limits, a lost
 * server) is a failure of the op.
 *
 * The deadline is suspended while an ask is open and while the call waits for its turn to write
 * (lock_for_call.h). When a call settles, its open asks are withdrawn.
 *
 * core knows no protocol: content is written as blocks by the functions below, in the JSON form
 * that MCP, ACP and A2A share.
 */
#ifndef CORE_TOOL_CALL_H
#define CORE_TOOL_CALL_H

#include "base/limits.h"
#include "core/tool/caller.h"
#include "loop/sandbox_profile.h"

struct agent_context;
struct guard;
struct kept_results;
struct lock_table;
struct lock_turn;
struct offer;
struct path_rules;
struct remote_port;
struct sandbox_policy;
struct skill_list;
struct state_port;
struct tool;
struct tool_resources;
struct workspace;

/* A folder, opened with O_PATH, and its absolute path without a trailing slash. */
struct host_folder {
    int fd;
    const char *path;
};

/* The resources that calls may use. Lives as long as the program. */
struct host {
    struct loop *loop;
    const struct limits *limits;
    int root_fd;      /* the root folder, opened with O_PATH */
    const char *root; /* absolute path of the root folder */
    /* the folder from which relative paths start; NULL: the root */
    const char *cwd;
    const struct host_folder *include; /* further folders, reached by absolute paths only */
    size_t includes;
    /* port to text files (workspace.h); NULL: the files of this machine */
    struct workspace *workspace;
    struct state_port *state; /* the state directory, for notes (state.h); NULL: none */
    /* child processes and HTTP client of the built-in tools (tool/tool_resources.h); NULL: none */
    struct tool_resources *world;
    struct guard *guard;      /* judges every tool call; NULL: no guard, as in tests */
    struct lock_table *locks; /* locks for calls that write files (lock.h); NULL: no locks */
    struct offer *offer;      /* the set of tools that run on this host (offer.h); NULL: none */
    const struct agent_context *context; /* agents that calls can use (agent_context.h); or NULL */
    const struct skill_list *skills;     /* the current skills; NULL: none */
    /* remote agents by their URL (core/agent/remote_port.h); NULL: A2A is off */
    struct remote_port *remotes;
    /* calls that were sent to other agents (trace.h); or NULL */
    struct open_traces *traces;
    struct kept_results *kept; /* store of long results (linked_results.h); or NULL */
    /* the sandbox of commands (sandbox_policy.h); NULL: commands run without a sandbox */
    const struct sandbox_policy *sandbox;
    /*
     * Called when the session of this host is closed, to end everything that its calls have left
     * running. May be NULL.
     */
    void (*on_closed)(const struct host *host);
};

/* The state of the guard's decision about a call (the diagram is at the top of guard.c). */
enum guard_state {
    GUARD_NEW,
    GUARD_JUDGING,
    GUARD_SHOWING,
    GUARD_ASKED,
    GUARD_RUNNING,
    GUARD_REFUSED,
    GUARD_SETTLED,
    GUARD_STATES,
};

/* The guard's data about a call. Only the guard writes it. */
struct guard_pass {
    enum guard_state state;
    /* the verdict (enum guard_says), and the check that decided (enum guard_row) */
    uint8_t says, row;
    bool cut;                        /* the question shows only a part of the call */
    struct guard_question *question; /* the question to a person (guard_ask.c); NULL: none */
    uint32_t turn;                   /* while RUNNING: number of the call in its caller's history */
    uint64_t digest;                 /* digest of the tool and the arguments */
    int64_t begun;
};

/* The sandbox in which a call runs its programs. The guard chooses it (guard_sandbox.h). */
struct call_sandbox {
    enum sandbox_kind kind;
    /* the programs may run although the kernel cannot enforce all of the profile */
    bool best_effort;
};

struct call {
    struct op op; /* first */
    const struct host *host;
    struct caller *caller;
    struct arena *mem; /* memory that is valid as long as the call */
    /* name for errors; a copy, because the tool, resource or prompt may be freed */
    const char *what;
    void *ctx; /* the member `ctx` of the tool, resource or prompt */

    struct json args; /* an object or missing; borrowed from the caller */
    struct str uri;   /* URI of the resource to read; if a template matched, the requested URI */

    struct buf content;    /* the elements of a JSON array: blocks, contents, messages or values */
    struct buf structured; /* structured content: one JSON value, or empty */
    /* call that fills in a prompt: the prompt's description; else STR_NONE */
    struct str note;
    bool has_blocks; /* call_block was called, so `content` may be more than text */
    bool is_error;
    bool untrusted;     /* the result is from an untrusted source: data, never instructions */
    struct str from;    /* source of an untrusted result: "server:tool" or the tool's name */
    struct str warning; /* a warning of the guard for the model; else STR_NONE */
    /* id of the task that continues the call; STR_NONE: the call is not a task */
    struct str task;

    /* A whole result object or error object that is forwarded unchanged; valid as long as mem. */
    struct str raw_result, raw_error;
    struct json result; /* raw_result, parsed; if missing, raw_result must be parsed again */
    /*
     * maximum number of characters in the text of the result (result_cap.h); 0:
     * limits.tool_result_chars
     */
    int64_t result_chars;
    size_t text_chars; /* characters that call_text has written so far */
    bool text_cut;     /* the text was truncated */

    /*
     * Set by a built-in tool that has written a text file through a workspace that is not local:
     * the text before (STR_NONE: there was no file) and after. STR_NONE: no such file
     */
    struct str text_before, text_after;

    bool lacking; /* the call failed, because its caller cannot answer asks of the kind `lacked` */
    enum ask_kind lacked;

    struct guard_pass pass;
    bool vault_only; /* read-only mode: the tool may write only in .vault/ (guard_read_only.h) */
    bool removes;    /* the tool deletes or moves files */
    bool may_define; /* a person has approved a change of definitions (protected_path.h) */
    struct call_sandbox sandbox;
    /* rules for the files that the tool opens (path_rules.h); NULL: none */
    const struct path_rules *path_rules;
    const struct tool *tool; /* the tool to run; valid only until the tool was started */

    struct lock_turn *turn; /* the turn to write (lock.h); NULL: the call needs none */
    bool waits;             /* the call waits for its turn */

    void *data; /* private to the tool */
    /*
     * Called when the call settles, before its `done` callback, to release borrowed data. May be
     * NULL.
     */
    void (*on_settled)(struct call *call);
    struct ask *asks;
    struct timer deadline;
    int64_t allowed_ms, left_ms; /* total time; time that remains while the deadline is suspended */
    bool by_limit;               /* the deadline is limits.tool_ms */
    bool late;                   /* the deadline has passed */
};

typedef void call_start_fn(struct call *call);

enum { CALL_NO_DEADLINE = -1 };

/*
 * call_run begins a call as a child op of `parent` and calls start(call). It initializes all
 * members of *call. about->timeout_ms is the deadline; 0 means limits.tool_ms, and CALL_NO_DEADLINE
 * is for a worker that sets its own deadline. The content stays valid until `done` returns; *call
 * must live as long as mem.
 */
struct call_about {
    const char *what;
    void *ctx;
    const struct tool *tool; /* the tool to run, for the guard; NULL: the call runs no tool */
    struct json args;
    struct str uri;
    int64_t timeout_ms;
};

void call_run(struct call *call, const struct host *host, struct caller *caller, struct arena *mem,
              const struct call_about *about, call_start_fn *start, struct op *parent,
              op_done_fn *done, void *ctx);

/* ---- for the worker ---------------------------------------------------------------------- */

/*
 * Add a text block. Text beyond limits.tool_result_chars is truncated and marked.
 */
void call_text(struct call *call, struct str text);

/* Add an element to the content, as raw JSON. */
void call_block(struct call *call, struct str json);

void call_done(struct call *call);

/* Settle a call that reads a resource: the content is this JSON text. ERR_LIMIT: it is too long. */
void call_json_content(struct call *call, const struct buf *json);

/* Settle the call with an error for the model: one text block, and is_error set. */
void call_failed(struct call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fail the op: the error is not one that the model can correct. */
void call_broke(struct call *call, const struct err *e);

/* Fail the call because the caller cannot answer this kind of ask. */
void call_lacks(struct call *call, enum ask_kind kind);

/*
 * Settle the call with the unchanged result or error object of another server. One of them is
 * STR_NONE.
 */
void call_forward(struct call *call, struct str raw_result, struct str raw_error);

static inline void call_progress(struct call *call, const struct progress *p)
{
    call->caller->kind->progress(call->caller, p);
}

static inline void call_log(struct call *call, enum call_level level, struct str logger,
                            struct str data)
{
    call->caller->kind->log(call->caller, level, logger, data);
}

static inline bool call_can_ask(const struct call *call, enum ask_kind kind)
{
    return call->caller->kind->can(call->caller, kind);
}

/* Set *e to ERR_DENIED, because the caller cannot answer this kind of ask. */
void call_cannot_ask(const struct call *call, enum ask_kind kind, struct err *e);

/*
 * Report that the call starts (or stops) waiting for another call before its work begins. The
 * deadline is suspended meanwhile.
 */
void call_waits(struct call *call, bool waits);

/* ---- asking ------------------------------------------------------------------------------ */

/*
 * An ask is a question to the caller; its op is a child of the call. Several asks of a call may be
 * open at the same time. A protocol that must end its response in order to ask (MCP 2026-07-28)
 * sends all open asks in one response.
 */
struct ask {
    struct op op; /* first */
    struct call *call;
    /* for a permission: the call to approve, which may be a call of an agent that `call` runs */
    const struct call *about;
    enum ask_kind kind;
    struct str key;     /* unique among the asks of its call, [A-Za-z0-9_-]+ */
    struct str params;  /* raw JSON object in the shape that enum ask_kind documents */
    struct json answer; /* an object, after the op has succeeded; valid as long as the call */
    struct ask *next;
};

/*
 * Ask the caller. Fails with ERR_DENIED if the caller cannot be asked, or ERR_TIMEOUT if no answer
 * arrives in time. `key` and `params` must live as long as the call, *ask until `done` has
 * returned.
 */
void call_ask(struct call *call, struct ask *ask, enum ask_kind kind, struct str key,
              struct str params, op_done_fn *done, void *ctx);

/*
 * Like call_ask, for a permission question about another call, *about, which must outlive the ask.
 */
void call_ask_about(struct call *call, const struct call *about, struct ask *ask,
                    enum ask_kind kind, struct str key, struct str params, op_done_fn *done,
                    void *ctx);

/* For callers: give the answer. Its bytes must stay valid as long as the call. */
void ask_answer(struct ask *ask, struct json answer);

/* For callers: end the ask without an answer, for the reason *e. */
void ask_refuse(struct ask *ask, const struct err *e);

#endif
