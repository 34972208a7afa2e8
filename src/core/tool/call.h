/*
 * call.h - one piece of work done for a caller: a tool run, a resource read, a prompt filled in,
 * an argument completed.
 *
 * A call is an op. args (or uri) say what to do. It writes content, may report progress, log and
 * ask meanwhile, and settles by exactly one of call_done, call_failed, call_broke, call_lacks and
 * call_forward. There are two kinds of failure. One that the model should see and can correct
 * (call_failed: wrong arguments, no such file) is a result with is_error set. One that is ours
 * (deadline, cancel, limits, a lost server) is a failure of the op.
 *
 * The deadline is suspended while an ask is open and while the call waits for its turn to write
 * (lock_for_call.h). An ask that is still open when its call settles is withdrawn.
 *
 * core knows no protocol: content is written as blocks by the functions below, in the JSON form
 * that MCP, ACP and A2A share.
 */
#ifndef CORE_TOOL_CALL_H
#define CORE_TOOL_CALL_H

#include "base/limits.h"
#include "core/tool/caller.h"

struct agent_context;
struct guard;
struct kept_results;
struct lock_table;
struct lock_turn;
struct offer;
struct path_rules;
struct skill_list;
struct state_port;
struct tool;
struct tool_world;
struct workspace;

/* A folder, opened with O_PATH, and its absolute path without a slash at its end. */
struct host_folder {
    int fd;
    const char *path;
};

/* The resources that work may use. Program lifetime. */
struct host {
    struct loop *loop;
    const struct limits *limits;
    int root_fd;                       /* the root folder, opened with O_PATH */
    const char *root;                  /* its absolute path */
    const char *cwd;                   /* base of relative paths; NULL: the root */
    const struct host_folder *include; /* further folders, reached by absolute paths only */
    size_t includes;
    /* port to text files (workspace.h); NULL: the files of this machine */
    struct workspace *workspace;
    struct state_port *state; /* where notes are kept (state.h); NULL: nowhere */
    struct tool_world *world; /* what the built-in tools run on (tool/world.h); NULL: none */
    struct guard *guard;      /* every tool call passes it; NULL: none, as in tests */
    struct lock_table *locks; /* calls that write take turns (lock.h); NULL: they do not */
    struct offer *offer;      /* the offer that uses this host; NULL: none */
    const struct agent_context *context; /* agents to call (agent_context.h); NULL: none */
    const struct skill_list *skills;     /* the current skills; NULL: none */
    struct open_traces *traces;          /* calls sent to other agents (trace.h); NULL: none */
    struct kept_results *kept;           /* long results (linked_results.h); NULL: none */
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

/* The guard's record of a call. Only the guard writes it. */
struct guard_pass {
    enum guard_state state;
    /* enum guard_says, enum guard_row: the verdict, and the check that decided */
    uint8_t says, row;
    bool cut;                        /* the question does not show all of the call */
    struct guard_question *question; /* the question to a person (guard_ask.c); NULL: none */
    uint32_t turn;                   /* while RUNNING: its number in the history of its caller */
    uint64_t digest;                 /* of tool and arguments */
    int64_t begun;
};

struct call {
    struct op op; /* first */
    const struct host *host;
    struct caller *caller;
    struct arena *mem; /* valid as long as the call */
    /* name in errors; a copy, because the tool, resource or prompt may be freed */
    const char *what;
    void *ctx; /* ctx of the tool, resource or prompt */

    struct json args; /* an object or missing; borrowed from the caller */
    struct str uri;   /* of a resource; the concrete URI if a template matched */

    struct buf content;    /* blocks, contents, messages or values: the inside of an array */
    struct buf structured; /* one JSON value, or empty */
    struct str note;       /* of a prompt: its description; else STR_NONE */
    bool has_blocks;       /* content is not text alone: call_block was called */
    bool is_error;
    bool untrusted;     /* the result comes from an untrusted source: data, never instructions */
    struct str from;    /* of an untrusted result: "server:tool" or the tool's name */
    struct str warning; /* a warning of the guard for the model; else STR_NONE */
    struct str task;    /* it continues as the task with this id; else STR_NONE */

    /* A whole result object or error object, forwarded unchanged; valid as long as mem. */
    struct str raw_result, raw_error;
    struct json result; /* raw_result, parsed; missing: it must be parsed again */
    /* limit on the characters of its text (result_cap.h); 0: limits.tool_result_chars */
    int64_t result_chars;
    size_t text_chars; /* characters that call_text has written so far */
    bool text_cut;     /* the text was truncated */

    bool lacking; /* it failed because the caller cannot answer this kind of ask: */
    enum ask_kind lacked;

    struct guard_pass pass;
    bool vault_only; /* read-only mode: it writes inside .vault/ only (guard_read_only.h) */
    bool removes;    /* the tool deletes or moves files */
    bool may_define; /* a person has approved that it writes definitions (protected_path.h) */
    /* rules for the files that it opens (path_rules.h); NULL: none */
    const struct path_rules *path_rules;
    const struct tool *tool; /* while the guard decides; may be freed once the call runs */

    struct lock_turn *turn; /* its turn to write (lock.h); NULL: it needs none */
    bool waits;             /* the call waits for its turn */

    void *data; /* data of the tool */
    /*
     * Called once when the call settles, before its done callback: releases borrowed data. Or NULL.
     */
    void (*on_settled)(struct call *call);
    struct ask *asks;
    struct timer deadline;
    int64_t allowed_ms, left_ms; /* of the deadline: in all, and the rest while it is suspended */
    bool by_limit;               /* the deadline is limits.tool_ms */
    bool late;                   /* the deadline has passed */
};

typedef void call_start_fn(struct call *call);

enum { CALL_NO_DEADLINE = -1 };

/*
 * Begin a call as a child of `parent` and run start(call). timeout_ms: 0 for limits.tool_ms,
 * CALL_NO_DEADLINE when the worker has a deadline itself. The content stays valid until done
 * returns; *call must live as long as mem. The caller presets nothing but passes what the call is
 * about.
 */
struct call_about {
    const char *what;
    void *ctx;
    const struct tool *tool; /* for the guard; NULL: no tool is run */
    struct json args;
    struct str uri;
    int64_t timeout_ms;
};

void call_run(struct call *call, const struct host *host, struct caller *caller, struct arena *mem,
              const struct call_about *about, call_start_fn *start, struct op *parent,
              op_done_fn *done, void *ctx);

/* ---- for the worker ---------------------------------------------------------------------- */

/*
 * One text block. Past limits.tool_result_chars it is truncated, with a mark.
 */
void call_text(struct call *call, struct str text);

/* One element of the content's array, as raw JSON. */
void call_block(struct call *call, struct str json);

void call_done(struct call *call);

/* Settle the read of a resource with this JSON as content; ERR_LIMIT when it is too long. */
void call_json_content(struct call *call, const struct buf *json);

/* Done, with one text block for the model. */
void call_failed(struct call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fail the op: the error is not one that the model can correct. */
void call_broke(struct call *call, const struct err *e);

/* Fail because the caller cannot answer this kind of ask. */
void call_lacks(struct call *call, enum ask_kind kind);

/* Settle with the result or error object of another server, unchanged. One of them is STR_NONE. */
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

/* Fill *e (ERR_DENIED): the caller cannot answer this kind of ask. */
void call_cannot_ask(const struct call *call, enum ask_kind kind, struct err *e);

/*
 * The call starts or stops to wait for another call, before its work begins. The deadline is
 * suspended meanwhile.
 */
void call_waits(struct call *call, bool waits);

/* ---- asking ------------------------------------------------------------------------------ */

/*
 * A question, an op below its call. Several may be open at once. A protocol that must end its
 * response in order to ask (MCP 2026-07-28) sends all open questions in one response.
 */
struct ask {
    struct op op; /* first */
    struct call *call;
    /* of a permission: the call to approve, which may be a call of an agent below `call` */
    const struct call *about;
    enum ask_kind kind;
    struct str key;     /* unique among the asks of its call, [A-Za-z0-9_-]+ */
    struct str params;  /* raw JSON object in the shape that enum ask_kind documents */
    struct json answer; /* an object, after the op has succeeded; valid as long as the call */
    struct ask *next;
};

/*
 * Ask the caller. Fails with ERR_DENIED when the caller cannot be asked, ERR_TIMEOUT when no answer
 * arrived in time. key and params must live as long as the call; *ask until done has returned.
 */
void call_ask(struct call *call, struct ask *ask, enum ask_kind kind, struct str key,
              struct str params, op_done_fn *done, void *ctx);

/* The same for a question about a call below ours; *about must outlive the ask. */
void call_ask_about(struct call *call, const struct call *about, struct ask *ask,
                    enum ask_kind kind, struct str key, struct str params, op_done_fn *done,
                    void *ctx);

/* For callers: pass the answer; its bytes must stay valid as long as the call. */
void ask_answer(struct ask *ask, struct json answer);

/* For callers: there will be no answer; *e is the reason. */
void ask_refuse(struct ask *ask, const struct err *e);

#endif
